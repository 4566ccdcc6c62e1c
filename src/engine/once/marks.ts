import type { ResourceDefinition } from "../definition";
import type { Call } from "../requests/remote";
import type { Difference } from "../state/diff";
import { HIDDEN, resourceName } from "../state/state";
import type { JsonObject, Props } from "../values/json";
import { isAmbiguous } from "../../client/errors";
import { type Update, updatesHere } from "./updates";

/** Sends an update that a later run knows of even where this one is killed before the state has its outcome. */
export async function marked(
  call: Call,
  id: string,
  changes: Props,
  olds: Props,
  send: () => Promise<JsonObject>,
): Promise<JsonObject> {
  const { stack, subject, definition, client } = call;
  const names = Object.keys(changes);
  if (stack === undefined || subject.name === undefined || names.length === 0) return await send();
  const { name } = subject;
  const place = { stack, kind: definition.type, name, id, host: client.host };
  const mark = await updatesHere().begin({ ...place, arguments: names }, resourceName(olds) ?? name);
  try {
    const outs = await send();
    await updatesHere().end(place);
    return { ...outs, [HIDDEN.mark]: mark };
  } catch (error) {
    // What was refused had no effect, and what is half done says so itself.
    if (isAmbiguous(error)) await updatesHere().end(place);
    else await updatesHere().forget(place);
    throw error;
  }
}

/** Forgets the updates of an object that no state has any more. */
export async function forgetUpdates({ stack, subject, definition }: Call, id: string): Promise<void> {
  if (stack !== undefined && subject.name !== undefined)
    await updatesHere().forget({ stack, kind: definition.type, name: subject.name, id });
}

/** Updates of the object that were cut off before the state had their outcome. */
export async function cutOff(
  { type: kind }: ResourceDefinition,
  id: string,
  olds: Props,
  news = olds,
): Promise<Update[]> {
  const [stack, name] = [news[HIDDEN.stack], resourceName(news)];
  if (typeof stack !== "string" || name === undefined) return [];
  const updates: Update[] = [];
  for (const called of new Set([name, resourceName(olds) ?? name])) {
    const update = await updatesHere().unsettled({ stack, kind, name: called, id }, olds);
    if (update !== undefined) updates.push(update);
  }
  return updates;
}

/** A difference with what an interrupted update of the object may have changed besides; with a word about it. */
export async function withInterrupted(
  definition: ResourceDefinition,
  id: string,
  olds: Props,
  news: Props,
  found: Difference,
): Promise<{ found: Difference; plans: string[] }> {
  const updates = await cutOff(definition, id, olds, news);
  if (updates.length === 0) return { found, plans: [] };
  for (const update of updates) await updatesHere().outlive(update);
  const all = new Set(updates.flatMap((update) => update.arguments));
  const names = [...all].filter((one) => !definition.replaceOnChanges.includes(one));
  const changed = { ...found.changed };
  const cleared = { ...found.cleared };
  for (const one of names) {
    if (news[one] !== undefined) changed[one] = news[one];
    else if (definition.clears[one] !== undefined) cleared[one] = definition.clears[one];
  }
  return {
    found: { ...found, changed, cleared },
    plans: [`an interrupted run may have changed ${names.join(", ")}: sent again`],
  };
}
