// @ts-check
// Prints where a headless Chromium and what drives it are, as JSON: packages of the registry, installed once into the
// user's cache, since they are far larger than all dependencies together. Ends with 1 and a word where there is none.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { cacheFolder, digest, keep } from "../../scripts/engine/cache.mjs";

const PACKAGES = ["@sparticuz/chromium@147.0.0", "playwright-core@1.65.1", "axe-core@4.14.1"];
const TIMEOUT_MS = 300_000;
const exec = promisify(execFile);

if (process.platform !== "linux" || process.arch !== "x64") fail("it exists for Linux on x64 alone");
const folder = join(cacheFolder(process.env), `browser-${digest(PACKAGES)}`);
try {
  await keep(folder, {
    make: install,
    works: problem,
    log: (line) => void process.stderr.write(`${line}\n`),
  });
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
process.stdout.write(
  JSON.stringify({ modules: join(folder, "package.json"), executable: await executable(folder) }),
);

/** @param {string} into */
async function install(into) {
  await writeFile(join(into, "package.json"), '{ "private": true }');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES];
  await exec("npm", args, { cwd: into, timeout: TIMEOUT_MS });
}

/** @param {string} from */
async function problem(from) {
  const { stdout } = await exec(await executable(from), ["--version"], { timeout: TIMEOUT_MS }).catch(() => ({
    stdout: "",
  }));
  return stdout.startsWith("Chromium") ? undefined : "Chromium does not start";
}

/**
 * The package unpacks the browser into the folder of temporary files.
 *
 * @param {string} from
 */
async function executable(from) {
  const unpacked = join(from, "unpacked");
  await mkdir(unpacked, { recursive: true });
  process.env["TMPDIR"] = unpacked;
  const entry = createRequire(join(from, "package.json")).resolve("@sparticuz/chromium");
  const { default: chromium } = await import(pathToFileURL(entry).href);
  return String(await chromium.executablePath());
}

/** @param {string} why @returns {never} */
function fail(why) {
  process.stderr.write(`no browser: ${why}\n`);
  process.exit(1);
}
