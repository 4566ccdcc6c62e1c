import { setTimeout as sleep } from "node:timers/promises";
import { isAmbiguous, isRefused } from "../client/errors";
import { attempt, earlierAttempts, settleAttempts } from "../engine/once/attempts";
import type { Intent } from "../engine/once/intent";
import { comeToRest } from "../engine/once/interrupted";
import { isObject, textAt, toJsonObject, type JsonObject, type Props } from "../engine/values/json";
import { managedIds } from "../engine/ownership/managed";
import type { Call } from "../engine/requests/remote";
import { pausesBeforeAnother } from "../engine/once/pauses";
import { isSince } from "../engine/once/settle";
import { encodeArguments } from "../engine/values/wire";
import { invite } from "./invite";
import { addressOf, invitesOf, invitesTo, keepInvite, memberAt, says, statusOf, takeBack } from "./invites";
import { membersOf } from "./member";

/** As many as the service takes in one call. */
export const MOST_AT_ONCE = 20;
/** Calls of which nothing is to be seen and no answer came, before it is left to the next run. */
const MOST_BLIND_TRIES = 3;

/** In an entry of which the state knows nothing, but which an interrupted run has sent: the invite's id. */
const SENT = "__sent";
/** In an entry of the state: ids of the invites that are known to be the batch's. */
const KNOWN = "__known";

