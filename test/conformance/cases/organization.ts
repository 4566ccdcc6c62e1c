import type { KindCases } from "./case";

export const organization: KindCases = {
  kind: "Organization",
  path: "/api/organizations/",
  base: (slug) => ({ name: `Organization of ${slug}` }),
  marker: "name",
  order: "new first",
  removal: ["DELETE", ""],
  existing: {
    made: (name) => ({ name, enforce_2fa: true }),
    equal: (name) => ({ name, enforce2fa: true }),
    differing: { enforce2fa: false },
    named: "enforce2fa: true → false",
    patch: { enforce_2fa: false },
  },
  arguments: [
    {
      argument: "name",
      field: "name",
      first: "Organization of name",
      second: "Organization renamed",
      update: "patch",
      outside: { by: [["PATCH", "", { name: "Renamed by hand" }]], shown: "Renamed by hand" },
      cleared: "required",
    },
    {
      argument: "logoMediaId",
      field: "logo_media_id",
      first: { $world: "media" },
      second: { $world: "otherMedia" },
      update: "patch",
      outside: {
        by: [["PATCH", "", { logo_media_id: { $world: "media" } }]],
        shown: { $world: "media" },
      },
      cleared: { to: null },
    },
    {
      argument: "isMemberJoinEmailEnabled",
      field: "is_member_join_email_enabled",
      first: true,
      second: false,
      update: "patch",
      outside: { by: [["PATCH", "", { is_member_join_email_enabled: true }]], shown: true },
      cleared: { to: true },
    },
    {
      argument: "enforce2fa",
      field: "enforce_2fa",
      first: false,
      second: true,
      update: "patch",
      outside: { by: [["PATCH", "", { enforce_2fa: false }]], shown: false },
      cleared: { to: null },
    },
  ],
};
