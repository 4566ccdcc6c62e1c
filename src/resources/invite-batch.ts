import { randomUUID } from "node:crypto";
import { z } from "zod";
import { earlierAttempts } from "../engine/once/attempts";
import { definition, defineResource } from "../engine/program/define";
import type { Judgement, Problem } from "../engine/definition";
import { plainObject, strictObject, text } from "../engine/values/fields";
import { isObject, isSame, toJson, type Json, type JsonObject, type Props } from "../engine/values/json";
import { wireName } from "../engine/values/names";
import type { Call, Found } from "../engine/requests/remote";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { encodeValue } from "../engine/values/wire";
import { refuseLookup } from "./actions";
import { inviteFields } from "./invite";
import { hasExpired, wordOn } from "./invite-expiry";
import { bring, entriesOf, isFor, MOST_AT_ONCE, unsend } from "./invite-sending";
import {
  addressOf,
  invitesOf,
  invitesTo,
  keepInvite,
  managedInvite,
  memberAt,
  says,
  statusOf,
  turnsWithInvites,
} from "./invites";
import { moment } from "./user";

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
  takesOver: true,
  clears: {},
  manages: ({ results }) => entriesOf(results).flatMap(({ inviteId }) => managedInvite(inviteId)),
  fields: { invites: { same: (stored, wanted) => isSame(inOrder(stored), inOrder(wanted)) } },
  repeats: { results: ["invites"] },
  refine,
  judge,
  remote: {
    async create(call, args) {
      // What an interrupted run has begun keeps its id.
      const known = (await earlierAttempts(call)).find(({ id: made }) => made !== undefined);
      const id = known?.id ?? randomUUID();
      const wanted = entriesOf(args["invites"]);
      return await turnsWithInvites(call).alone(0, async () => {
        const rest = await bring(call, id, wanted, {}, MOST_AT_ONCE);
        return { id, object: await kept(call, wanted), rest: rest > 0 ? { invites: args["invites"] } : {} };
      });
    },
    async find(call, id, stored): Promise<Found> {
      refuseLookup(stored, "invites", "InviteBatch");
      return { id, object: await seen(call, entriesOf(stored["invites"])) };
    },
    async update(call, id, changed, stored) {
      const wanted = entriesOf(changed["invites"]);
      return await turnsWithInvites(call).alone(0, async () => {
        await bring(call, id, wanted, stored, Infinity);
        return await kept(call, wanted);
      });
    },
    delete: (call, _id, stored) => unsend(call, stored),
  },
});

function inOrder(value: unknown): Props[] {
  const key = ({ targetEmail }: Props): string => addressOf(targetEmail);
  return entriesOf(value).sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
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
async function judge(stored: Props, wanted: Props, ask: () => Call): Promise<Judgement> {
  const results = entriesOf(stored["results"]);
  const expired: Props[] = [];
  for (const one of entriesOf(wanted["invites"])) {
    const known = results.find((other) => isFor(one, other)) ?? {};
    if (await hasExpired(known, () => wordOn(invitesOf(ask()), known["inviteId"]))) expired.push(one);
  }
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

interface Seen extends JsonObject {
  readonly invites: Json[];
  readonly results: JsonObject[];
}

/** The declared invites as they are now, in the service's names; those that are gone are left out. */
async function seen(call: Call, declared: readonly Props[]): Promise<Seen> {
  const invites = invitesOf(call);
  const list: Json[] = [];
  const results: JsonObject[] = [];
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

/** The same after they were brought about: whatever another resource takes back in this run, these stay. */
async function kept(call: Call, declared: readonly Props[]): Promise<JsonObject> {
  const object = await seen(call, declared);
  for (const { invite_id: id } of object.results) keepInvite(call, id);
  return object;
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
 * @remarks Another invite to the same address that says something else is somebody else's, and stays.
 * @remarks Who has joined is not removed by being taken out of the list: that is what `Member` and `Team` are for.
 * @destroy what is pending is deleted
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
