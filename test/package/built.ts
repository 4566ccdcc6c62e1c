import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../support/engine";

/** Builds `dist` where it is missing or stale, as `npm test` does before all tests: for a run of jest alone. */
export function ensureBuilt(): void {
  const setup = pathToFileURL(join(ROOT, "scripts", "setup.mjs")).href;
  execFileSync(process.execPath, ["--input-type=module", "-e", `await (await import("${setup}")).setup()`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}
