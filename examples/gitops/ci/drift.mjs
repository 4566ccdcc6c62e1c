// node ci/drift.mjs STACK…: finds what somebody changed by hand, and opens an issue for it; closes it when all is well.
// Where nothing can be compared the issue says so, and the job fails.
import { pulumi } from "./pulumi.mjs";
import { platform } from "./platform.mjs";

const UNDO = "Take it over into the program, or undo it with `pulumi up --refresh`.";

/** Why a comparison failed stands at the end of what it says. */
const LONGEST_FAILURE = 20_000;

/** @param {string} output */
const quoted = (output) => `\`\`\`\n${output.trim().replaceAll("```", "'''")}\n\`\`\``;

let failed = false;
for (const stack of process.argv.slice(2)) {
  const { code, output } = await pulumi(stack, ["preview", "--refresh", "--expect-no-changes", "--diff"]);
  const mark = `posthog-drift-${stack}`;
  if (code === 0) {
    await platform().closeIssue(mark, "PostHog is as the program says again.");
  } else if (output.includes("no changes were expected")) {
    const text = `Somebody changed PostHog by hand. ${UNDO}\n\n${quoted(output)}`;
    await platform().openIssue(mark, `PostHog differs from the program: ${stack}`, text);
  } else {
    failed = true;
    const text = `Nobody knows whether they differ until this is mended:\n\n${quoted(output.slice(-LONGEST_FAILURE))}`;
    await platform().openIssue(mark, `PostHog cannot be compared with the program: ${stack}`, text);
    process.stderr.write(`${stack} could not be compared\n`);
  }
}
process.exitCode = failed ? 1 : 0;
