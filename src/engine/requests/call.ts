import { createHmac } from "node:crypto";
import { collectionFor } from "../../client/collection";
import { clientOf, settingsOf } from "./connection";
import type { ResourceDefinition } from "../definition";
import { secretTexts } from "../messages/hush";
import type { Props } from "../values/json";
import type { Call, Remote } from "./remote";
import { collectionRemote } from "./collection-remote";
import { collectionPath, scopeOf } from "./scope";
import { HIDDEN, argumentNamed, declaredArguments, isKept, resourceName } from "../state/state";
import { wireName } from "../values/names";
import { idOf } from "../values/wire";
import { personalKey } from "../../client/settings";
import { naming } from "../../client/explain";

/** What one verb on one object works with, from the properties that the engine handed over. */
export function callFor(definition: ResourceDefinition, verb: string, props: Props, id?: string): Call {
  const client = clientOf(props);
  const stack = props[HIDDEN.stack];
  const scope = scopeOf(definition, props);
  const path = collectionPath(definition, scope, props);
  const name = resourceName(props);
  const subject = {
    kind: definition.type,
    verb,
    ...(name === undefined ? {} : { name }),
    ...(id === undefined ? {} : { id }),
  };
  const argumentName = (attr: string): string => argumentNamed(definition, attr);
  const secrets = secretTexts(definition, props);
  return {
    definition,
    client,
    path,
    scope,
    subject,
    stack: typeof stack === "string" ? stack : undefined,
    collection: collectionFor(client, {
      path,
      single: definition.read !== "list",
      idOf: (item) => idOf(definition, item) ?? "",
      fields: readableFields(definition, props),
    }),
    reading: { subject, scope: `${definition.keyScope}:read`, argumentName, secrets },
    writing: (body) => ({
      subject,
      scope: `${definition.keyScope}:write`,
      argumentName,
      secrets,
      ...(body === undefined ? {} : { body }),
    }),
    seal: (text) =>
      createHmac("sha256", personalKey(settingsOf(props)))
        .update(text)
        .digest("base64url"),
    warn(message) {
      console.log(`warning: ${naming(subject)}: ${message}`);
    },
  };
}

/** What reads may tell of the declared arguments, in the service's names. */
function readableFields(definition: ResourceDefinition, props: Props): string[] {
  const inPath = ["projectId", "organizationId"];
  return Object.keys(declaredArguments(definition, props))
    .filter((name) => !inPath.includes(name) && !isKept(definition, name))
    .map(wireName);
}

/** How this kind's objects are made, found, changed and removed. */
export function remoteOf(definition: ResourceDefinition): Remote {
  return { ...collectionRemote, ...definition.remote };
}
