// @ts-check
import { spawn } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { alive } from "../lib/lock.mjs";
import { LOCAL, ROOT, SetupError } from "../setup.mjs";

const DATA = join(LOCAL, "emulator.json");
/** Who serves the data file now: a second `npm start` uses that emulator instead of a second one on the same file. */
const NOTE = join(LOCAL, "emulator-running.json");
const START_TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 10_000;

/**
 * @typedef {object} Emulator
 * @property {Record<string, string>} environment What its clients set: `POSTHOG_HOST` and so on.
 * @property {() => Promise<void>} close Ends it, where this run started it.
 * @property {boolean} shared Whether another `npm start -- --keep` serves it.
 */

/**
 * Starts the emulator, or finds the one that another run keeps.
 *
 * @returns {Promise<Emulator>}
 */
export async function openEmulator() {
  const kept = await findKept();
  if (kept && alive(kept.owner))
    return { environment: kept.environment, close: () => Promise.resolve(), shared: true };
  // Left behind by a run that was killed: ended, so that its data is saved before it is read here.
  if (kept) await end(kept.pid);

  await mkdir(dirname(DATA), { recursive: true });
  // A group of its own: Ctrl-C must not take the service away from under an update that is being cancelled.
  const child = spawn(process.execPath, [join(ROOT, "dist", "cli", "main.js"), "emulator", "--data", DATA], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let complaint = "";
  child.stdout.on("data", (chunk) => (said += String(chunk)));
  child.stderr.on("data", (chunk) => (complaint = (complaint + String(chunk)).slice(-4096)));
  const pid = child.pid;
  const until = Date.now() + START_TIMEOUT_MS;
  while (!/^export POSTHOG_PROJECT_API_KEY=.*\n/m.test(said)) {
    if (pid === undefined || child.exitCode !== null || Date.now() > until) {
      child.kill("SIGKILL");
      throw new SetupError(`the emulator did not start: ${complaint.trim() || "it said nothing"}`);
    }
    await sleep(20);
  }
  const environment = Object.fromEntries(
    [...said.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  await writeFile(NOTE, JSON.stringify({ pid, owner: process.pid, environment }), { mode: 0o600 });
  return {
    environment,
    shared: false,
    close: async () => {
      await rm(NOTE, { force: true });
      if (pid !== undefined) await end(pid);
    },
  };
}

/** Whether the emulator has data of an earlier run. */
export async function hasData() {
  return (await readFile(DATA).catch(() => undefined)) !== undefined;
}

/** @returns {Promise<{ pid: number, owner: number, environment: Record<string, string> } | undefined>} */
async function findKept() {
  try {
    const note = JSON.parse(await readFile(NOTE, "utf8"));
    if (!alive(note.pid)) return undefined;
    // A process id is reused sooner or later: only one that answers is the emulator.
    const answer = await fetch(note.environment.POSTHOG_HOST, { signal: AbortSignal.timeout(5_000) });
    return answer.ok ? note : undefined;
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
async function end(pid) {
  const until = Date.now() + END_TIMEOUT_MS;
  try {
    process.kill(pid, "SIGTERM");
    while (alive(pid) && Date.now() < until) await sleep(20);
    if (alive(pid)) process.kill(pid, "SIGKILL");
  } catch {
    // it ended by itself meanwhile
  }
}
