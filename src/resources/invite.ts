import { z } from "zod";
import { isRefused } from "../client/errors";
import { collectionRemote } from "../engine/requests/collection-remote";
import { definition, defineResource } from "../engine/program/define";
import type { Judgement } from "../engine/definition";
import { email, isSameAddress, level, projectLevel, strictObject, text } from "../engine/values/fields";
import type { JsonObject, Props } from "../engine/values/json";
import type { Call, Found } from "../engine/requests/remote";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { hasExpired, wordOn } from "./invite-expiry";
import { findMember, membersOf } from "./member";
import { moment, user } from "./user";

/** What an invite says, for this resource and for lists of invites. */
export const inviteFields = {
  /** E-mail address of the person; its domain is kept in lower case. A change is another invite. */
  targetEmail: email(),
  /** First name in the message, at most 30 characters. Default: none. */
  firstName: text({ max: 30 }).optional(),
  /** 1 or `member` (default), 8 or `admin`, 15 or `owner`. */
  level: level().optional(),
  /** Text in the message. Default: none. */
  message: text().optional(),
  /** Access to private projects: number of the project and level there (1 or 8). Default: none. */
  privateProjectAccess: z
    .array(
      strictObject({
        /** Number of the project. */
        id: z.int().positive(),
        /** 1 or `member`, 8 or `admin`. */
        level: projectLevel(),
      }),
    )
    .optional(),
  /** Whether the service sends the message. Default: true. */
  sendEmail: z.boolean().optional(),
};

const inputs = {
  /** UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`. A change replaces the invite. */
  organizationId: text({ min: 1 }).optional(),
  ...inviteFields,
  /** Whether an invite that expired unused is sent again. Default: false. A change sends nothing by itself. */
  renewExpired: z.boolean().optional(),
};

const outputs = {
  /** `pending`, `expired` or `accepted`. */
  status: z.enum(["pending", "expired", "accepted"]).optional(),
  /** Whether the service tried to send the message. */
  emailingAttemptMade: z.boolean().optional(),
  /** Whether it can no longer be accepted. */
  isExpired: z.boolean().optional(),
  /** Who sent it. */
  createdBy: user.optional(),
  /** When it was sent. */
  createdAt: moment.optional(),
  /** When it was last changed. */
  updatedAt: moment.optional(),
};

/** The kind `Invite`: the service lists, makes and deletes invites, and changes none. */
export const invite = definition({
  type: "Invite",
  inputs,
  outputs,
  scope: "organization",
  path: "/api/organizations/{organizationId}/invites/",
  keyScope: "organization_member",
  read: "list",
  update: "none",
  replaceOnChanges: ["organizationId", "targetEmail"],
  deleteBeforeReplace: true,
  clears: { firstName: "", level: 1, message: "", privateProjectAccess: [], sendEmail: true },
  writeOnly: ["sendEmail"],
  local: ["renewExpired"],
  fields: {
    targetEmail: {
      // A service may write addresses its own way: that is nobody else's.
      settle: (live, stored) => (isSameAddress(live, stored) ? stored : live),
      parts: (value) => ({ address: typeof value === "string" ? value.toLowerCase() : null }),
    },
  },
  judge,
  remote: {
    create,
    async find(call, id, stored) {
      const found = await collectionRemote.find(call, id, stored);
      if (found) return withStatus(found);
      const joined = await findMember(call, membersPath(call), { email: stored["targetEmail"] });
      return joined && { id, object: ACCEPTED };
    },
    async delete(call, id, stored) {
      if (stored["status"] !== "accepted") await collectionRemote.delete(call, id, stored);
    },
  },
});

const ACCEPTED: JsonObject = { status: "accepted" };

function withStatus(found: Found): Found {
  const status = found.object["is_expired"] === true ? "expired" : "pending";
  return { ...found, object: { ...found.object, status } };
}

function membersPath(call: Call): string {
  return call.path.replace(/invites\/$/, "members/");
}

/** Someone who belongs already needs no message: the invite counts as accepted, under the person's UUID. */
async function create(call: Call, args: Props): Promise<Found> {
  try {
    return withStatus(await collectionRemote.create(call, args));
  } catch (error) {
    if (!isRefused(error)) throw error;
    // Whoever the service says belongs may have joined after the list was read.
    membersOf(call, membersPath(call)).invalidate();
    const joined = await findMember(call, membersPath(call), { email: args["targetEmail"] });
    if (joined === undefined) throw error;
    return { id: joined.id, object: ACCEPTED };
  }
}

/** An accepted invite is past: only another person or organization is a difference. An expired one is named. */
async function judge(stored: Props, wanted: Props, ask: () => Call): Promise<Judgement> {
  if (stored["status"] === "accepted") {
    return {
      ignores: Object.keys(inputs).filter((name) => name !== "targetEmail" && name !== "organizationId"),
    };
  }
  const word = (): Promise<boolean | undefined> => wordOn(ask(), ask().subject.id);
  if (!(await hasExpired({ status: "pending", ...stored }, word))) return {};
  if (wanted["renewExpired"] === true)
    return { replaces: ["renewExpired"], notes: ["expired: it is sent again"] };
  return {
    notes: ["expired unused; set renewExpired: true to send it again, or take it out of the program"],
  };
}

/** Arguments of {@link Invite}. */
export interface InviteArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link Invite}. */
export interface InviteOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * An invitation to an organization, pending, expired or accepted. The service honours it for three days.
 *
 * Once accepted it stays in the state as `accepted` and is never sent again; every other change deletes it and
 * sends a new one. Endpoint: `/api/organizations/:organization_id/invites/`; scope `organization_member:write`.
 *
 * @remarks Every replacement sends the person another message.
 * @remarks Whether somebody joins is up to them: for a person who is to belong, in whichever state, use `TeamMember`.
 * @destroy deleted; an accepted one is past
 *
 * @example
 * new posthog.Invite("margaret", { targetEmail: "margaret@example.com", level: "admin" });
 */
export class Invite extends defineResource<InviteArgs, InviteOutputs>(invite) {}
