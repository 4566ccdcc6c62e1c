import { execFileSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";

/** The package's own folder. */
export const ROOT = join(__dirname, "..", "..");

let found: string | undefined;

/**
 * Path of the Pulumi CLI that the tests drive: `PULUMI_POSTHOG_ENGINE`, which `npm test` sets, else what the engine
 * finder finds (a run of `npx jest` alone).
 */
export function enginePath(): string {
  found ??=
    process.env["PULUMI_POSTHOG_ENGINE"] ??
    execFileSync(process.execPath, [join(ROOT, "scripts", "engine.mjs")], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }).trim();
  return found;
}

/** PATH with which the CLI finds its language host and the dynamic provider's launcher. */
export function engineSearchPath(): string {
  return [dirname(enginePath()), process.env["PATH"] ?? ""].join(delimiter);
}
