// @ts-check
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How often the holder shows that it lives, and after how long a lock without such a sign counts as left behind. */
const BEAT_MS = 5_000;
const SILENT_MS = 60_000;

/**
 * Runs `work` while no other process does so under the same lock file.
 *
 * A lock is left behind where its process is gone (same machine) or has given no sign for a minute (a folder shared
 * by machines, a reused process id). It saves doing the work twice; what it guards must be put in place by a
 * rename, so that two holders after a clock jump or a sleep do no harm.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {{ waiting?: (pid: number) => void, timeoutMs?: number, pollMs?: number, signal?: AbortSignal }} [options] `waiting` is called
 *   once when another process holds the lock; `timeoutMs` (30 min) bounds the wait; `signal` ends it.
 * @returns {Promise<T>}
 */
export async function withLock(file, work, { waiting, timeoutMs = 30 * 60_000, pollMs = 300, signal } = {}) {
  await mkdir(dirname(file), { recursive: true });
  const until = Date.now() + timeoutMs;
  let told = false;
  while (!(await take(file))) {
    const holder = await read(file);
    if (holder && (await leftBehind(file, holder))) {
      // Renaming takes it from exactly one place: of several waiting processes only one moves the stale file.
      await rename(file, `${file}.${process.pid}`).catch(() => undefined);
      await rm(`${file}.${process.pid}`, { force: true });
      continue;
    }
    if (holder && !told) waiting?.(holder.pid);
    told ||= holder !== undefined;
    if (Date.now() > until) {
      throw new Error(
        `process ${holder?.pid ?? "unknown"} has held ${file} for too long; end it, or delete that file`,
      );
    }
    if (signal?.aborted) throw new Error("interrupted while waiting");
    await sleep(pollMs);
  }
  const beat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), BEAT_MS);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if ((await read(file))?.pid === process.pid) await rm(file, { force: true });
  }
}

/** @param {string} file */
async function take(file) {
  try {
    await writeFile(file, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * @param {string} file
 * @returns {Promise<{ pid: number, host: string } | undefined>} `undefined` where it is gone by now.
 */
async function read(file) {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return { pid: 0, host: "" }; // being written just now, or cut off by a crash: its age decides
  }
}

/**
 * @param {string} file
 * @param {{ pid: number, host: string }} holder
 */
async function leftBehind(file, holder) {
  const info = await stat(file).catch(() => undefined);
  if (!info) return false;
  if (Date.now() - info.mtimeMs > SILENT_MS) return true;
  return holder.host === hostname() && holder.pid > 0 && !alive(holder.pid);
}

/** Whether a process of this machine lives. @param {number} pid */
export function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
