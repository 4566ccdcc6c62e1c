import { randomUUID } from "node:crypto";
import { z } from "zod";
import { isAmbiguous, ValidationError } from "../client/errors";
import { definition, defineResource } from "../engine/define";
import type { Judgement, Problem } from "../engine/definition";
import { plainObject, strictObject, text } from "../engine/fields";
import { isObject, isSame, toJson, type Json, type JsonObject, type Props } from "../engine/json";
import { wireName } from "../engine/names";
import type { Call, Found } from "../engine/remote";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/types";
import { encodeArguments, encodeValue } from "../engine/wire";
import { refuseLookup } from "./actions";
import { invite, inviteFields } from "./invite";
import { addressOf, invitesOf, invitesTo, isExpiredBy, memberAt, says, statusOf, takeBack } from "./invites";
import { membersOf } from "./member";
import { moment } from "./user";

/** As many as the service takes in one call. */
const MOST_AT_ONCE = 20;

const entry = strictObject({
  ...inviteFields,
  /** Whether an invite that expired unused is sent again. Default: false. */
  renewExpired: z.boolean().optional(),
});

const inputs = {
  /** UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`. A change replaces the batch. */
  organizationId: text({ min: 1 }).optional(),
  /**
   * Who is invited, each address once, in any order. What is added is sent, what is taken out is taken back, what is
   * changed is taken back and sent anew; the others, and who has joined, are left alone.
   */
  invites: z.array(entry),
};

const result = plainObject({
  /** E-mail address of the person. */
  targetEmail: z.string().optional(),
  /** `pending`, `expired` or `accepted`. */
  status: z.enum(["pending", "expired", "accepted"]).optional(),
  /** UUID of the invite, unless it was accepted. */
  inviteId: z.string().optional(),
  /** When it was sent. */
  createdAt: moment.optional(),
});

const outputs = {
  /** What has become of each invite. */
  results: z.array(result).optional(),
};

/** The kind `InviteBatch`: invites of an organization as one list. */
export const inviteBatch = definition({
  type: "InviteBatch",
  inputs,
  outputs,
  scope: "organization",
  path: "/api/organizations/{organizationId}/invites/",
  keyScope: "organization_member",
  read: "list",
  replaceOnChanges: ["organizationId"],
  clears: {},
  fields: { invites: { same: (stored, wanted) => isSame(inOrder(stored), inOrder(wanted)) } },
  refine,
  judge: (stored, wanted) => judge(stored, wanted, Date.now()),
  remote: {
    async create(call, args) {
      const wanted = entriesOf(args["invites"]);
      const open = await openOnes(invitesOf(call), wanted, []);
      await sendAll(call, open.slice(0, MOST_AT_ONCE));
      const rest = open.length > MOST_AT_ONCE ? { invites: args["invites"] } : {};
      return { id: randomUUID(), object: await seen(call, wanted), rest };
    },
    async find(call, id, stored): Promise<Found> {
      refuseLookup(stored, "invites", "InviteBatch");
      return { id, object: await seen(call, entriesOf(stored["invites"])) };
    },
    async update(call, _id, changed, stored) {
      const wanted = entriesOf(changed["invites"]);
      const before = entriesOf(stored["invites"]);
      const invites = invitesOf(call);
      const left = before.filter((old) => !wanted.some((one) => isFor(one, old)));
      for (const old of left) await takeBack(invites, await invitesTo(invites, old["targetEmail"]));
      await sendAll(call, await openOnes(invites, wanted, before));
      return await seen(call, wanted);
    },
    async delete(call, _id, stored) {
      const invites = invitesOf(call);
      for (const old of entriesOf(stored["invites"]))
        await takeBack(invites, await invitesTo(invites, old["targetEmail"]));
    },
  },
});

