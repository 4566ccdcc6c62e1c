import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { settingsOf, shapeProblems, type ImportArguments, type Settings } from "../arguments";
import { Batch, migrationEnvelope, mostEvents } from "../batch/batch";
import { Filler } from "../batch/filler";
import { shapeHash } from "../checkpoint/checkpoint";
import { addTotals, noTotals, type Totals } from "../checkpoint/totals";
import { systemClock, type Clock } from "../clock";
import { ImportError } from "../errors";
import { describeProblem, type Reason } from "../event/reasons";
import { pump } from "../run/pump";
import { listFiles, type SourceFile } from "../source/files";
import { LineBuffers } from "../source/lines";
import { digestAt, Arena } from "../wasm/arena";
import { Repetitions, type Location } from "./repetitions";
import type { InvalidExample, ScanReport } from "./report";

/** What a scan needs beside the arguments. */
export interface ScanOptions {
  /** The program's folder. */
  readonly folder: string;
  readonly signal?: AbortSignal;
  /** Longest time to read; then the report is an estimate. Default 20 s. */
  readonly budgetMs?: number;
  /**
   * Whether a report of the same files and arguments, kept in the checkpoint folder, will do. Default true. One that ran
   * out of time does not where this scan may take at least twice as long.
   */
  readonly cache?: boolean;
  readonly clock?: Clock;
}

const mostExamples = 20;
const mostNames = 2000;
const shownNames = 10;
const mostIgnored = 50;
/** Of more files than this only some are sampled. */
const sampledFiles = 200;
const leastSample = 256 * 1024;
const reportVersion = 2;
const defaultBudgetMs = 20_000;
/** So much more time makes it worth while to read again. */
const worthWhile = 2;

/** How many bytes of each file are read: all, or a share of what preview may read. 0 leaves a file out. */
function shares(files: readonly SourceFile[], previewBytes: number): number[] {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total <= previewBytes) return files.map(() => Infinity);
  const every = Math.max(1, Math.ceil(files.length / sampledFiles));
  return files.map(({ size }, index) =>
    index % every === 0 ? Math.max(leastSample, (previewBytes * size * every) / total) : 0,
  );
}

class Collector {
  readonly names = new Map<string, number>();
  readonly ignored = new Set<string>();
  readonly examples: InvalidExample[] = [];
  readonly repetitions = new Repetitions();
  otherEvents = 0;

  countName(name: string): void {
    const count = this.names.get(name);
    if (count !== undefined) this.names.set(name, count + 1);
    else if (this.names.size < mostNames) this.names.set(name, 1);
    else this.otherEvents++;
  }
}

async function read(
  settings: Settings,
  files: readonly SourceFile[],
  options: ScanOptions,
  clock: Clock,
): Promise<Kept> {
  const envelope = migrationEnvelope("");
  const batchBytes = 1024 * 1024;
  const arena = new Arena(LineBuffers.bytes + Batch.bytes(batchBytes));
  const buffers = new LineBuffers(arena);
  const batch = new Batch(arena, envelope, batchBytes);
  const collector = new Collector();
  const totals = noTotals();
  let current = 0;
  const where = (line: number): Location => ({ file: current, line });
  const filler = new Filler(arena, settings, batch, {
    nowMs: clock.date().getTime(),
    mostEvents,
    watcher: {
      event: (name, ignored, line) => {
        collector.countName(name);
        for (const other of ignored) if (collector.ignored.size < mostIgnored) collector.ignored.add(other);
        collector.repetitions.add(
          arena.bytes.readUInt32LE(digestAt),
          arena.bytes.readUInt32LE(digestAt + 8),
          where(line),
        );
      },
      problem: (problem, line) => {
        if (collector.examples.length >= mostExamples) return;
        const { reason } = problem;
        collector.examples.push({
          file: files[current]?.name ?? "",
          line,
          reason,
          explanation: describeProblem(problem),
        });
      },
    },
  });
  const share = shares(files, settings.previewBytes);
  const readBytes = files.map(() => 0);
  const budgetMs = options.budgetMs ?? defaultBudgetMs;
  const deadline = clock.now() + budgetMs;
  const time = { isOver: false };
  const isLate = (): boolean => (time.isOver ||= clock.now() >= deadline);
  const settle = (): Promise<void> => {
    filler.close();
    for (const segment of batch.segments) addTotals(totals, segment.totals);
    filler.use(batch);
    return Promise.resolve();
  };
  await pump({
    args: settings.args,
    files,
    buffers,
    filler,
    signal: options.signal ?? new AbortController().signal,
    from: (index) => {
      current = index;
      return (share[index] ?? 0) > 0 && !isLate() ? { offset: 0, line: 0 } : undefined;
    },
    hand: settle,
    pace: (index, fileBytes) => {
      readBytes[index] = fileBytes;
      return fileBytes >= (share[index] ?? 0) || isLate();
    },
  });
  await settle();
  const report = makeReport(settings, files, readBytes, totals, collector);
  return { report, ...(time.isOver && report.readFraction < 1 ? { ranOutAfterMs: budgetMs } : {}) };
}

