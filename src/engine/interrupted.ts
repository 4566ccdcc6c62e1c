import { setTimeout as sleep } from "node:timers/promises";
import { difference, verdict, wantedChanges } from "./diff";
import { intentsHere, type Intent } from "./intents";
import type { Props } from "./json";
import { managedIds, noteManaged } from "./managed";
import type { Call, Found, Remote } from "./remote";
import { lookFor, turnsOf } from "./settle";
import { HIDDEN, isKept, see, visible } from "./state";

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

function resource(kind: string, name: unknown): string {
  return `${kind} ${String(name)}`;
}

/** Notes that the state has this resource; which object it is, only {@link identify} tells. */
export function noteStored(kind: string, name: unknown): void {
  stored.add(resource(kind, name));
}

/** Notes that the state holds this object as that resource: no earlier creation of it is open any more. */
export async function identify(kind: string, name: unknown, id: string): Promise<void> {
  identified.add(resource(kind, name));
  await intentsHere().managed(kind, id);
}

/**
 * The object that an interrupted run has made for this very resource: known by its id, or else the one that has
 * the traits of what was sent and belongs to nobody. Undefined where there is none, and where nothing was written.
 */
export async function recover(call: Call, remote: Remote, inputs: Props): Promise<Recovered | undefined> {
  const { definition, stack } = call;
  const name = call.subject.name ?? "";
  if (stack === undefined) return undefined;
  const earlier = await intentsHere().all(
    ({ plan }) =>
      plan.stack === stack &&
      plan.kind === definition.type &&
      plan.name === name &&
      plan.host === call.client.host &&
      plan.path === call.path,
  );
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

function isAtWork(intent: Intent): boolean {
  return intent.isBeingDone;
}

/** Waits for the process of an interrupted run where that is still at work. */
async function outlive(call: Call, intent: Intent): Promise<void> {
  const patience = Date.now() + LONGEST_WAIT_MS;
  if (!isAtWork(intent)) return;
  call.warn(
    `process ${String(intent.plan.pid)} of an interrupted run is still making it: waiting for that to end`,
  );
  while (Date.now() < patience) {
    await sleep(PATIENCE_MS);
    await intentsHere().reread(intent);
    if (!isAtWork(intent)) return;
  }
}

async function recoverOne(
  call: Call,
  remote: Remote,
  inputs: Props,
  intent: Intent,
): Promise<Recovered | undefined> {
  const found = await (intent.id === undefined
    ? lookFor(call, intent, "an earlier run was interrupted while it was made")
    : lookUp(call, remote, inputs, intent.id));
  if (found === undefined) {
    await intentsHere().drop(intent);
    return undefined;
  }
  const changes = changesTo(call, found, inputs);
  if (changes === undefined) {
    call.warn(
      `an interrupted run made ${found.id} for it, which the program no longer fits: a new one is made; delete ` +
        `${found.id} unless you need it`,
    );
    await intentsHere().drop(intent);
    return undefined;
  }
  noteManaged(call, found.id);
  call.warn(`took over ${found.id}, which an interrupted run had made for it`);
  return { found, changes };
}

/** The object of that id, where it exists and no resource of this run has it. */
async function lookUp(call: Call, remote: Remote, inputs: Props, id: string): Promise<Found | undefined> {
  // The state may hold this very object: the engine replaces a resource on demand without saying which one it is.
  const unknown = resource(call.definition.type, call.subject.name);
  if (stored.has(unknown) && !identified.has(unknown)) return undefined;
  if (managedIds(call.definition.type, call.client.host).has(id)) return undefined;
  call.collection.invalidate();
  return await remote.find(call, id, visible(inputs));
}

/** What has to be sent, or undefined where the object cannot become what the program says. */
function changesTo(call: Call, found: Found, inputs: Props): Props | undefined {
  const { definition } = call;
  const declared = visible(inputs);
  const live = see(definition, found.object, declared).values;
  const differing = difference(definition, { ...live, [HIDDEN.declared]: Object.keys(declared) }, inputs);
  const changed = Object.fromEntries(
    Object.entries(wantedChanges(differing)).filter(([name]) => !isKept(definition, name)),
  );
  return verdict(definition, live, { ...differing, changed }).replaces.length > 0 ? undefined : changed;
}
