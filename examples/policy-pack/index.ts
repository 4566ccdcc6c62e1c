// A policy pack: all policies of pulumi-posthog, with what this company allows. Everything that is not named here is
// refused. Run it with `pulumi preview --policy-pack examples/policy-pack`; a list can also come from a JSON file, by
// `--policy-pack-config`.
import { PolicyPack } from "@pulumi/policy";
import { posthogPolicies } from "pulumi-posthog/policy";

new PolicyPack("posthog", {
  enforcementLevel: "mandatory",
  policies: posthogPolicies({
    owners: { allowed: ["founder@example.com", "break-glass@example.net"] },
    inviteDomains: { domains: ["example.com", "example.net"] },
    singleSignOn: { providers: ["saml", "google-oauth2"] },
    breakGlass: { members: ["break-glass@example.net"] },
    exportDestinations: {
      allow: [
        { type: "S3", regions: ["eu-*"], targets: ["acme-*"] },
        { type: "Snowflake", regions: ["eu-west-1"], targets: ["ab12345.*"] },
      ],
    },
    // The warehouse moves: this one goes on when it is done.
    exportPauses: { until: { "old-lake": "2027-03-31" } },
    dashboardOwner: { teams: ["growth", "data", "platform"], enforcementLevel: "advisory" },
    noDeletion: { stacks: ["production"] },
    importAnnounced: { confirmations: { "amplitude-2019": "https://tickets.example.com/4711" } },
  }),
});