function entriesOf(value: unknown): Props[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function inOrder(value: unknown): Props[] {
  const key = ({ targetEmail }: Props): string => addressOf(targetEmail);
  return entriesOf(value).sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

function isFor(one: Props, other: Props): boolean {
  return addressOf(one["targetEmail"]) === addressOf(other["targetEmail"]);
}

function refine(args: Props): Problem[] {
  const addresses = entriesOf(args["invites"]).map(({ targetEmail }) => addressOf(targetEmail));
  const twice = addresses.filter((address, index) => addresses.indexOf(address) < index);
  const problems = twice.map((address) => ({ argument: "invites", reason: `has ${address} more than once` }));
  if (args["adoptId"] !== undefined) {
    problems.push({
      argument: "adoptId",
      reason: "is not needed: invites that are pending and say the same are taken over",
    });
  }
  return problems;
}

/** Expired invites are named, and sent again where that was asked for. */
function judge(stored: Props, wanted: Props, now: number): Judgement {
  const results = entriesOf(stored["results"]);
  const expired = entriesOf(wanted["invites"]).filter((one) => {
    const known = results.find((other) => isFor(one, other));
    return isExpiredBy(now, known?.["status"], known?.["createdAt"]);
  });
  const list = (some: Props[]): string => some.map(({ targetEmail }) => String(targetEmail)).join(", ");
  const again = expired.filter((one) => one["renewExpired"] === true);
  const left = expired.filter((one) => one["renewExpired"] !== true);
  return {
    ...(again.length > 0
      ? { resends: ["invites"], plans: [`expired unused and sent again: ${list(again)}`] }
      : {}),
    ...(left.length > 0
      ? { notes: [`expired unused: ${list(left)}; set renewExpired: true to send them again`] }
      : {}),
  };
}

/**
 * The invites that are still to be sent. One that is pending and says the same is taken over, whoever made it: after a
 * failure half way nobody gets a second message. One of ours that says something else is taken back first.
 */
async function openOnes(invites: Call, wanted: readonly Props[], before: readonly Props[]): Promise<Props[]> {
  const open: Props[] = [];
  for (const one of wanted) {
    const old = before.find((other) => isFor(one, other));
    const live = await invitesTo(invites, one["targetEmail"]);
    const messageChanged = old !== undefined && (old["sendEmail"] ?? true) !== (one["sendEmail"] ?? true);
    const isDone = live.some(
      (other) =>
        says(other, one) &&
        !messageChanged &&
        !(statusOf(other) === "expired" && (one["renewExpired"] === true || old === undefined)),
    );
    if (isDone || (await memberAt(invites, one["targetEmail"])) !== undefined) continue;
    if (old !== undefined) await takeBack(invites, live);
    open.push(one);
  }
  return open;
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
  let open = entries;
  for (let blindTries = 3; open.length > 0;) {
    const body = open.map(({ renewExpired: _, ...one }) => encodeArguments(invite, one));
    try {
      await call.client.post(`${invites.path}bulk/`, call.writing(body));
      return;
    } catch (error) {
      const lost = isAmbiguous(error);
      if (!lost && !ValidationError.isInstance(error)) throw error;
      invites.collection.invalidate();
      membersOf(invites, invites.path.replace(/invites\/$/, "members/")).invalidate();
      const left = await openOnes(invites, open, []);
      if (left.length === open.length && !(lost && blindTries-- > 0)) throw error;
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

/** The declared invites as they are now, in the service's names; those that are gone are left out. */
async function seen(call: Call, declared: readonly Props[]): Promise<JsonObject> {
  const invites = invitesOf(call);
  const list: Json[] = [];
  const results: Json[] = [];
  for (const one of declared) {
    const asked = encodeValue(entry, one);
    const target_email = toJson(one["targetEmail"]);
    const live = await invitesTo(invites, target_email);
    const newest = live.find((other) => says(other, one)) ?? live[0];
    if (newest !== undefined) {
      list.push(withLive(asked, newest));
      const { id = null, created_at = null } = newest;
      results.push({ target_email, status: statusOf(newest), invite_id: id, created_at });
    } else if ((await memberAt(invites, target_email)) !== undefined) {
      list.push(asked);
      results.push({ target_email, status: "accepted" });
    }
  }
  return { invites: list, results };
}

/** What was declared of an invite with its live values; what was not declared is left alone. */
function withLive(asked: Json, live: JsonObject): JsonObject {
  const fields = isObject(asked) ? Object.entries(asked) : [];
  const kept = ["target_email", "send_email", wireName("renewExpired")];
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      kept.includes(name) || !(name in live) ? toJson(value) : (live[name] ?? null),
    ]),
  );
}

/** Arguments of {@link InviteBatch}. */
export interface InviteBatchArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link InviteBatch}. */
export interface InviteBatchOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * The invitations of many people as one list, sent at most 20 a call. Who has joined is left alone; destroying it takes
 * back what is still pending.
 *
 * An invite that is pending already and says the same is taken over without another message. Endpoint:
 * `POST /api/organizations/:organization_id/invites/bulk/`; scope `organization_member:write`.
 *
 * @remarks Who has joined is not removed by being taken out of the list: that is what `Member` and `Team` are for.
 *
 * @example
 * new posthog.InviteBatch("analysts", {
 *   invites: [
 *     { targetEmail: "tim@example.com", level: "member" },
 *     { targetEmail: "radia@example.com", level: "admin" },
 *   ],
 * });
 */
export class InviteBatch extends defineResource<InviteBatchArgs, InviteBatchOutputs>(inviteBatch) {}
