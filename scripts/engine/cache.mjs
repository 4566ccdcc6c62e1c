// @ts-check
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { alive, withLock } from "../lib/lock.mjs";

/** Written last into a finished folder: its files and their sizes. */
const CONTENTS = "contents.json";

/**
 * Where this user's engines are kept: outside the clone, so that a fresh clone does not build again.
 * `PULUMI_POSTHOG_CACHE` names another folder.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export function cacheFolder(env) {
  const own = env["PULUMI_POSTHOG_CACHE"];
  if (own) return own;
  if (process.platform === "win32") return join(env["LOCALAPPDATA"] || homedir(), "pulumi-posthog", "cache");
  if (env["XDG_CACHE_HOME"]) return join(env["XDG_CACHE_HOME"], "pulumi-posthog");
  return process.platform === "darwin"
    ? join(homedir(), "Library", "Caches", "pulumi-posthog")
    : join(homedir(), ".cache", "pulumi-posthog");
}

/** Short name of some content. @param {readonly (string | Buffer)[]} parts */
export function digest(parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 12);
}

/**
 * A folder of the cache that holds what `make` makes, made where it is missing or broken.
 *
 * It is made beside its place, looked at, and renamed: whatever interrupts this, the folder is there whole or not at
 * all. What a crash of the machine or a person broke later is found by the sizes and by `works`, and made anew.
 *
 * @param {string} folder
 * @param {object} how
 * @param {(folder: string) => Promise<void>} how.make fills an empty folder; throws where it cannot
 * @param {(folder: string) => Promise<string | undefined>} how.works runs what is in it; says what is wrong
 * @param {(line: string) => void} how.log
 */
export async function keep(folder, { make, works, log }) {
  if ((await problemOf(folder, works)) === undefined) return;
  await withLock(
    `${folder}.lock`,
    async () => {
      const problem = await problemOf(folder, works);
      if (problem === undefined) return; // another run has made it meanwhile
      if (problem !== MISSING) log(`the cached engine is broken (${problem}): it is made anew`);
      await sweep(folder);
      const fresh = `${folder}.new-${process.pid}`;
      try {
        await mkdir(fresh, { recursive: true });
        await make(fresh);
        const wrong = await works(fresh);
        if (wrong !== undefined) throw new Error(`what was made does not work: ${wrong}`);
        await writeFile(join(fresh, CONTENTS), JSON.stringify(await sizes(fresh)));
        const old = `${folder}.old-${process.pid}`;
        await rename(folder, old).catch(() => undefined);
        await rename(fresh, folder);
        await rm(old, { recursive: true, force: true });
      } finally {
        await rm(fresh, { recursive: true, force: true });
      }
    },
    { waiting: (pid) => log(`process ${pid} is getting the engine already: waiting for it`) },
  );
}

const MISSING = "not there";

/**
 * @param {string} folder
 * @param {(folder: string) => Promise<string | undefined>} works
 * @returns {Promise<string | undefined>} what is wrong with it
 */
export async function problemOf(folder, works) {
  if (!(await stat(folder).catch(() => undefined))) return MISSING;
  const noted = await readFile(join(folder, CONTENTS), "utf8").catch(() => "");
  /** @type {Record<string, number>} */
  let expected;
  try {
    expected = JSON.parse(noted);
  } catch {
    return "it was not finished";
  }
  const present = await sizes(folder);
  for (const [name, size] of Object.entries(expected)) {
    if (present[name] === undefined) return `${name} is missing`;
    if (present[name] !== size) return `${name} has ${present[name]} bytes, not ${size}`;
  }
  return works(folder);
}

/** Sizes of the files of a folder, by relative name. @param {string} folder */
async function sizes(folder) {
  /** @type {Record<string, number>} */
  const found = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === CONTENTS) continue;
    const file = join(entry.parentPath, entry.name);
    found[file.slice(folder.length + 1)] = (await stat(file)).size;
  }
  return found;
}

/** Takes away what interrupted runs left; the lock is held. @param {string} folder */
async function sweep(folder) {
  const [parent, name] = [dirname(folder), basename(folder)];
  for (const entry of await readdir(parent).catch(() => [])) {
    const owner = /^\.(?:new|old)-(\d+)$/.exec(entry.startsWith(name) ? entry.slice(name.length) : "")?.[1];
    if (owner !== undefined && (Number(owner) === process.pid || !alive(Number(owner)))) {
      await rm(join(parent, entry), { recursive: true, force: true });
    }
  }
}
