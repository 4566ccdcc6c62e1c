import { isObject } from "../../src/engine/json";
import type { Args, Kind, Managed } from "./kind";
import type { World } from "./world";

const LEVELS = ["member", "admin", "owner"];

const lower = (value: unknown): string => String(value).toLowerCase();

function invited({ outputs }: Managed): string[] {
  const { invites } = outputs;
  return Array.isArray(invites) ? invites.filter(isObject).map((invite) => lower(invite["targetEmail"])) : [];
}

function membership(world: World, email: string): Args | undefined {
  const { store } = world.emulator;
  const row = store.memberships.find(({ user_id: user }) => store.users.require(user).email === email);
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
    makes: (resource) => invited(resource).map((email) => ["invites", email] as const),
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
