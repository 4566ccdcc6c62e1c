import { setTimeout as sleep } from "node:timers/promises";
import type { ResourceDefinition } from "../definition";
import { homeOf } from "../requests/connection";
import { compareObject } from "../state/diff";
import type { Intent } from "./intent";
import { intentsHere } from "./intents";
import { cutOff } from "./marks";
import type { Props } from "../values/json";
import { managedIds, noteManaged, resourceKey } from "../ownership/managed";
import type { Call, Found, Remote } from "../requests/remote";
import { REQUEST_AT_WORK_MS } from "./pauses";
import { lookFor, turnsOf } from "./settle";
import { HIDDEN, see, visible } from "../state/state";
import { PostHogError } from "../../client/errors";

/** How often another process is asked whether it is done. */
const PATIENCE_MS = 250;
/** A process that lives on after its engine was killed ends its requests, and then nothing more comes of it. */
const LONGEST_WAIT_MS = 120_000;

/** An object that an earlier run made for the same resource without the state knowing it. */
export interface Recovered {
  found: Found;
  /** Arguments that differ by now, with the wanted value. */
  changes: Props;
}

/** Resources that are in the state, by kind and name; and those of them whose object this process was told of. */
const stored = new Set<string>();
const identified = new Set<string>();

/** Notes that the state has this resource; which object it is, only {@link identify} tells. */
export function noteStored(kind: string, name: unknown): void {
  stored.add(resourceKey(kind, name));
}

/** Whether the program of this run declares a resource that is in the state. */
export function isStored(kind: string, name: unknown): boolean {
  return stored.has(resourceKey(kind, name));
}

/**
 * Notes that the state holds this object as that resource: no earlier creation of it is open any more. Where an update
 * was cut off, what that has sent is still to be looked at.
 */
export async function identify(
  definition: ResourceDefinition,
  id: string,
  olds: Props,
  news = olds,
): Promise<void> {
  const { type: kind } = definition;
  identified.add(resourceKey(kind, news[HIDDEN.name]));
  if ((await cutOff(definition, id, olds, news)).length === 0)
    await intentsHere().managed(kind, homeOf(olds), id);
}

/**
 * The object that an interrupted run has made for this very resource: known by its id, or else the one that has
 * the traits of what was sent and belongs to nobody. Undefined where there is none, and where nothing was written.
 */
export async function recover(call: Call, remote: Remote, inputs: Props): Promise<Recovered | undefined> {
  const all = await intentsHere().all((intent) => isOf(call, intent));
  tellElsewhere(call, all);
  const earlier = all.filter(({ plan }) => plan.path === call.path);
  if (earlier.length === 0) return undefined;
  for (const intent of earlier) await outlive(call, intent);
  return await turnsOf(call).alone(0, async () => {
    for (const intent of earlier) {
      const recovered = await recoverOne(call, remote, inputs, intent);
      if (recovered !== undefined) return recovered;
    }
    return undefined;
  });
}

/**
 * Whether an earlier process was to make something for this very resource, wherever that was. What this process makes
 * under the same name is another resource's: two may have one, below components of different types.
 */
export function isOf(call: Call, intent: Intent): boolean {
  const { plan } = intent;
  return (
    intentsHere().isEarlier(intent) &&
    call.stack !== undefined &&
    plan.stack === call.stack &&
    plan.kind === call.definition.type &&
    plan.name === call.subject.name &&
    plan.host === call.client.host
  );
}

/** What was made in a project or organization that the program has left meanwhile is named, once. */
function tellElsewhere(call: Call, intents: readonly Intent[]): void {
  for (const intent of intents.filter(({ plan }) => !plan.path.startsWith(call.path))) {
    call.warn(
      `an interrupted run ${intent.id === undefined ? "may have made something" : `made ${intent.id}`} for it at ` +
        `${intent.plan.path}, where the program no longer has it: look there, and delete it unless you need it`,
    );
    intentsHere().drop(intent);
  }
}

function isAtWork(intent: Intent): boolean {
  return intent.isBeingDone;
}