/** A list of invites, as arguments or the state have it. */
export function entriesOf(value: unknown): Props[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Whether two entries are for the same address. */
export function isFor(one: Props, other: Props): boolean {
  return addressOf(one["targetEmail"]) === addressOf(other["targetEmail"]);
}

/**
 * The invites that are still to be sent. One that is pending and says the same is taken over, whoever made it: after a
 * failure half way nobody gets a second message. One of ours that says something else is taken back first.
 */
async function openOnes(call: Call, wanted: readonly Props[], before: readonly Props[]): Promise<Props[]> {
  const invites = invitesOf(call);
  const open: Props[] = [];
  for (const one of wanted) {
    const old = before.find((other) => isFor(one, other));
    const live = await invitesTo(invites, one["targetEmail"]);
    const messageChanged = old !== undefined && (old["sendEmail"] ?? true) !== (one["sendEmail"] ?? true);
    const doing = live.filter(
      (other) =>
        says(other, one, old) &&
        !messageChanged &&
        !(statusOf(other) === "expired" && (one["renewExpired"] === true || old === undefined)),
    );
    for (const other of doing) keepInvite(call, other["id"]);
    if (doing.length > 0 || (await memberAt(invites, one["targetEmail"])) !== undefined) continue;
    if (old !== undefined) await takeBack(call, oursOf(old, live));
    open.push(one);
  }
  return open;
}

/**
 * Takes back what is no longer wanted and sends what is missing, at most so many; the number of those that are left.
 * What an interrupted run has sent for the same batch counts as ours.
 */
export async function bring(
  call: Call,
  id: string,
  wanted: readonly Props[],
  stored: Props,
  most: number,
): Promise<number> {
  const earlier = await earlierAttempts(call);
  const before = (await entriesBefore(call, stored, earlier)).map((one) =>
    SENT in one ? { ...wanted.find((other) => isFor(one, other)), ...one } : one,
  );
  await takeBackAll(
    call,
    before.filter((old) => !wanted.some((one) => isFor(one, old))),
  );
  const open = await openOnes(call, wanted, before);
  const now = open.slice(0, most);
  if (now.length > 0) {
    const traits = Object.fromEntries(
      now.map((one) => [addressSeal(call, one), invitationSeal(call, asked(one))]),
    );
    const hash = call.seal(JSON.stringify([bulkPath(call), traits]));
    await attempt(
      call,
      { path: bulkPath(call), hash, traits },
      () => sendAll(call, now),
      () => id,
    );
  }
  await settleAttempts(earlier, id);
  return open.length - now.length;
}

/** Takes back what the batch has sent, by its state or by an interrupted run. */
export async function unsend(call: Call, stored: Props): Promise<void> {
  const earlier = await earlierAttempts(call);
  await takeBackAll(call, await entriesBefore(call, stored, earlier));
  await settleAttempts(earlier, undefined);
}

async function takeBackAll(call: Call, entries: readonly Props[]): Promise<void> {
  const invites = invitesOf(call);
  for (const old of entries) await takeBack(call, oursOf(old, await invitesTo(invites, old["targetEmail"])));
}

/** The entries of the state and of interrupted runs, each with what tells which invites are the batch's. */
async function entriesBefore(call: Call, stored: Props, earlier: readonly Intent[]): Promise<Props[]> {
  const sent = await sentBy(call, earlier);
  const results = entriesOf(stored["results"]);
  const inState = entriesOf(stored["invites"]).map((one) => ({
    ...one,
    [KNOWN]: [
      ...results.filter((other) => isFor(one, other)).map(({ inviteId }) => inviteId),
      ...sent.filter((other) => isFor(one, other)).map(({ [SENT]: known }) => known),
    ],
  }));
  return [...inState, ...sent.filter((one) => !inState.some((old) => isFor(one, old)))];
}

function bulkPath(call: Call): string {
  return `${invitesOf(call).path}bulk/`;
}

/** What an invitation says, in the service's names. */
function asked(one: Props): JsonObject {
  const { renewExpired: _, ...rest } = one;
  return encodeArguments(invite, rest);
}

function addressSeal(call: Call, one: Props): string {
  return call.seal(addressOf(one["targetEmail"] ?? one["target_email"]));
}

function invitationSeal(call: Call, said: JsonObject): string {
  const { first_name = "", level = 1, message = "", private_project_access: access = [] } = said;
  return call.seal(JSON.stringify([first_name, level, message ?? "", access ?? []]));
}

/** Invites that exist and that earlier attempts sent; what is missing may still be about to come. */
async function sentBy(call: Call, earlier: readonly Intent[]): Promise<Props[]> {
  const sent = await sentUntilNow(call, earlier);
  const addresses = new Set(sent.map((one) => addressSeal(call, one)));
  let hasWaited = false;
  for (const intent of earlier) {
    if (Object.keys(intent.plan.traits).every((address) => addresses.has(address))) continue;
    if (await comeToRest(call, intent)) hasWaited = true;
  }
  return hasWaited ? await sentUntilNow(call, earlier) : sent;
}

/** Those to such an address, saying that, since then, nobody else's. */
async function sentUntilNow(call: Call, earlier: readonly Intent[]): Promise<Props[]> {
  if (earlier.length === 0) return [];
  const invites = invitesOf(call);
  invites.collection.invalidate();
  const others = managedIds(invite.type, call.client.host);
  const live = (await invites.collection.all(invites.reading)).filter(isObject).map(toJsonObject);
  return live
    .filter((object) => {
      const id = textAt(object, "id");
      return (
        !others.has(id) &&
        earlier.some(
          (intent) =>
            intent.plan.traits[addressSeal(call, object)] === invitationSeal(call, object) &&
            isSince(invites, object, id, intent),
        )
      );
    })
    .map((object) => ({ targetEmail: object["target_email"], [SENT]: object["id"] }));
}

/**
 * Of the invites to an address those that are ours: what is known to be, and what says what the batch said, for an
 * answer that was lost may have left two. One that says something else is somebody else's.
 */
function oursOf(old: Props, live: readonly JsonObject[]): readonly JsonObject[] {
  const known = old[KNOWN];
  return live.filter((one) =>
    Array.isArray(known) ? known.includes(one["id"]) || says(one, old, old) : one["id"] === old[SENT],
  );
}

async function sendAll(call: Call, entries: readonly Props[]): Promise<void> {
  for (let index = 0; index < entries.length; index += MOST_AT_ONCE) {
    await send(call, entries.slice(index, index + MOST_AT_ONCE));
  }
}

/**
 * The service stores one invite after the other and stops at the first that it refuses, for someone who has joined
 * meanwhile for example; and an answer can be lost. The list then tells which are still to be sent.
 */
async function send(call: Call, entries: readonly Props[]): Promise<void> {
  const invites = invitesOf(call);
  const members = membersOf(invites, invites.path.replace(/invites\/$/, "members/"));
  let open = entries;
  for (let tries = 1; open.length > 0; tries++) {
    try {
      await call.client.post(bulkPath(call), call.writing(open.map(asked)));
      return;
    } catch (error) {
      const lost = isAmbiguous(error);
      if (!lost && !isRefused(error)) throw error;
      let left = open;
      for (const pause of lost ? pausesBeforeAnother(tries, error, Date.now()) : [0]) {
        await sleep(pause);
        invites.collection.invalidate();
        members.invalidate();
        left = await openOnes(call, open, []);
        if (left.length === 0) break;
      }
      if (left.length === open.length && !(lost && tries <= MOST_BLIND_TRIES)) throw error;
      if (left.length < open.length)
        call.warn(
          `${String(open.length - left.length)} of ${String(open.length)} invites are there although the call failed`,
        );
      open = left;
    } finally {
      invites.collection.invalidate();
    }
  }
}
