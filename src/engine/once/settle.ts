import { setTimeout as sleep } from "node:timers/promises";
import { alike } from "./before";
import { StateError } from "../messages/errors";
import type { Intent } from "./intent";
import { intentsHere } from "./intents";
import { isObject, toJsonObject, type JsonObject } from "../values/json";
import { managedIds, noteManaged, ownerAs, type Owner } from "../ownership/managed";
import type { Call, Found } from "../requests/remote";
import { pausesBeforeAnother, pausesBeforeLooks, pausesUntilRest } from "./pauses";
import { fits, traitsOf } from "./traits";
import { Turns } from "./turns";
import { idOf } from "../values/wire";
import { isAmbiguous, isRefused } from "../../client/errors";
import { canBeDated, knowsStoringClock, noteCreation } from "../../client/service-clock";
import { naming } from "../../client/explain";

/** Sends the request that makes an object, once. */
type Make = () => Promise<Found>;

/** Requests for one object whose answers get lost, before it is left to the next run. */
const MAX_TRIES = 4;
/** The same where each of them is waited for to the end. */
const MAX_PATIENT_TRIES = 2;
/** Clocks of one service that nobody sets right differ by minutes. */
const NEAR_MS = 15 * 60_000;
/** A request that we gave up may be at work at the service for so long. */
const AFTERMATH_MS = 5 * 60_000;

const turns = new Map<string, Turns>();

/** Who makes objects of this kind at this service, one after the other where that matters. */
export function turnsOf(call: {
  readonly client: { readonly host: string };
  readonly definition: { readonly type: string };
}): Turns {
  const key = `${call.definition.type} ${call.client.host}`;
  const known = turns.get(key) ?? new Turns();
  turns.set(key, known);
  return known;
}

/**
 * Makes an object exactly once. What is about to be made is written down first, so that a run after a crash knows
 * of it; an answer that was lost is settled before anything is made again.
 *
 * @param shown what the new object will say, by which it can be recognised
 */
export async function makeOnce(call: Call, shown: JsonObject, request: Make): Promise<Found> {
  const traits = traitsOf(call, shown);
  const before = await alike(call, traits);
  const intent = await intentsHere().add(
    {
      stack: call.stack ?? "",
      kind: call.definition.type,
      name: call.subject.name ?? "",
      host: call.client.host,
      path: call.path,
      hash: call.seal(JSON.stringify([call.definition.type, call.path, traits])),
      traits,
      begun: Date.now(),
      until: latestEffect(call),
      besides: before ?? [],
      looked: before !== undefined,
    },
    call.stack !== undefined,
  );
  const weight = Object.keys(traits).length;
  const { settled } = await turnsOf(call).shared(async () => {
    try {
      return { settled: Promise.resolve(await make(call, request, intent)) };
    } catch (error) {
      if (!isAmbiguous(error)) {
        intentsHere().drop(intent);
        throw error;
      }
      const lostAt = Date.now();
      // Asked for while this turn lasts: whoever else is lost at the same time is in the queue as well.
      return { settled: turnsOf(call).alone(weight, () => settle(call, request, intent, error, lostAt)) };
    }
  });
  return await settled.catch(async (unsettled: unknown) => {
    await intentsHere().giveUp(intent);
    throw unsettled;
  });
}

async function make(call: Call, request: Make, intent: Intent): Promise<Found> {
  const asked = Date.now();
  const found = await request();
  noteCreation(call.client.host, found.object["created_at"], asked, Date.now());
  noteManaged(makerIn(call), found.id);
  await intentsHere().learn(intent, found.id);
  return found;
}

/** Who manages what a call makes: a kind may work on another kind's collection. */
function makerIn(call: Call): Owner {
  const { definition, subject } = call;
  return definition.type === subject.kind
    ? call
    : ownerAs({ ...call, definition: { type: subject.kind } }, definition.type);
}

/** After when nothing comes any more of a request that is made now (our clock). */
export function latestEffect(call: Call): number {
  return Date.now() + call.client.deadlineMs + AFTERMATH_MS;
}

/**
 * Finds out what became of a POST whose answer was lost: its object is taken over, and only where there is none is
 * the request made again.
 */
async function settle(
  call: Call,
  request: Make,
  intent: Intent,
  lost: unknown,
  lostAt: number,
): Promise<Found> {
  let cause = lost;
  let refusal: Error | undefined;
  for (let tries = 1; ; tries++) {
    for (const pause of pausesBeforeAnother(tries, cause, lostAt)) {
      await sleep(pause);
      const found = await lookFor(call, intent, `the answer was lost (${reason(cause)})`, true);
      if (found === undefined) continue;
      call.warn(
        `the answer to its creation was lost (${reason(cause)}); took over ${found.id}, which it had made`,
      );
      return found;
    }
    if (refusal !== undefined) throw refusal;
    if (tries === MAX_TRIES) throw cause;
    await intentsHere().extend(intent, latestEffect(call));
    try {
      return await make(call, request, intent);
    } catch (error) {
      // What came late of an earlier one can be why it is refused now.
      if (isRefused(error)) refusal = error;
      else if (isAmbiguous(error)) cause = error;
      else throw error;
    }
  }
}

/**
 * The object that an intent has made, if it has: it has the traits of what was sent, was made since and is managed
 * by no other resource. Several are ours only where as many were lost; otherwise they are named and left to a person.
 *
 * @param isNow whether it was asked for just now, by this process
 */
