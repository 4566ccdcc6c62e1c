// @ts-check
import { MADE, code, nested, table } from "./markdown.mjs";

/** @typedef {import("./declarations.mjs").Declarations} Declarations */
/** @typedef {import("./declarations.mjs").Member} Member */
/** @typedef {typeof import("../../src/policy/index.js").posthogPolicies} PostHogPolicies */
/** @typedef {ReturnType<PostHogPolicies>[number]} Policy */

/** What every policy takes is said once, in the how-to. */
const COMMON = ["enforcementLevel", "except"];

/**
 * What each policy says of itself, and its settings as editors show them.
 *
 * @param {Declarations} declarations of `pulumi-posthog/policy`
 * @param {PostHogPolicies} posthogPolicies
 */
export function policiesPage(declarations, posthogPolicies) {
  return [
    MADE,
    "",
    "# Policies",
    "",
    "What each policy of `pulumi-posthog/policy` asks, why, and how to comply; a preview says the same where a policy " +
      "is violated. [Guard it by policy](how-to/guard-by-policy.md) sets up a pack of them, and says what they cannot see. " +
      "Beside its settings each takes `enforcementLevel` and `except`.",
    "",
    ...declarations.members("PostHogPolicyOptions").flatMap((option) => {
      const without = new Set(posthogPolicies({ [option.name]: false }).map(({ name }) => name));
      const policy = posthogPolicies().find(({ name }) => !without.has(name));
      if (policy === undefined) throw new Error(`${option.name} is an option of no policy`);
      return policyPart(policy, option);
    }),
  ].join("\n");
}

/** @param {Policy} policy @param {Member} option */
function policyPart({ name, displayName, description, remediationSteps = "", severity, ...policy }, option) {
  const settings = option.parts
    .flatMap(({ members }) => members)
    .filter((member) => !COMMON.includes(member.name));
  const sees = "validateStack" in policy ? "all resources of a stack together" : "each resource by itself";
  const properties = policy.configSchema?.properties ?? {};
  return [
    `## ${code(name)}`,
    "",
    `${displayName}. Option ${code(option.name)}, severity ${String(severity)}, looks at ${sees}.`,
    "",
    description.replace(remediationSteps, "").trim(),
    "",
    `To comply: ${remediationSteps}`,
    "",
    ...(settings.length === 0 ? ["No settings.", ""] : []),
    ...table(
      ["setting", "type", "default", "what it is"],
      settings.map((setting) => [
        code(setting.name),
        code(setting.type),
        code(JSON.stringify(properties[setting.name]?.default)),
        setting.text,
      ]),
    ),
    ...nested(settings, ["key", "type", "what it is"], ({ name: key, type, text, needed }) => [
      needed ? `**${code(key)}**` : code(key),
      code(type),
      text,
    ]),
  ];
}
