import type { dynamic } from "@pulumi/pulumi";
import type { ResourceDefinition } from "./definition";
import { StateError } from "./messages/errors";
import { identify } from "./once/interrupted";
import { forgetUpdates } from "./once/marks";
import { claim } from "./ownership/claim";
import { noteGone } from "./ownership/managed";
import { confirmGone, refuseAnother } from "./ownership/presence";
import { callFor, remoteOf } from "./requests/call";
import { settingsOf } from "./requests/connection";
import type { Call } from "./requests/remote";
import { fillScope, pinOrganization } from "./requests/scope";
import { HIDDEN, carried, declaredArguments, dropped, outputsOf, see, visible } from "./state/state";
import { toJsonObject, type Props } from "./values/json";

/** The lifecycle's `read`: what a refresh makes of a stored object, and what `get` finds. */
export async function read(
  definition: ResourceDefinition,
  id: string,
  given: Props,
): Promise<dynamic.ReadResult> {
  const props = given[HIDDEN.get] === true ? await completeLookup(definition, id, given) : given;
  const call = callFor(definition, "reading", props, id);
  const stored = visible(props);
  if (props[HIDDEN.get] !== true) await identify(definition, id, props);
  const found = await remoteOf(definition).find(call, id, stored);
  if (found === undefined) return await missing(call, id, props);
  refuseAnother(call, found.object, props);
  // What is only looked up is managed by something else.
  if (props[HIDDEN.get] !== true) claim(definition, found.id, props, props);
  const declared = declaredArguments(definition, props);
  const seen = see(definition, found.object, declared, dropped(props));
  const kept = Object.fromEntries(
    Object.entries(dropped(props)).filter(([name]) => !seen.drifted.includes(name)),
  );
  const hidden = {
    ...carried(props),
    [HIDDEN.host]: call.client.host,
    ...(Object.keys(kept).length > 0 ? { [HIDDEN.dropped]: kept } : {}),
    ...keptKeys(props, HIDDEN.todo, HIDDEN.mark),
  };
  const connection = stored["connection"] === undefined ? {} : { connection: stored["connection"] };
  const outs = outputsOf(definition, found.object, { ...connection, ...seen.values }, hidden);
  const wasDeleted = stored["deleted"] === true;
  if (seen.drifted.length === 0 && !wasDeleted) return { id: found.id, props: outs };
  return { id: found.id, props: outs, inputs: toJsonObject({ ...seen.values, ...carried(props) }) };
}

/** `get` comes without a check before it: what configuration adds to the arguments is added here. */
async function completeLookup(definition: ResourceDefinition, id: string, given: Props): Promise<Props> {
  const props = { ...definition.argumentsOf?.(id), ...given };
  const [problem] = fillScope(definition, props, settingsOf(props));
  if (problem) throw new StateError(`${definition.type}.get: ${problem.argument} ${problem.reason}`);
  await pinOrganization(props, {});
  return props;
}

async function missing(call: Call, id: string, props: Props): Promise<dynamic.ReadResult> {
  const { definition } = call;
  await confirmGone(call, id, props);
  if (props[HIDDEN.get] === true) {
    throw new StateError(
      `${definition.type}.get("${String(props[HIDDEN.name])}", "${id}"): there is no such object at ${call.path}.`,
    );
  }
  if (!definition.restore) {
    noteGone(call, id);
    await forgetUpdates(call, id);
    return { id: "", props: {} };
  }
  const inputs = { ...declaredArguments(definition, props), ...carried(props), deleted: true };
  return { id, props: toJsonObject({ ...props, deleted: true }), inputs: toJsonObject(inputs) };
}

function keptKeys(props: Props, ...keys: readonly string[]): Props {
  return Object.fromEntries(Object.entries(props).filter(([key]) => keys.includes(key)));
}
