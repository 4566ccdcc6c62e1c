import { createHmac } from "node:crypto";
import { collectionFor } from "../client/collection";
import { clientOf, settingsOf } from "./connection";
import type { ResourceDefinition } from "./definition";
import { secretTexts } from "./hush";
import { isObject, type Props } from "./json";
import type { Call, Remote } from "./remote";
import { collectionRemote } from "./collection-remote";
import { collectionPath, scopeOf } from "./scope";
import { HIDDEN, argumentNamed } from "./state";
import { wireName } from "./names";
import { idOf } from "./wire";
import { personalKey } from "../client/settings";

/** What one verb on one object works with, from the properties that the engine handed over. */
export function callFor(definition: ResourceDefinition, verb: string, props: Props, id?: string): Call {
  const client = clientOf(props);
  const stack = props[HIDDEN.stack];
  const scope = scopeOf(definition, props);
  const path = collectionPath(definition, scope, props);
  const name = props[HIDDEN.name];
  const subject = {
    kind: definition.type,
    verb,
    ...(typeof name === "string" ? { name } : {}),
    ...(id === undefined ? {} : { id }),
  };
  const argumentName = (attr: string): string => argumentNamed(definition, attr);
  const declared = Object.keys(definition.inputs).filter(
    (key) => key in props && isReadable(definition, key),
  );
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
      complete: (item) => isObject(item) && declared.every((key) => wireName(key) in item),
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
      console.log(
        `warning: ${subject.kind} "${subject.name ?? ""}"${id === undefined ? "" : ` (${id})`}: ${message}`,
      );
    },
  };
}

/** Whether reads of this kind ever show the argument: the single form decides, where the list form lacks it. */
function isReadable(definition: ResourceDefinition, name: string): boolean {
  const unread = [
    "projectId",
    "organizationId",
    ...(definition.writeOnly ?? []),
    ...(definition.local ?? []),
  ];
  return !unread.includes(name) && definition.listLacks?.includes(name) === true;
}

/** How this kind's objects are made, found, changed and removed. */
export function remoteOf(definition: ResourceDefinition): Remote {
  return { ...collectionRemote, ...definition.remote };
}
