import type { ArgumentCase, KindCases, WorldValue } from "./case";

/** An invite is never changed: whatever differs, it is taken back and another one is sent. */
const inInvite = (argument: string, field: string, values: readonly [unknown, unknown]): ArgumentCase => ({
  argument,
  field,
  first: values[0],
  second: values[1],
  update: "replacement",
  cleared: "replacement",
});

export const invite: KindCases = {
  kind: "Invite",
  path: "/api/organizations/$organization/invites/",
  base: (slug) => ({ targetEmail: `${slug}@invites.example` }),
  marker: "targetEmail",
  order: "old first",
  removal: ["DELETE", ""],
  existing: {
    made: (name) => ({ target_email: `${name.toLowerCase()}@adopted.example`, level: 8 }),
    equal: (name) => ({ targetEmail: `${name.toLowerCase()}@adopted.example`, level: "admin" }),
    differing: { level: "member" },
    named: "level cannot be changed in place and differs. Write what is there (level: 8)",
    shown: (name) => ({ targetEmail: `${name.toLowerCase()}@adopted.example`, level: 8, status: "pending" }),
  },
  arguments: [
    {
      ...inInvite("organizationId", "organization_id", [
        { $world: "organization" },
        { $world: "otherOrganization" },
      ]),
      creation: "path",
    },
    {
      argument: "targetEmail",
      field: "target_email",
      first: "Email@Invites.EXAMPLE",
      second: "another@invites.example",
      sent: ["Email@invites.example", "another@invites.example"],
      update: "replacement",
      cleared: "required",
    },
    {
      ...inInvite("firstName", "first_name", ["Ada", "Grace"]),
      outside: { by: { row: { first_name: "Alan" } }, shown: "Alan" },
    },
    {
      ...inInvite("level", "level", ["member", "admin"]),
      sent: [1, 8],
      outside: { by: { row: { level: 15 } }, shown: 15 },
    },
    {
      ...inInvite("message", "message", ["Welcome", "Welcome back"]),
      outside: { by: { row: { message: null } }, shown: null },
    },
    {
      ...inInvite("privateProjectAccess", "private_project_access", [
        [{ id: { $world: "projectNumber" }, level: 1 }],
        [{ id: { $world: "projectNumber" }, level: 8 }],
      ]),
      outside: { by: { row: { private_project_access: null } }, shown: null },
    },
    inInvite("sendEmail", "send_email", [true, false]),
    {
      argument: "renewExpired",
      field: "renew_expired",
      first: false,
      second: true,
      creation: "unsent",
      update: "nothing",
      cleared: "nothing",
    },
  ],
};

/** People that have to belong before a Member can take them over: by slug, in which organizations. */
const joined: readonly (readonly [slug: string, organization: string])[] = [
  ["organizationid", "organization"],
  ["organizationid", "otherOrganization"],
  ["email", "organization"],
  ["another", "organization"],
  ["level", "organization"],
  ["first", "organization"],
  ["second", "organization"],
  ["gone", "organization"],
  ["gonebeforedestroy", "organization"],
];

/** Nobody is made a member from outside: some of those who have joined. */
function joinedAs(name: string): WorldValue {
  const slug = { Imported: "second", Differing: "level" }[name] ?? "first";
  return { $world: `${slug}@members.example` };
}

export const member: KindCases = {
  kind: "Member",
  path: "/api/organizations/$organization/members/",
  base: (slug) => ({ email: `${slug}@members.example`, level: "member" }),
  marker: "email",
  creation: { why: "nobody is made a member from outside: who has joined is taken over" },
  order: "new first",
  keepsId: "its id is the person's",
  removal: ["DELETE", ""],
  vanished: "taken over",
  existing: {
    made: joinedAs,
    equal: (name) => ({ userUuid: joinedAs(name), level: "member" }),
    differing: { level: "admin" },
    named: "level: 1 → 8",
    patch: { level: 8 },
    shown: () => ({ level: 1, user: { email: "first@members.example" } }),
  },
  prepare({ emulator, values }) {
    const people = joined.map(([slug, where]) => {
      const email = `${slug}@members.example`;
      const { user } = emulator.addMember({ email, organizationId: String(values[where]) });
      return [email, user.uuid];
    });
    return Promise.resolve(Object.fromEntries(people));
  },
  arguments: [
    {
      argument: "organizationId",
      field: "organization_id",
      first: { $world: "organization" },
      second: { $world: "otherOrganization" },
      takenOver: [],
      update: "replacement",
      cleared: "replacement",
    },
    {
      argument: "email",
      field: "email",
      first: "Email@members.example",
      second: "another@members.example",
      takenOver: [],
      update: "replacement",
      cleared: "required",
    },
    {
      argument: "userUuid",
      field: "user_uuid",
      with: { email: undefined },
      first: { $world: "first@members.example" },
      second: { $world: "second@members.example" },
      takenOver: [],
      update: "replacement",
      cleared: "required",
    },
    {
      argument: "level",
      field: "level",
      first: "admin",
      second: "owner",
      sent: [8, 15],
      takenOver: [["PATCH", "", { level: 8 }]],
      update: "patch",
      outside: { by: [["PATCH", "", { level: 1 }]], shown: 1 },
      cleared: "required",
    },
  ],
};
