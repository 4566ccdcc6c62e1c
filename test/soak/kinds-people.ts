import { isObject } from "../../src/engine/values/json";
import type { Args, Kind } from "./kind";
import type { World } from "./world";

const LEVELS = ["member", "admin", "owner"];

export const lower = (value: unknown): string => String(value).toLowerCase();

/** Addresses of a batch of invites. */
export function invited({ invites }: Args): string[] {
  return Array.isArray(invites) ? invites.filter(isObject).map((invite) => lower(invite["targetEmail"])) : [];
}

/** What the service holds of a member, by e-mail address or UUID. */
export function membership(world: World, who: string): Args | undefined {
  const { store } = world.emulator;
  const row = store.memberships.find(({ user_id: id }) => {
    const { email, uuid } = store.users.require(id);
    return email === who || uuid === who;
  });
  return row && { level: row.level };
}

/** Kinds about people. */
export const PEOPLE: Readonly<Record<string, Kind>> = {
  DashboardCollaborator: {
    class: "DashboardCollaborator",
    fixed: ({ n, world }) => ({ userUuid: world.colleague(n) }),
    refers: { to: "closed Dashboard", as: "dashboardId" },
    makes: ({ id }) => [["collaborators", id]],
  },
  Invite: {
    class: "Invite",
    fixed: ({ n }) => ({ targetEmail: `new-${n}@people.example`, level: "admin" }),
    changeable: () => ({ renewExpired: [true, false] }),
    makes: ({ outputs }) => [["invites", lower(outputs["targetEmail"])]],
  },
  InviteBatch: {
    class: "InviteBatch",
    fixed: () => ({}),
    changeable: (n) => {
      const to = (who: string, level: string) => ({ targetEmail: `${who}-${n}@batch.example`, level });
      return {
        invites: [
          [to("ada", "member"), to("grace", "member")],
          [to("grace", "member"), to("joan", "admin"), to("mary", "member")],
          [to("ada", "admin"), { ...to("emmy", "member"), firstName: "Emmy" }],
          Array.from({ length: 23 }, (_, index) => to(`p${index}`, "member")),
        ],
      };
    },
    always: ["invites"],
    makes: ({ outputs }) => invited(outputs).map((email) => ["invites", email] as const),
  },
  "TeamMember who is invited": {
    class: "TeamMember",
    fixed: ({ n }) => ({ email: `team-${n}@people.example` }),
    changeable: () => ({ level: LEVELS, firstName: ["Ada", "Grace"], message: ["welcome"] }),
    makes: ({ outputs }) => [["invites", lower(outputs["email"])]],
    shows: ({ emulator }, id) => {
      const row = emulator.store.invites.find(({ target_email: email }) => email === id);
      return row && { level: row.level, firstName: row.first_name };
    },
  },
  "TeamMember who has joined": {
    class: "TeamMember",
    fixed: ({ n, world }) => ({ email: world.member(n) }),
    changeable: () => ({ level: LEVELS }),
    makes: ({ outputs }) => [["members", lower(outputs["email"])]],
    shows: membership,
  },
  Member: {
    class: "Member",
    fixed: ({ n, world }) => ({ email: world.member(n) }),
    changeable: () => ({ level: LEVELS }),
    always: ["level"],
    makes: ({ outputs }) => [["members", lower(outputs["email"])]],
  },
};
