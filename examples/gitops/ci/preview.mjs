// node ci/preview.mjs STACK…: what a change would do to each stack, as a comment on the change.
import { exportState, policyFlags, pulumi } from "./pulumi.mjs";
import { platform } from "./platform.mjs";

let failed = false;
const parts = [];
for (const stack of process.argv.slice(2)) {
  const state = await exportState(stack);
  const { code, output } = await pulumi(stack, ["preview", "--diff", ...policyFlags(stack)], state);
  failed ||= code !== 0;
  const summary = /^Resources:\n((?: {4}.*\n?)+)/m
    .exec(output)?.[1]
    ?.trim()
    .replaceAll(/\s*\n\s*/g, ", ");
  const title = code === 0 ? (summary ?? "no changes") : "**failed**";
  parts.push(
    `### \`${stack}\`: ${title}\n\n<details><summary>Preview</summary>\n\n\`\`\`diff\n${asDiff(output)}\n\`\`\`\n\n</details>`,
  );
}
await platform().comment("posthog-preview", `## What this does to PostHog\n\n${parts.join("\n\n")}`);
process.exitCode = failed ? 1 : 0;

/**
 * The engine indents its signs; a diff is coloured by those at the start of a line.
 *
 * @param {string} output
 */
function asDiff(output) {
  return output
    .trim()
    .split("\n")
    .map((line) => line.replace(/^(\s+)([+~-]+)/, (_, space, sign) => `${sign === "~" ? "!" : sign}${space}`))
    .join("\n")
    .replaceAll("```", "'''");
}
