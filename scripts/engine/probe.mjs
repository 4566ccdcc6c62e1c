// @ts-check
import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { run } from "../lib/run.mjs";

const WINDOWS = process.platform === "win32";
/** Name of an executable on this platform. @param {string} name */
export const executable = (name) => (WINDOWS ? `${name}.exe` : name);
/** The dynamic provider's launcher, a script that ships inside `@pulumi/pulumi`. */
export const LAUNCHER = `pulumi-resource-pulumi-nodejs${WINDOWS ? ".cmd" : ""}`;
export const LANGUAGE_HOST = executable("pulumi-language-nodejs");

/** The oldest CLI that the package's peer range of `@pulumi/pulumi` goes with. */
export const OLDEST = "3.200.0";

/**
 * What `pulumi version` says, or why it cannot be run.
 *
 * @param {string} pulumi path of the executable
 * @returns {Promise<{ version: string } | { problem: string }>}
 */
export async function versionOf(pulumi) {
  const { code, signal, stdout, stderr } = await run(pulumi, ["version"], {
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    timeoutMs: 30_000,
  });
  const version = /^v?(\d+\.\d+\.\d+\S*)\s*$/.exec(stdout)?.[1];
  if (code === 0 && version !== undefined) return { version };
  if (signal !== undefined) return { problem: `it ends with ${signal}` };
  return { problem: code === 127 ? stderr.trim() : `\`pulumi version\` does not say its version` };
}

/** @param {string} version @param {string} oldest */
export function atLeast(version, oldest) {
  const [have, want] = [version, oldest].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number));
  for (let place = 0; place < 3; place++) {
    const difference = (have?.[place] ?? 0) - (want?.[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/**
 * Whether the Node language host starts. It knows no version flag; started alone it either prints its port or ends
 * saying what it misses, and a broken file does neither.
 *
 * @param {string} host path of `pulumi-language-nodejs`
 * @returns {Promise<boolean>}
 */
export function hostStarts(host) {
  return new Promise((resolve) => {
    const child = spawn(host, [], { stdio: ["pipe", "pipe", "pipe"] });
    /** @param {boolean} starts */
    const end = (starts) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      resolve(starts);
    };
    const timer = setTimeout(() => end(false), 15_000);
    let said = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        said = true;
        if (/^\d+\s*$/.test(String(chunk))) end(true);
      });
    }
    child.stdin.on("error", () => undefined);
    child.on("error", () => end(false));
    child.on("close", (code) => end(said && code !== null && code < 126));
  });
}

/**
 * The first file of that name in the folders that can be executed.
 *
 * @param {string} name
 * @param {readonly string[]} folders
 */
export async function find(name, folders) {
  for (const folder of folders) {
    if (folder === "") continue;
    const file = join(folder, name);
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return file;
  }
  return undefined;
}

/** Folders of the PATH of an environment, in order. @param {NodeJS.ProcessEnv} env */
export const foldersOf = (env) => (env["PATH"] ?? env["Path"] ?? "").split(delimiter);