function makeReport(
  settings: Settings,
  files: readonly SourceFile[],
  readBytes: readonly number[],
  totals: Totals,
  collector: Collector,
): ScanReport {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const readFraction =
    bytes === 0 ? 1 : Math.min(1, readBytes.reduce((sum, count) => sum + count, 0) / bytes);
  const scale = (count: number): number =>
    readFraction < 1 && readFraction > 0 ? Math.round(count / readFraction) : count;
  const events = scale(totals.sent + totals.merged);
  const sorted = [...collector.names].sort(([, a], [, b]) => b - a);
  const name = (place: Location): string => `${files[place.file]?.name ?? ""}:${place.line}`;
  const invalid: Partial<Record<Reason, number>> = {};
  for (const [reason, count] of Object.entries(totals.skipped) as [Reason, number][]) invalid[reason] = count;
  return {
    files: files.length,
    bytes,
    readFraction,
    events,
    invalid,
    invalidExamples: collector.examples,
    repetitions: collector.repetitions.count,
    repetitionsExact: collector.repetitions.exact && readFraction === 1,
    repetitionExamples: collector.repetitions.examples.map(({ first, again }) => ({
      first: name(first),
      again: name(again),
    })),
    recent: totals.recent,
    ...(totals.firstMs === undefined ? {} : { firstTime: new Date(totals.firstMs).toISOString() }),
    ...(totals.lastMs === undefined ? {} : { lastTime: new Date(totals.lastMs).toISOString() }),
    names: sorted.slice(0, shownNames).map(([key, count]) => ({ name: key, events: scale(count) })),
    otherNames: Math.max(0, sorted.length - shownNames),
    ignored: [...collector.ignored],
    ...(settings.eventsPerMinute === undefined ? {} : { seconds: (events * 60) / settings.eventsPerMinute }),
  };
}

function cacheFile(settings: Settings, files: readonly SourceFile[], folder: string): string {
  const { args, previewBytes, eventsPerMinute } = settings;
  const identity = files.map(({ path: _, ...file }) => Object.values(file));
  const key = createHash("sha256")
    .update(JSON.stringify([reportVersion, identity, shapeHash(args), previewBytes, eventsPerMinute]))
    .digest("hex")
    .slice(0, 24);
  return path.resolve(folder, settings.checkpointFolder, "scans", `${key}.json`);
}

/** A report as it is kept. */
interface Kept {
  readonly report: ScanReport;
  /** The time that the scan had, where it ran out before everything was read that was to be. */
  readonly ranOutAfterMs?: number;
}

async function readCached(file: string): Promise<Kept | undefined> {
  try {
    // Written by keep() below under a name that holds the report's version.
    return JSON.parse(await readFile(file, "utf8")) as Kept;
  } catch {
    return undefined;
  }
}

/** Whether more time than a scan had would tell more. */
function isOutdone({ ranOutAfterMs }: Kept, budgetMs: number): boolean {
  return ranOutAfterMs !== undefined && budgetMs >= worthWhile * ranOutAfterMs;
}

async function keep(file: string, report: Kept): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(temporary, JSON.stringify(report));
  await rename(temporary, file);
}

/**
 * Reads the source and says what it holds; nothing is sent. The report is kept under the identity of the files, so that
 * the same files are read once.
 * @throws {@link ImportError} where the arguments are wrong or no file is found.
 */
export async function scan(args: ImportArguments, options: ScanOptions): Promise<ScanReport> {
  const problems = shapeProblems(args);
  if (problems.length > 0) {
    throw new ImportError(
      "arguments",
      problems.map(({ argument, reason }) => `${argument}: ${reason}`).join("\n"),
    );
  }
  const settings = settingsOf(args);
  const files = await listFiles(args, options.folder);
  const file = cacheFile(settings, files, options.folder);
  const cached = options.cache === false ? undefined : await readCached(file);
  if (cached !== undefined && !isOutdone(cached, options.budgetMs ?? defaultBudgetMs)) return cached.report;
  const kept = await read(settings, files, options, options.clock ?? systemClock);
  // Without a folder to write to, the next preview reads again.
  if (options.cache !== false) await keep(file, kept).catch(() => undefined);
  return kept.report;
}
