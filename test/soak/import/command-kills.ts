import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../random";
import { localSent } from "./checkpoints";
import { COMMAND, FORMS, mapped, SOURCES, writeForm } from "./events";
import { balance, Ingest, KEY, named, startedOver } from "./ingest";
import { type KillTotals, noKills } from "./kills";

const EVENTS = 20_000;
const FLAGS = [
  ...["--events-per-minute", "unlimited", "--announced"],
  // Many small requests: many moments at which a kill can come.
  ...["--batch-bytes", "65536", "--concurrency", "4"],
];

interface Started {
  readonly isOver: () => boolean;
  readonly ended: Promise<{ code: number | null; text: string }>;
  readonly kill: () => void;
}

function startImport(folder: string, source: string, url: string): Started {
  const env = { PATH: process.env["PATH"], POSTHOG_INGEST_HOST: url, POSTHOG_PROJECT_API_KEY: KEY };
  const child = spawn(process.execPath, [COMMAND, "import", source, ...FLAGS], { cwd: folder, env });
  let text = "";
  let over = false;
  child.stdout.on("data", (part) => (text += String(part)));
  child.stderr.on("data", (part) => (text += String(part)));
  const ended = once(child, "close").then(([code]: (number | null)[]) => {
    over = true;
    return { code: code ?? null, text };
  });
  return { isOver: () => over, ended, kill: () => child.kill("SIGKILL") };
}

/** Waits until the server has something new, mostly: a process that only starts has nothing to lose. */
async function untilSending(started: Started, ingest: Ingest, random: Random): Promise<void> {
  const seen = (await ingest.taken()).length;
  const fromStart = random.chance(0.1);
  while (!fromStart && !started.isOver() && (await ingest.taken()).length === seen) await sleep(20);
  await Promise.race([started.ended, sleep(random.whole(0, 600))]);
}

/** Kills the command, the server, or both under each other, at random moments, `runs` times. */
export async function commandKills(
  runs: number,
  seed: number,
  log: (line: string) => void,
): Promise<KillTotals> {
  const random = new Random(seed);
  const work = await mkdtemp(join(tmpdir(), "soak-import-"));
  const origin = join(work, "origin");
  await mkdir(origin);
  const wanted = new Map<string, ReadonlyMap<string, number>>();
  for (const form of FORMS) {
    await writeForm(origin, form, EVENTS, 7);
    const lines = await mapped(origin, SOURCES[form], join(work, "mapped.ndjson"));
    wanted.set(form, new Map(lines.map((line, index) => [named(line), index])));
  }
  const totals = noKills();
  for (let run = 0; run < runs; run++) {
    const form = FORMS[run % FORMS.length] ?? "lines";
    const folder = join(work, `run-${run}`);
    await oneRun({ random, origin, folder, form, wanted: wanted.get(form) ?? new Map() }, totals, log);
    await rm(folder, { recursive: true, force: true });
    if ((run + 1) % 20 === 0) log(`${run + 1} runs of the command: ${JSON.stringify(totals)}`);
  }
  await rm(work, { recursive: true, force: true });
  return totals;
}

interface RunOptions {
  readonly random: Random;
  readonly origin: string;
  readonly folder: string;
  readonly form: (typeof FORMS)[number];
  readonly wanted: ReadonlyMap<string, number>;
}

async function oneRun(options: RunOptions, totals: KillTotals, log: (line: string) => void): Promise<void> {
  const { random, origin, folder, form, wanted } = options;
  let machine = join(folder, "machine-0");
  await cp(origin, machine, { recursive: true });
  const ingest = await Ingest.start(join(folder, "taken"), 30);
  let started = startImport(machine, SOURCES[form], ingest.url);
  let known = 0;
  let before = 0;
  const settle = async (): Promise<void> => {
    if (startedOver(wanted, known, (await ingest.taken()).slice(before))) totals.startedOver++;
  };
  for (let left = random.whole(1, 3); left > 0; left--) {
    await untilSending(started, ingest, random);
    if (started.isOver()) break;
    if (random.chance(0.4)) {
      totals.kills.server++;
      await ingest.end("SIGKILL");
      await sleep(random.whole(0, 300));
      await ingest.start();
      continue;
    }
    totals.kills.command++;
    started.kill();
    await started.ended;
    // What the killed process had sent already may still be taken.
    await sleep(300);
    await settle();
    if (random.chance(0.3)) {
      totals.emptyMachines++;
      machine = join(folder, `machine-${left}`);
      await cp(origin, machine, { recursive: true });
    }
    known = localSent(machine);
    before = (await ingest.taken()).length;
    totals.resumptions++;
    if (known > 0) totals.fromCheckpoint++;
    started = startImport(machine, SOURCES[form], ingest.url);
  }
  const { code, text } = await started.ended;
  await settle();
  await ingest.end("SIGTERM");
  const { lost, doubled } = balance(wanted, await ingest.taken());
  totals.runs++;
  totals.lost += lost;
  totals.doubled += doubled;
  if (code !== 0) totals.failed++;
  if (code !== 0 || lost + doubled > 0)
    log(`${folder} (${form}): exit ${String(code)}, ${lost} lost, ${doubled} doubled\n${text}`);
}
