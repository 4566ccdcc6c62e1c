import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { PostHogError } from "../client/errors";
import { email, uuid } from "../engine/values/fields";
import { isObject } from "../engine/values/json";
import { invite, type InviteOutputs } from "../resources/invite";
import { member, type MemberOutputs } from "../resources/member";
import {
  dataFunction,
  recordOf,
  type ConnectionArgs,
  type LiftedArgs,
  type RecordOf,
  type ValuesOf,
} from "./data-function";
import { organizationArgs } from "./scope-args";

const {
  organizationId: _organizationId,
  renewExpired: _renew,
  sendEmail: _send,
  ...inviteInputs
} = invite.inputs;
const ownOfInvite = {
  /** UUID of the invite. */
  id: z.string(),
};
const inviteRecord = recordOf({ ...inviteInputs, ...invite.outputs, ...ownOfInvite });

const ownOfMember = {
  /** UUID of the membership. */
  id: z.string(),
};
const memberRecord = recordOf({ level: member.inputs.level, ...member.outputs, ...ownOfMember });

const person = {
  /** UUID of the person. Either this or `email`. */
  userUuid: uuid().optional(),
  /** E-mail address of the person, in any case. Either this or `userUuid`. */
  email: email().optional(),
};
const who = { ...organizationArgs, ...person };

/** An invite as the service lists it: pending or expired. */
export interface InviteResult
  extends
    ValuesOf<Omit<InviteOutputs, "organizationId" | "renewExpired" | "sendEmail">>,
    RecordOf<typeof ownOfInvite> {}
/** A member as the service lists it. */
export interface MemberResult
  extends
    ValuesOf<Omit<MemberOutputs, "organizationId" | "userUuid" | "email">>,
    RecordOf<typeof ownOfMember> {}
/** Arguments of {@link getInvites} and {@link getMembers}. */
export type GetPeopleArgs = z.input<z.ZodObject<typeof organizationArgs>> & ConnectionArgs;
/** Arguments of {@link getMember}. */
export type GetMemberArgs = GetPeopleArgs & z.input<z.ZodObject<typeof person>>;

const MEMBERS = "/api/organizations/{organizationId}/members/";
const SCOPE = "organization_member:read";

const invitesFunction = dataFunction({
  name: "getInvites",
  scope: "organization",
  args: organizationArgs,
  ask: async ({ list }) =>
    (await list("/api/organizations/{organizationId}/invites/", SCOPE)).map((item) => {
      const expired = isObject(item) && item["is_expired"] === true;
      return { ...inviteRecord.parse(item), status: expired ? ("expired" as const) : ("pending" as const) };
    }),
});
const membersFunction = dataFunction({
  name: "getMembers",
  scope: "organization",
  args: organizationArgs,
  ask: async ({ list }) => (await list(MEMBERS, SCOPE)).map((item) => memberRecord.parse(item)),
});
const memberFunction = dataFunction({
  name: "getMember",
  scope: "organization",
  args: who,
  ask: async ({ list }, args) => {
    const members = (await list(MEMBERS, SCOPE)).map((item) => memberRecord.parse(item));
    const wanted = args.email?.toLowerCase();
    const found = members.find(({ user }) =>
      wanted === undefined ? user?.uuid === args.userUuid : user?.email?.toLowerCase() === wanted,
    );
    if (found) return found;
    throw new PostHogError(
      `getMember: ${args.email ?? args.userUuid ?? "nobody (give userUuid or email)"} is not among the ` +
        `${String(members.length)} members of the organization. Invites that are not accepted yet: getInvites.`,
    );
  },
});

/** Every invite that is pending or expired. `GET /api/organizations/:organization_id/invites/` */
export function getInvites(args: GetPeopleArgs = {}): Promise<InviteResult[]> {
  return invitesFunction.call(args);
}
/** {@link getInvites} of arguments that may be outputs. */
export function getInvitesOutput(args: LiftedArgs<GetPeopleArgs> = {}): pulumi.Output<InviteResult[]> {
  return invitesFunction.output(args);
}

/** Everyone in an organization. `GET /api/organizations/:organization_id/members/` */
export function getMembers(args: GetPeopleArgs = {}): Promise<MemberResult[]> {
  return membersFunction.call(args);
}
/** {@link getMembers} of arguments that may be outputs. */
export function getMembersOutput(args: LiftedArgs<GetPeopleArgs> = {}): pulumi.Output<MemberResult[]> {
  return membersFunction.output(args);
}

/** A member by UUID or e-mail address; nobody there is an error. `GET /api/organizations/:organization_id/members/` */
export function getMember(args: GetMemberArgs): Promise<MemberResult> {
  return memberFunction.call(args);
}
/** {@link getMember} of arguments that may be outputs. */
export function getMemberOutput(args: LiftedArgs<GetMemberArgs>): pulumi.Output<MemberResult> {
  return memberFunction.output(args);
}
