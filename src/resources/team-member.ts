import { z } from "zod";
import { isRefused } from "../client/errors";
import { collectionRemote } from "../engine/requests/collection-remote";
import { attempt, earlierAttempts, settleAttempts } from "../engine/once/attempts";
import type { Intent } from "../engine/once/intent";
import { comeToRest } from "../engine/once/interrupted";
import { definition, defineResource } from "../engine/program/define";
import type { Judgement } from "../engine/definition";
import { email, isSameAddress, level, text } from "../engine/values/fields";
import type { JsonObject, Props } from "../engine/values/json";
import { isSame } from "../engine/values/json";
import { numberOf } from "../engine/values/lenient";
import { keeperOf, noteMade, ownerAs } from "../engine/ownership/managed";
import type { Call, Found } from "../engine/requests/remote";
import { names, HIDDEN } from "../engine/state/state";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { hasExpired, wordOn } from "./invite-expiry";
import {
  invitesOf,
  invitesTo,
  keepInvite,
  managedInvite,
  memberAt,
  says,
  statusOf,
  takeBack,
  turnsWithInvites,
} from "./invites";
import { member, membersOf, removeMember } from "./member";
import { moment, user } from "./user";

const inputs = {
  /** UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`. A change replaces. */
  organizationId: text({ min: 1 }).optional(),
  /** E-mail address of the person, in any case. A change is another person: the old one is removed. */
  email: email(),
  /**
   * 1 or `member` (default of an invite), 8 or `admin`, 15 or `owner`. A member's is updated in place, a pending invite
   * is sent anew. Not declared: left as it is. Taken out: `member`.
   */
  level: level().optional(),
  /** First name in the invite, at most 30 characters. Default: none. Counts until the person has joined. */
  firstName: text({ max: 30 }).optional(),
  /** Text in the invite. Default: none. Counts until the person has joined. */
  message: text().optional(),
  /** Whether an invite that expired unused is sent again. Default: false. A change sends nothing by itself. */
  renewExpired: z.boolean().optional(),
};

const outputs = {
  /** `member`, `pending` or `expired` (invited, and never accepted). */
  status: z.enum(["member", "pending", "expired"]).optional(),
  /** UUID of the person, once they have joined. */
  userUuid: z.string().optional(),
  /** The person, once they have joined. */
  user: user.optional(),
  /** When the person joined. */
  joinedAt: moment.optional(),
  /** UUID of the invite, until it is accepted. */
  inviteId: z.string().optional(),
  /** When the invite was sent. */
  createdAt: moment.optional(),
};

/** What an invite says of a person who has not joined, in the service's names. */
const SHOWN = ["level", "first_name", "message", "created_at"];
/** Arguments that only an invite carries. */
const OF_INVITES = ["firstName", "message", "renewExpired"];

/** The kind `TeamMember`: a person of an organization, in whichever state. */
export const teamMember = definition({
  type: "TeamMember",
  inputs,
  outputs,
  scope: "organization",
  path: "/api/organizations/{organizationId}/members/",
  keyScope: "organization_member",
  idField: "user.uuid",
  read: "list",
  replaceOnChanges: ["organizationId", "email"],
  takesOver: true,
  clears: { level: 1, firstName: "", message: "", renewExpired: false },
  writeOnly: ["renewExpired"],
  judge,
  fields: { email: { same: isSameAddress } },
  argumentsOf: (id) => ({ email: id }),
  repeats: { user: ["email", "firstName"] },
  manages: ({ userUuid, inviteId }) => [
    ...(typeof userUuid === "string" ? [{ type: member.type, id: userUuid }] : []),
    ...managedInvite(inviteId),
  ],
  remote: {
    async create(call, args) {
      const address = String(args["email"]);
      return { id: address, object: await bring(call, address, args, { isNew: true }) };
    },
    async find(call, id): Promise<Found | undefined> {
      const { object } = await personAt(call, id);
      return object && { id, object };
    },
    async update(call, id, changed, stored) {
      const declared = names(stored, HIDDEN.declared).map((name) => [name, stored[name]]);
      const kept = Object.fromEntries(declared) as Props; // Object.fromEntries of [string, unknown] pairs
      const wanted = { ...kept, ...changed };
      return await bring(call, id, wanted, { isNew: false, sent: kept });
    },
    async delete(call, id) {
      const person = await personAt(call, id);
      await takeBack(call, person.invites);
      if (person.uuid === undefined) return;
      const other = keeperOf(ownerAs(call, member.type), person.uuid);
      if (other === undefined) await removeMember(call, person.uuid);
      else
        call.warn(`released from the state and still a member, since "${other}" manages the person as well`);
    },
  },
});

interface Person {
  /** UUID of who has joined. */
  uuid: string | undefined;
  level: unknown;
  /** Invites to the address, newest first. */
  invites: JsonObject[];
  /** What the lists say, as one object; undefined of whom neither knows. */
  object: JsonObject | undefined;
}

/** Invites are read before members: who accepts in between is found among the latter. */
async function personAt(call: Call, address: string): Promise<Person> {
  const all = invitesOf(call);
  const invites = await invitesTo(all, address);
  const joined = await memberAt(all, address);
  if (joined !== undefined) {
    const { user: who = null, level: now = null, joined_at = null } = joined.object;
    const object = {
      status: "member",
      level: numberOf(now) ?? now,
      user_uuid: joined.id,
      user: who,
      joined_at,
    };
    return { uuid: joined.id, level: object.level, invites, object };
  }
  const newest = invites[0];
  // What the service does not show is no difference.
  const shown = Object.entries(newest ?? {}).filter(([name]) => SHOWN.includes(name));
  const object = newest && {
    ...Object.fromEntries(shown),
    status: statusOf(newest),
    invite_id: newest["id"] ?? null,
  };
  return { uuid: undefined, level: undefined, invites, object };
}

