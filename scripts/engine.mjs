// @ts-check
// Finds the Pulumi engine, or gets it. `node scripts/engine.mjs` prints the path of the CLI.
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createRequire } from "node:module";
import { realpath } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildEngine, builtProblem, goProblem, readRecipe } from "./engine/build.mjs";
import { cacheFolder, keep, problemOf } from "./engine/cache.mjs";
import {
  LANGUAGE_HOST,
  LAUNCHER,
  OLDEST,
  atLeast,
  executable,
  find,
  foldersOf,
  hostStarts,
  versionOf,
} from "./engine/probe.mjs";
import { binaries, download } from "./engine/vendor.mjs";

/**
 * @typedef {object} Engine
 * @property {string} pulumi Path of the CLI.
 * @property {string} path Value for PATH with which the CLI finds its language host and the provider's launcher.
 * @property {string} version
 * @property {"PATH" | "download" | "build"} from
 */

/**
 * @typedef {object} Options
 * @property {(line: string) => void} log Told in one line what happens next and how long that takes.
 * @property {NodeJS.ProcessEnv} [env] PATH, home of the cache (`PULUMI_POSTHOG_CACHE`), Go's settings;
 *   `PULUMI_POSTHOG_OFFLINE` leaves the vendor's download out, `PULUMI_POSTHOG_ENGINE` names the CLI to take.
 * @property {string} [modules] Folder with the module files to build from.
 */

/**
 * The Pulumi engine: `pulumi` on PATH if it is new enough and complete; else the vendor's download; else built from
 * its Go modules. The last two are kept per user and found again by the next run of any clone.
 *
 * @param {Options} options
 * @returns {Promise<Engine>}
 */
export async function ensureEngine({ log, env = process.env, modules }) {
  const given = env["PULUMI_POSTHOG_ENGINE"];
  if (given) return fromFile(given, env);
  const installed = await fromPath(env, log);
  if (installed) return installed;

  const recipe = await readRecipe(modules);
  const cache = cacheFolder(env);
  const named = `engine-${recipe.version}-${process.platform}-${process.arch}`;
  const downloaded = join(cache, `${named}-vendor`);
  const built = join(cache, `${named}-${recipe.hash}`);
  const works = (/** @type {string} */ folder) => builtProblem(folder, recipe.version);
  const vendorWorks = (/** @type {string} */ folder) => works(binaries(folder));

  // What is kept and whole is used before anything is fetched.
  if ((await problemOf(downloaded, vendorWorks)) === undefined)
    return engine(binaries(downloaded), recipe.version, "download", env);
  if ((await problemOf(built, works)) === undefined) return engine(built, recipe.version, "build", env);

  /** @type {string[]} */
  const failures = [];
  if (!env["PULUMI_POSTHOG_OFFLINE"]) {
    log(`downloading Pulumi ${recipe.version} (about 100 MB, a minute or two; kept in ${cache})`);
    try {
      await keep(downloaded, {
        make: (folder) => download(folder, recipe.version, env),
        works: vendorWorks,
        log,
      });
      return engine(binaries(downloaded), recipe.version, "download", env);
    } catch (error) {
      failures.push(`the vendor's download: ${messageOf(error)}`);
      log(`  no download: ${messageOf(error)}`);
    }
  }
  const problem = await goProblem(recipe.go, env);
  if (problem === undefined) {
    log(`building Pulumi ${recipe.version} from its Go modules (3 to 6 minutes, once; kept in ${cache})`);
    try {
      await keep(built, { make: (folder) => buildEngine(folder, recipe, { env, log }), works, log });
      return engine(built, recipe.version, "build", env);
    } catch (error) {
      failures.push(`the build: ${messageOf(error)}`);
    }
  } else {
    failures.push(`the build from Go modules: ${problem}`);
  }
  throw new Error(
    [
      "the Pulumi engine is missing, and it could not be got:",
      ...failures.map((failure) => `  - ${failure}`),
      `Install Pulumi ${OLDEST} or newer (https://www.pulumi.com/docs/install/) so that \`pulumi version\` works in`,
      `this terminal, or Go ${recipe.go} or newer (https://go.dev/dl/) so that it can be built, and run this again.`,
    ].join("\n"),
  );
}

/** @param {string} folder @param {string} version @param {Engine["from"]} from @param {NodeJS.ProcessEnv} env */
function engine(folder, version, from, env) {
  return {
    pulumi: join(folder, executable("pulumi")),
    path: [folder, ...foldersOf(env)].join(delimiter),
    version,
    from,
  };
}

/** @param {string} pulumi @param {NodeJS.ProcessEnv} env @returns {Promise<Engine>} */
async function fromFile(pulumi, env) {
  const said = await versionOf(pulumi);
  if ("problem" in said)
    throw new Error(`PULUMI_POSTHOG_ENGINE is ${pulumi}, which does not run: ${said.problem}`);
  return {
    pulumi,
    path: [dirname(pulumi), ...foldersOf(env)].join(delimiter),
    version: said.version,
    from: "PATH",
  };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} log
 * @returns {Promise<Engine | undefined>}
 */
async function fromPath(env, log) {
  const folders = foldersOf(env);
  // The vendor's installer puts it here and into the shell's start file, which this terminal may not have read yet.
  const home = join(env["HOME"] ?? homedir(), ".pulumi", "bin");
  const pulumi = await find(executable("pulumi"), [...folders, home]);
  if (pulumi === undefined) return undefined;
  const said = await versionOf(pulumi);
  if ("problem" in said) {
    log(`${pulumi} does not run (${said.problem}): getting another`);
    return undefined;
  }
  if (!atLeast(said.version, OLDEST)) {
    log(`${pulumi} is ${said.version}, older than ${OLDEST}: getting a newer one`);
    return undefined;
  }
  const beside = [dirname(pulumi), dirname(await realpath(pulumi))];
  const host = await find(LANGUAGE_HOST, [...beside, ...folders]);
  if (host === undefined || !(await hostStarts(host))) {
    log(`${pulumi} has no working ${LANGUAGE_HOST} beside it: getting a whole engine`);
    return undefined;
  }
  const extra = (await find(LAUNCHER, [...beside, ...folders])) === undefined ? [launcherFolder()] : [];
  const path = [dirname(pulumi), ...folders, dirname(host), ...extra].join(delimiter);
  return { pulumi, path, version: said.version, from: "PATH" };
}

/** Folder of the launcher inside the installed SDK: the engine warns of it there, and works. */
function launcherFolder() {
  return dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

if (
  process.argv[1] !== undefined &&
  (await realpath(process.argv[1]).catch(() => "")) === fileURLToPath(import.meta.url)
) {
  try {
    const { pulumi } = await ensureEngine({ log: (line) => process.stderr.write(`${line}\n`) });
    process.stdout.write(`${pulumi}\n`);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