/** Waits for the process of an interrupted run where that is still at work. */
export async function outlive(call: Call, intent: Intent): Promise<void> {
  const patience = Date.now() + LONGEST_WAIT_MS;
  if (!isAtWork(intent)) return;
  call.warn(
    `process ${String(intent.plan.pid)} of an interrupted run is still making it: waiting for that to end`,
  );
  while (Date.now() < patience) {
    await sleep(PATIENCE_MS);
    intentsHere().reread(intent);
    if (!isAtWork(intent)) return;
  }
}

/**
 * Waits until nothing comes any more of what a killed process may have asked for at the very end.
 *
 * @returns whether there was anything to wait for
 */
export async function comeToRest(call: Call, intent: Intent): Promise<boolean> {
  const left = Math.min(intent.atWorkUntil + REQUEST_AT_WORK_MS - Date.now(), REQUEST_AT_WORK_MS);
  if (left <= 0) return false;
  call.warn(
    `the service may still be at work for a run that was interrupted just now: looking again in ` +
      `${String(Math.ceil(left / 1000))} s`,
  );
  await sleep(left);
  return true;
}

/** Looks what came of it, and once more when nothing more can come where there was nothing yet. */
export async function lookTwice<T>(
  call: Call,
  intent: Intent,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  return (await look()) ?? ((await comeToRest(call, intent)) ? await look() : undefined);
}

async function recoverOne(
  call: Call,
  remote: Remote,
  inputs: Props,
  intent: Intent,
): Promise<Recovered | undefined> {
  // Its own answer named it: what is only alike could be somebody else's, and is never deleted.
  const isOurs = intent.id !== undefined;
  const found = await (intent.id === undefined
    ? lookAround(call, remote, inputs, intent)
    : lookUp(call, remote, inputs, intent.id));
  if (found === undefined) {
    intentsHere().drop(intent);
    return undefined;
  }
  const { changes, replaces } = compareObject(call.definition, found.object, inputs);
  if (replaces.length > 0) {
    await removeUnfit(call, remote, found, inputs, isOurs);
    intentsHere().drop(intent);
    return undefined;
  }
  noteManaged(call, found.id);
  call.warn(`took over ${found.id}, which an interrupted run had made for it`);
  return { found, changes };
}

/** The one object that the intent can have made; read by itself, since a list does not say everything. */
async function lookAround(
  call: Call,
  remote: Remote,
  inputs: Props,
  intent: Intent,
): Promise<Found | undefined> {
  const found = await lookTwice(call, intent, () =>
    lookFor(call, intent, "an earlier run was interrupted while it was made"),
  );
  return found && ((await remote.find(call, found.id, visible(inputs))) ?? found);
}

/** The engine replaces what cannot be changed in place; an object that it does not know of is for us to remove. */
async function removeUnfit(
  call: Call,
  remote: Remote,
  found: Found,
  inputs: Props,
  isOurs: boolean,
): Promise<void> {
  const what = `an interrupted run made ${found.id} for it, which cannot become what the program says now`;
  const left = `${what}: a new one is made; delete ${found.id} unless you need it`;
  if (!isOurs) {
    call.warn(left);
    return;
  }
  try {
    const live = see(call.definition, found.object, visible(inputs)).values;
    await remote.delete(call, found.id, { ...visible(inputs), ...live });
    call.warn(`${what}: it was deleted, and a new one is made`);
  } catch (error) {
    if (!PostHogError.isInstance(error)) throw error;
    call.warn(`${left} (deleting it failed: ${error.message.split("\n")[0] ?? ""})`);
  }
}

/** The object of that id, where it exists and no resource of this run has it. */
async function lookUp(call: Call, remote: Remote, inputs: Props, id: string): Promise<Found | undefined> {
  // The state may hold this very object: the engine replaces a resource on demand without saying which one it is.
  const unknown = resourceKey(call.definition.type, call.subject.name);
  if (stored.has(unknown) && !identified.has(unknown)) return undefined;
  if (managedIds(call.definition.type, call.client.host).has(id)) return undefined;
  call.collection.invalidate();
  return await remote.find(call, id, visible(inputs));
}
