// @ts-check
// What has to be there before a command of this repository can work: dependencies and `dist`. Uses nothing that is
// installed by it.
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { digest } from "./engine/cache.mjs";
import { atLeast } from "./engine/probe.mjs";
import { withLock } from "./lib/lock.mjs";
import { run, tail } from "./lib/run.mjs";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Everything that runs leave behind in the clone. */
export const LOCAL = join(ROOT, ".local");
const STAMP = join(LOCAL, "dist.stamp");
const INSTALL_TIMEOUT_MS = 15 * 60_000;
const BUILD_TIMEOUT_MS = 5 * 60_000;

/** @param {string} line */
export const log = (line) => void process.stdout.write(`${line}\n`);

/** Something a person can mend: shown without a stack trace. */
export class SetupError extends Error {}

/**
 * Installs dependencies and builds `dist` where they are missing or stale.
 *
 * @param {{ build?: boolean }} [options] `build`: false leaves `dist` as it is
 */
export async function setup({ build = true } = {}) {
  checkNode();
  await mkdir(LOCAL, { recursive: true });
  await withLock(
    join(LOCAL, "setup.lock"),
    async () => {
      await install();
      if (build) await buildDist();
    },
    { waiting: (pid) => log(`process ${pid} is installing or building here already: waiting for it`) },
  );
}

/** @param {string} [version] */
export function checkNode(version = process.versions.node) {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const needed = String(manifest.engines.node).replace(/^>=\s*/, "");
  if (!atLeast(version, needed)) {
    throw new SetupError(
      `Node ${needed} or newer is needed, this is ${version}. Get it at https://nodejs.org/.`,
    );
  }
}

async function install() {
  if (await isInstalled(ROOT)) return;
  log("installing dependencies with npm ci (up to a minute)");
  // Under `npm run` this is the npm that runs it, so that a second one on PATH does not mix in.
  const npm = process.env["npm_execpath"];
  const [command, ...first] =
    npm !== undefined && basename(npm) === "npm-cli.js"
      ? [process.execPath, npm]
      : [process.platform === "win32" ? "npm.cmd" : "npm"];
  const args = [...first, "ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const outcome = await run(command, args, { cwd: ROOT, timeoutMs: INSTALL_TIMEOUT_MS });
  if (outcome.code !== 0)
    throw new SetupError(`npm ci failed (exit code ${outcome.code}):\n${tail(outcome)}`);
}

/**
 * Whether what is installed is what the lockfile names. Compared by content: a checkout gives every file a new time.
 *
 * @param {string} root
 */
export async function isInstalled(root) {
  const [wanted, present] = await Promise.all([
    readFile(join(root, "package-lock.json"), "utf8"),
    // npm writes this one at the end of an installation.
    readFile(join(root, "node_modules", ".package-lock.json"), "utf8").catch(() => undefined),
  ]);
  if (present === undefined) return false;
  /** @type {Record<string, { version?: string, optional?: boolean }>} */
  const have = JSON.parse(present).packages;
  /** @type {typeof have} */
  const want = JSON.parse(wanted).packages;
  return Object.entries(want).every(
    ([path, { version, optional }]) =>
      path === "" || have[path]?.version === version || (optional === true && have[path] === undefined),
  );
}

async function buildDist() {
  const sources = await sourcesOf(ROOT);
  const wanted = await stampOf(sources);
  const complete = sources
    .map((file) => relative(join(ROOT, "src"), file))
    .filter((file) => !file.startsWith("..") && /(?<!\.d)\.ts$/.test(file))
    .every((file) => existsSync(join(ROOT, "dist", file.replace(/\.ts$/, ".js"))));
  if (complete && (await readFile(STAMP, "utf8").catch(() => "")) === wanted) return;
  log("building dist (about 10 s)");
  const fresh = join(LOCAL, `dist-new-${process.pid}`);
  const old = join(LOCAL, `dist-old-${process.pid}`);
  try {
    const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const args = [tsc, "-p", "tsconfig.build.json", "--outDir", fresh];
    const outcome = await run(process.execPath, args, { cwd: ROOT, timeoutMs: BUILD_TIMEOUT_MS });
    if (outcome.code !== 0) throw new SetupError(`the build failed:\n${tail(outcome, 40)}`);
    // Swapped in whole, so that a program which runs meanwhile does not load half of each.
    await rename(join(ROOT, "dist"), old).catch(() => undefined);
    await rename(fresh, join(ROOT, "dist"));
    await writeFile(STAMP, wanted);
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

/** Notes that `dist` is what the sources as they are now make: `setup` then takes it as it is. */
export async function noteBuilt() {
  await mkdir(LOCAL, { recursive: true });
  await writeFile(STAMP, await stampOf(await sourcesOf(ROOT)));
}

/** What `dist` is made from. @param {string} root */
async function sourcesOf(root) {
  const entries = await readdir(join(root, "src"), { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const settings = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
  return [...sources.sort(), ...settings.map((name) => join(root, name))];
}

/** @param {readonly string[]} files */
async function stampOf(files) {
  return digest(
    (await Promise.all(files.map(async (file) => [relative(ROOT, file), await readFile(file)]))).flat(),
  );
}

/**
 * Runs a script's main function: an error becomes one message and exit code 1.
 *
 * @param {() => Promise<number>} main resolves to the exit code
 */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
