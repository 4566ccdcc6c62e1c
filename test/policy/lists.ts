import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EXAMPLE } from "./pack";

/** The ready pack as JavaScript, which needs no compiler and so starts sooner. */
export function readyPack(): string {
  const text = readFileSync(join(EXAMPLE, "index.ts"), "utf8");
  return (
    'const { PolicyPack } = require("@pulumi/policy"); const { posthogPolicies } = require("pulumi-posthog/policy");' +
    text.replace(/^import .*$/gm, "")
  );
}
