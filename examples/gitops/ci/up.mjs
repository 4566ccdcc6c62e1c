// node ci/up.mjs STACK: applies what was merged.
import { exportState, policyFlags, pulumi } from "./pulumi.mjs";

const [stack] = process.argv.slice(2);
if (stack === undefined) throw new Error("usage: node ci/up.mjs STACK");
const state = await exportState(stack);
const { code } = await pulumi(stack, ["up", "--yes", "--diff", ...policyFlags(stack)], state);
process.exitCode = code;
