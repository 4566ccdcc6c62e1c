import type { ArgumentCase, Clearing, Kept, KindCases, Sent } from "./case";

/* People as lists and in whichever state: what both kinds send are invites, and to members what members take. */

const INVITES = "/api/organizations/$organization/invites/";
const inOrganization: ArgumentCase = {
  argument: "organizationId",
  field: "organization_id",
  first: { $world: "organization" },
  second: { $world: "otherOrganization" },
  creation: "path",
  update: "replacement",
  cleared: "replacement",
};
const takeBack: Sent = ["DELETE", "invites/$/"];

function texts(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === "string");
}

const address = (slug: string, which = "one") => `${slug}-${which}@batch.example`;
const bulk = (...invites: readonly object[]): Sent => ["POST", "invites/bulk/", invites];

function entries(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list : [];
}

export const inviteBatch: KindCases = {
  kind: "InviteBatch",
  path: INVITES,
  existing: { why: "it has no id at the service: each invite of it is one" },
  base: (slug) => ({
    invites: [{ targetEmail: address(slug) }, { targetEmail: address(slug, "two") }],
  }),
  marker: "invites",
  markOf: (invites) => entries(invites)[0]?.["targetEmail"],
  creation: /^POST .*\/invites\/bulk\/$/,
  idsOf: ({ outputs }) => texts(entries(outputs["results"]).map(({ inviteId }) => inviteId)),
  marksOf: ({ inputs }) => texts(entries(inputs["invites"]).map(({ targetEmail }) => targetEmail)),
  order: "new first",
  removal: ["DELETE", ""],
  vanished: {
    drift: "invites",
    sends: [bulk({ target_email: address("gone") }, { target_email: address("gone", "two") })],
  },
  arguments: [
    inOrganization,
    {
      argument: "invites",
      field: "0",
      first: [{ targetEmail: address("first") }, { targetEmail: address("second") }],
      second: [{ targetEmail: address("second") }, { targetEmail: address("third"), level: "admin" }],
      sent: [
        { target_email: address("first") },
        [{ targetEmail: address("second") }, { targetEmail: address("third"), level: 8 }],
      ],
      update: [takeBack, bulk({ target_email: address("third"), level: 8 })],
      outside: {
        by: [["DELETE", ""]],
        shown: [{ targetEmail: address("third"), level: 8 }],
        back: [bulk({ target_email: address("second") })],
      },
      cleared: "required",
    },
    {
      argument: "invites",
      label: "what an invite says",
      field: "0",
      first: [{ targetEmail: address("says"), firstName: "Ada", message: "Hello" }],
      second: [{ targetEmail: address("says"), firstName: "Grace", message: "Hello" }],
      sent: [
        { target_email: address("says"), first_name: "Ada", message: "Hello" },
        [{ targetEmail: address("says"), firstName: "Grace", message: "Hello" }],
      ],
      update: [takeBack, bulk({ target_email: address("says"), first_name: "Grace", message: "Hello" })],
      outside: {
        by: { row: { first_name: "Alan" } },
        shown: [{ targetEmail: address("says"), firstName: "Alan", message: "Hello" }],
      },
      cleared: "required",
    },
  ],
};

const email = (slug: string) => `${slug}@team.example`;

/** What an invite says is changed by another one. */
const inInvite = (
  argument: string,
  field: string,
  [first, second, byHand]: readonly [unknown, unknown, unknown],
  { sent = [first, second], cleared }: { sent?: readonly [unknown, unknown]; cleared: unknown },
): ArgumentCase => {
  const again = (value: unknown): readonly Sent[] => [
    takeBack,
    ["POST", "invites/", { target_email: email(argument.toLowerCase()), [field]: value }],
  ];
  const clearing: Clearing = { sends: again(cleared) };
  return {
    argument,
    field,
    first,
    second,
    sent,
    update: again(sent[1]),
    outside: { by: { row: { [field]: byHand } }, shown: byHand },
    cleared: clearing,
  };
};

function idsOf({ outputs }: Kept): string[] {
  return texts([outputs["inviteId"], outputs["userUuid"]]);
}

export const teamMember: KindCases = {
  kind: "TeamMember",
  path: INVITES,
  existing: { why: "test/resources/team-member.test.ts has it" },
  base: (slug) => ({ email: email(slug) }),
  marker: "email",
  idsOf,
  marksOf: ({ id }) => [id],
  order: "new first",
  keepsId: "its id is the address",
  removal: ["DELETE", ""],
  prepare({ emulator }) {
    emulator.addMember({ email: email("joined") });
    return Promise.resolve({});
  },
  arguments: [
    inOrganization,
    {
      argument: "email",
      field: "target_email",
      first: "Email@Team.EXAMPLE",
      second: email("another"),
      sent: ["Email@team.example", email("another")],
      update: "replacement",
      cleared: "required",
    },
    inInvite("level", "level", ["member", "admin", 15], { sent: [1, 8], cleared: 1 }),
    {
      argument: "level",
      label: "level of who has joined",
      field: "level",
      with: { email: email("joined") },
      first: "admin",
      second: "owner",
      sent: [8, 15],
      takenOver: [["PATCH", "members/$/", { level: 8 }]],
      update: [["PATCH", "members/$/", { level: 15 }]],
      cleared: { sends: [["PATCH", "members/$/", { level: 1 }]] },
    },
    inInvite("firstName", "first_name", ["Ada", "Grace", "Alan"], { cleared: "" }),
    inInvite("message", "message", ["Welcome", "Welcome back", "Hello"], { cleared: "" }),
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