interface Manner {
  readonly isNew: boolean;
  /** What was declared when the invite was sent. */
  readonly sent?: Props;
  /** Invites that interrupted runs were about to send. */
  readonly earlier?: readonly Intent[];
}

/** Brings the person about, whatever an interrupted run has begun. */
async function bring(call: Call, address: string, wanted: Props, how: Manner): Promise<JsonObject> {
  const earlier = await earlierAttempts(call);
  return await turnsWithInvites(call).shared(async () => {
    const object = await settle(call, address, wanted, { ...how, earlier });
    await settleAttempts(earlier, undefined);
    return object;
  });
}

/** Brings the person, in whichever state they are now, to what is declared. */
async function settle(call: Call, address: string, wanted: Props, how: Manner): Promise<JsonObject> {
  const person = await personAt(call, address);
  if (person.uuid !== undefined) {
    noteMade(ownerAs(call, member.type), person.uuid);
    if (wanted["level"] === undefined || isSame(person.level, wanted["level"])) return person.object ?? {};
    await collectionRemote.update(call, person.uuid, { level: wanted["level"] }, {});
  } else if (isInvited(person, wanted, how)) {
    // Only the newest was judged: an older one is for whoever sent it to take back.
    keepInvite(call, person.invites[0]?.["id"]);
  } else if (await haveComeToRest(call, how.earlier ?? [])) {
    return await settle(call, address, wanted, { ...how, earlier: [] });
  } else {
    await takeBack(call, person.invites);
    try {
      await invite(call, address, wanted);
    } catch (error) {
      if (!isRefused(error)) throw error;
      // The service says that the person belongs: then they joined after the list was read.
      membersOf(call, call.path).invalidate();
      if ((await memberAt(invitesOf(call), address)) === undefined) throw error;
      return await settle(call, address, wanted, how);
    }
  }
  return (await personAt(call, address)).object ?? {};
}

/** Whether an invite is out that will do. A new resource wants one that can be accepted. */
function isInvited({ invites }: Person, wanted: Props, { isNew, sent }: Manner): boolean {
  const renews = isNew || wanted["renewExpired"] === true;
  const [newest] = invites;
  if (newest === undefined || (renews && statusOf(newest) === "expired")) return false;
  // What is not declared is left as it is.
  const { level: now, first_name, message } = newest;
  const declared = { level: now, firstName: first_name, message, ...ofInvite(wanted) };
  return says(newest, declared, sent && ofInvite(sent));
}

function ofInvite(wanted: Props): Props {
  return Object.fromEntries(
    ["level", "firstName", "message"]
      .filter((name) => wanted[name] !== undefined)
      .map((name) => [name, wanted[name]]),
  );
}

/** Whether it took a wait until nothing more comes of these invites: then the person is to be looked at again. */
async function haveComeToRest(call: Call, earlier: readonly Intent[]): Promise<boolean> {
  let hasWaited = false;
  for (const intent of earlier) if (await comeToRest(call, intent)) hasWaited = true;
  if (hasWaited) {
    invitesOf(call).collection.invalidate();
    membersOf(call, call.path).invalidate();
  }
  return hasWaited;
}

async function invite(call: Call, address: string, wanted: Props): Promise<void> {
  const asked = { targetEmail: address, ...ofInvite(wanted) };
  const path = `${call.path}invites/`;
  await attempt(
    call,
    { path, hash: call.seal(JSON.stringify([path, asked])), traits: {}, isWhole: true },
    () => collectionRemote.create(invitesOf(call), asked),
    () => address,
  );
}

/** What only an invite carries is no difference once the person has joined. An expired invite is named. */
async function judge(stored: Props, wanted: Props, ask: () => Call): Promise<Judgement> {
  if (stored["status"] === "member") return { ignores: OF_INVITES };
  if (!(await hasExpired(stored, () => wordOn(invitesOf(ask()), stored["inviteId"])))) return {};
  return wanted["renewExpired"] === true
    ? { resends: ["renewExpired"], plans: ["the invite expired unused: it is sent again"] }
    : {
        notes: [
          "the invite expired unused; set renewExpired: true to send it again, or take it out of the program",
        ],
      };
}

/** Arguments of {@link TeamMember}. */
export interface TeamMemberArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link TeamMember}. */
export interface TeamMemberOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * A person who is to belong to an organization, by e-mail address, in whichever state they are: who has joined is taken
 * over and kept at the level, anyone else is invited.
 *
 * Destroying it removes the person from the organization or takes the invite back; the key's own user and the last owner
 * are released from the state with a warning. Endpoints: `/api/organizations/:organization_id/members/` and `invites/`;
 * scope `organization_member:write`. The id is the e-mail address.
 *
 * @remarks Taking a person out of the program takes away their access; `retainOnDelete` or `pulumi state delete` does not.
 * @destroy invite deleted, or removed as a `Member`
 *
 * @example
 * new posthog.TeamMember("barbara", { email: "barbara@example.com", level: "member" });
 */
export class TeamMember extends defineResource<TeamMemberArgs, TeamMemberOutputs>(teamMember) {}