export async function lookFor(
  call: Call,
  intent: Intent,
  why: string,
  isNow = false,
): Promise<Found | undefined> {
  call.collection.invalidate();
  const taken = await idsOfOthers(intent);
  const listed = await call.client.list(call.path, call.reading);
  const fitting = listed
    .filter(isObject)
    .map(toJsonObject)
    .flatMap((object): Found[] => {
      const id = idOf(call.definition, object);
      if (id === undefined || taken.has(id) || object["deleted"] === true) return [];
      return fits(call, object, intent.plan.traits) ? [{ id, object }] : [];
    });
  const since = fitting.filter(({ id, object }) => isSince(call, object, id, intent));
  const candidates = since.length > 0 ? since : oddlyDated(call, fitting, intent, why, isNow);
  const [only] = candidates;
  if (only === undefined) return undefined;
  const unexplained = await intentsHere().all(
    ({ plan, id }) => id === undefined && plan.hash === intent.plan.hash && plan.stack === intent.plan.stack,
  );
  if (candidates.length > Math.max(1, unexplained.length)) throw ambiguity(call, candidates, why);
  noteManaged(makerIn(call), only.id);
  await intentsHere().learn(intent, only.id);
  return only;
}

/** Ids that resources of this run manage, or that were made for others and the engine may not know yet. */
async function idsOfOthers(intent: Intent): Promise<Set<string>> {
  const { kind, host } = intent.plan;
  const others = await intentsHere().all(
    ({ plan, id }) => id !== undefined && plan.kind === kind && plan.host === host,
  );
  return new Set([...managedIds(kind, host), ...others.flatMap(({ id }) => id ?? [])]);
}

/** Whether an object can have been made by what an intent says: not before it, and not after its last request. */
export function isSince(call: Call, object: JsonObject, id: string, { plan, until }: Intent): boolean {
  if (plan.besides.includes(id)) return false;
  const date = dateOf(object);
  return date === undefined || canBeDated(call.client.host, date, plan.begun, Math.min(until, Date.now()));
}

/**
 * What is new, or may be, and yet dated before we began or in the future: then the service does not date by the clock
 * in its answers, and to make such an object again could be to double it. What was not there when we looked is ours as
 * long as nothing is known of that clock, since then we have just begun. Otherwise it may as well be somebody else's:
 * a person decides.
 */
function oddlyDated(
  call: Call,
  fitting: readonly Found[],
  { plan }: Intent,
  why: string,
  isNow: boolean,
): readonly Found[] {
  const { host } = call.client;
  const isKnown = knowsStoringClock(host);
  const odd = fitting.filter(({ id, object }) => {
    const date = dateOf(object);
    if (plan.besides.includes(id) || date === undefined) return false;
    if (canBeDated(host, date, plan.begun, Date.now())) return false;
    return (
      plan.looked === true || (!isKnown && canBeDated(host, date, plan.begun - NEAR_MS, Date.now() + NEAR_MS))
    );
  });
  const [only] = odd;
  if (only === undefined || (plan.looked === true && isNow && !isKnown)) return odd;
  throw new StateError(
    `${doing(call)}: ${why}, and ${odd.map(({ id }) => id).join(", ")} says what was asked for, but is dated ` +
      `otherwise than the clock of ${host} says. If it is what was made, take it over with adoptId: "${only.id}"; if it ` +
      `is somebody else's, give it another name until this one is made. Then run pulumi up again.`,
  );
}

function dateOf(object: JsonObject): number | undefined {
  const date = typeof object["created_at"] === "string" ? Date.parse(object["created_at"]) : NaN;
  return Number.isNaN(date) ? undefined : date;
}

function doing({ subject }: Call): string {
  return `${subject.verb} ${naming(subject)}`;
}

function ambiguity(call: Call, candidates: readonly Found[], why: string): StateError {
  const ids = candidates.map(({ id }) => id);
  return new StateError(
    `${doing(call)}: ${why} and several objects fit: ` +
      `${ids.join(", ")}. Delete the ones you do not want, or take one over with adoptId: "${ids[0] ?? ""}", then ` +
      `run pulumi up again.`,
  );
}

/**
 * Brings about what can be told from what stands there now: a person in a list, an export that is paused. Where the
 * answer was lost, that tells whether the request has to be made again.
 *
 * @param showsLate whether what was made is there to be seen only seconds later, and made again by asking again
 */
export async function makeNamed<T>(
  call: Call,
  make: () => Promise<T>,
  look: () => Promise<T | undefined>,
  { showsLate = false } = {},
): Promise<T> {
  const most = showsLate ? MAX_PATIENT_TRIES : MAX_TRIES;
  const pauses = (tries: number) => (showsLate ? pausesUntilRest(Date.now()) : pausesBeforeLooks(tries));
  for (let tries = 1; ; tries++) {
    try {
      return await make();
    } catch (error) {
      const isLost = isAmbiguous(error);
      // What came late of an earlier one can be why it is refused now.
      if (!isLost && (tries === 1 || !isRefused(error))) throw error;
      for (const pause of isLost ? pauses(tries) : [0]) {
        await sleep(pause);
        call.collection.invalidate();
        const made = await look();
        if (made === undefined) continue;
        call.warn(`the answer was lost (${reason(error)}), and what it asked for is there`);
        return made;
      }
      if (!isLost || tries === most) throw error;
    }
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split("\n")[0] ?? cause.name) : String(cause);
}
