// node ci/import.mjs: a historical import that goes on where the last run of it was. The job gives what a person chose
// as environment variables, so that no text of theirs is ever read as a command.
import { spawnSync } from "node:child_process";

/** Variables of the job and the flags that they become. */
const FLAGS = {
  MAPPING: "--mapping",
  EVENTS_PER_MINUTE: "--events-per-minute",
  ON_INVALID: "--on-invalid",
  RUN_KEY: "--run-key",
};

const flags = Object.entries(FLAGS).flatMap(([name, flag]) => {
  const value = process.env[name];
  return value ? [flag, value] : [];
});
if (process.env["DRY_RUN"] === "true") flags.push("--dry-run");
const { status } = spawnSync(
  "npx",
  ["pulumi-posthog", "import", process.env["SOURCE"] || "exports", ...flags],
  {
    stdio: "inherit",
  },
);
process.exitCode = status ?? 1;
