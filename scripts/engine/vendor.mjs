// @ts-check
// Run as a process of its own, because the SDK gives no way to end a download that hangs:
//   node vendor.mjs VERSION FOLDER
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, tail } from "../lib/run.mjs";

const PROBE_TIMEOUT_MS = 15_000;
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const INSTALLER = "https://get.pulumi.com/install.sh";

/** Folder of the executables below the folder that the vendor's installer fills. @param {string} folder */
export const binaries = (folder) => join(folder, "bin");

/**
 * Downloads the vendor's own release into `folder`.
 *
 * @param {string} folder
 * @param {string} version
 * @param {NodeJS.ProcessEnv} env
 */
export async function download(folder, version, env) {
  // Asked first with a short time: where a firewall drops packets, the installer would hang for minutes.
  const answer = await fetch(INSTALLER, {
    method: "HEAD",
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  }).catch((/** @type {unknown} */ error) => (error instanceof Error ? error : new Error(String(error))));
  if (answer instanceof Error) throw new Error(`get.pulumi.com is not reachable (${reason(answer)})`);
  if (!answer.ok) throw new Error(`get.pulumi.com answers ${answer.status}`);
  const outcome = await run(process.execPath, [fileURLToPath(import.meta.url), version, folder], {
    env,
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  if (outcome.code === 124) throw new Error("it took more than 10 minutes");
  if (outcome.code !== 0) throw new Error(tail(outcome, 1).trim() || `exit code ${outcome.code}`);
}

/** @param {Error} error */
function reason(error) {
  return error.cause instanceof Error && "code" in error.cause ? String(error.cause.code) : error.message;
}

async function main() {
  const [version = "", root = ""] = process.argv.slice(2);
  const { PulumiCommand } = await import("@pulumi/pulumi/automation/index.js");
  // The SDK's own copy, whose class it compares with.
  const require = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
  /** @type {typeof import("semver")} */
  const { parse } = require("semver");
  const wanted = parse(version);
  if (!wanted) throw new Error(`${version} is no version`);
  await PulumiCommand.install({ root, version: wanted, skipVersionCheck: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((/** @type {unknown} */ error) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
