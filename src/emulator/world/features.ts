import type { Organization } from "../store/entities";

/** Paid features that change what the endpoints of this emulator do, and some that users know from their plan. */
export const ALL_FEATURES: readonly string[] = [
  "zapier",
  "organizations_projects",
  "project_based_permissioning",
  "social_sso",
  "saml",
  "sso_enforcement",
  "advanced_permissions",
  "tagging",
  "white_labelling",
  "subscriptions",
  "role_based_access",
  "automatic_provisioning",
  "data_pipelines",
  "high-frequency-batch-exports",
];

/** Rolled out by a feature flag rather than a plan, so it is not among the plan's features. */
const FLAGS = new Set(["high-frequency-batch-exports"]);

export function hasFeature(organization: Organization | undefined, feature: string): boolean {
  return organization?.features.includes(feature) ?? false;
}

export function planFeatures(organization: Organization): { key: string; name: string }[] {
  return organization.features
    .filter((key) => !FLAGS.has(key))
    .map((key) => ({ key, name: key.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase()) }));
}
