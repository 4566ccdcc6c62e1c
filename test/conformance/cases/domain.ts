import type { ArgumentCase, KindCases } from "./case";

const saml = (argument: string, field: string, values: readonly [string, string, string]): ArgumentCase => ({
  argument,
  field,
  first: values[0],
  second: values[1],
  update: "patch",
  outside: { by: [["PATCH", "", { [field]: values[2] }]], shown: values[2] },
  cleared: { to: "" },
});

export const domain: KindCases = {
  kind: "Domain",
  path: "/api/organizations/$organization/domains/",
  base: (slug) => ({ domain: `${slug}.conformance.example` }),
  marker: "domain",
  order: "old first",
  removal: ["DELETE", ""],
  existing: {
    made: (name) => ({ domain: `${name.toLowerCase()}.adopted.example`, saml_entity_id: "urn:there" }),
    equal: (name) => ({ domain: `${name.toLowerCase()}.adopted.example`, samlEntityId: "urn:there" }),
    differing: { samlEntityId: "urn:ours" },
    named: 'samlEntityId: "urn:there" → "urn:ours"',
    patch: { saml_entity_id: "urn:ours" },
    shown: (name) => ({ dnsRecordName: `_posthog-challenge.${name.toLowerCase()}.adopted.example` }),
  },
  arguments: [
    {
      argument: "organizationId",
      field: "organization_id",
      first: { $world: "organization" },
      second: { $world: "otherOrganization" },
      creation: "path",
      update: "replacement",
      cleared: "replacement",
    },
    {
      argument: "domain",
      field: "domain",
      first: "domain.conformance.example",
      second: "moved.conformance.example",
      update: "replacement",
      cleared: "required",
    },
    // Both are verified from outside as soon as they exist: before that, the service refuses these arguments.
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
    saml("samlEntityId", "saml_entity_id", ["urn:one", "urn:two", "urn:by-hand"]),
    saml("samlAcsUrl", "saml_acs_url", [
      "https://one.example/acs",
      "https://two.example/acs",
      "https://hand.example/acs",
    ]),
    saml("samlX509Cert", "saml_x509_cert", ["MIIOne", "MIITwo", "MIIByHand"]),
  ],
};
