import type { KindCases } from "./case";

const domainOf = (slug: string) => `domain of ${slug}`;

export const domainVerification: KindCases = {
  kind: "DomainVerification",
  path: "/api/organizations/$organization/domains/",
  existing: { why: "test/resources/domain-verification.test.ts has it" },
  base: (slug) => ({ domainId: { $world: domainOf(slug) } }),
  marker: "domainId",
  creation: /^POST .*\/domains\/[^/]+\/verify\/$/,
  order: "new first",
  // Nobody can take a proof back by a request; the service's support can.
  removal: { row: { verified_at: null } },
  destroyed: { why: "what was proven stays proven: the domain is the Domain's to delete" },
  async prepare({ emulator, made, values }, slugs) {
    const { organization, otherOrganization } = values;
    const places = [
      ...[...slugs, "another", "the way back"].map((slug) => [slug, organization] as const),
      ["the other organization", otherOrganization] as const,
    ];
    const known: Record<string, string> = {};
    for (const [name, where] of places) {
      const domain = `${name.replaceAll(" ", "-")}.verification.example`;
      const { id, verification_challenge: proof } = await made(
        `/api/organizations/${String(where)}/domains/`,
        { domain },
      );
      emulator.setDns(`_posthog-challenge.${domain}`, String(proof));
      known[domainOf(name)] = String(id);
    }
    return known;
  },
  arguments: [
    {
      argument: "organizationId",
      field: "organization_id",
      first: { $world: "organization" },
      second: { $world: "otherOrganization" },
      along: [
        {},
        { domainId: { $world: domainOf("the other organization") } },
        { domainId: { $world: domainOf("the way back") } },
      ],
      creation: "path",
      update: "replacement",
      cleared: "replacement",
    },
    {
      argument: "domainId",
      field: "domain_id",
      first: { $world: domainOf("domainid") },
      second: { $world: domainOf("another") },
      creation: "path",
      update: "replacement",
      cleared: "required",
    },
    {
      argument: "timeoutSeconds",
      field: "timeout_seconds",
      first: 30,
      second: 60,
      creation: "unsent",
      update: "nothing",
      cleared: "nothing",
    },
    {
      argument: "jitProvisioningEnabled",
      field: "jit_provisioning_enabled",
      first: false,
      second: true,
      creation: "unsent",
      update: "patch",
      outside: { by: [["PATCH", "", { jit_provisioning_enabled: false }]], shown: false },
      cleared: { to: false },
    },
    {
      argument: "ssoEnforcement",
      field: "sso_enforcement",
      first: "",
      second: "google-oauth2",
      creation: "unsent",
      update: "patch",
      outside: { by: [["PATCH", "", { sso_enforcement: "github" }]], shown: "github" },
      cleared: { to: "" },
    },
  ],
};
