import { SingleBar } from "cli-progress";
import { VARIABLES } from "../client/naming";
import {
  describe,
  destinationProblems,
  exportEvents,
  finishedImport,
  formatCount,
  formatProgress,
  ImportError,
  runImport,
  scan,
  scanProblems,
  settingsOf,
  shapeProblems,
  type ArgumentProblem,
  type ImportArguments,
  type ImportFailure,
  type ImportResult,
  type Progress,
} from "../ingest";

/** The command's flags as they come from the command line. */
export type Flags = Readonly<Record<string, unknown>> & {
  readonly projectApiKey?: string;
  readonly ingestHost?: string;
  readonly region?: "us" | "eu";
  readonly dryRun?: boolean;
  readonly out?: string;
};

const exitCodes: Readonly<Record<ImportFailure, number>> = {
  arguments: 2,
  source: 1,
  "invalid-events": 3,
  "not-announced": 3,
  refused: 1,
  unreachable: 1,
  interrupted: 130,
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** `eventsPerMinute` as its flag is called, with the variable that does the same. */
function flagOf(argument: string): string {
  const [name = "", ...inside] = argument.split(".");
  if (name === "source") return argument;
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const variable = name === "projectApiKey" || name === "ingestHost" ? ` (${VARIABLES[name]})` : "";
  return `${[flag, ...inside].join(".")}${variable}`;
}

function complainOf(problems: readonly ArgumentProblem[]): void {
  for (const { argument, reason } of problems) complain(`error: ${flagOf(argument)}: ${reason}`);
}

/** The import's arguments among the flags. */
function argumentsOf(source: readonly string[], flags: Flags): ImportArguments {
  const {
    projectApiKey: _key,
    ingestHost: _host,
    region: _region,
    dryRun: _dryRun,
    out: _out,
    ...rest
  } = flags;
  return { ...rest, source: source.length === 1 && source[0] !== undefined ? source[0] : [...source] };
}

/** A bar on a terminal, a line now and then elsewhere. */
class Display {
  readonly #bar: SingleBar | undefined;
  #started = false;

  constructor() {
    if (process.stdout.isTTY) {
      this.#bar = new SingleBar({
        format: "{bar} {text}",
        hideCursor: true,
        clearOnComplete: false,
        gracefulExit: false,
      });
    }
  }

  get everyMs(): number {
    return this.#bar === undefined ? 10_000 : 250;
  }

  show(progress: Progress): void {
    const text = formatProgress(progress);
    if (this.#bar === undefined) {
      say(text);
      return;
    }
    if (!this.#started) this.#bar.start(1000, 0, { text });
    this.#started = true;
    this.#bar.update(Math.floor(progress.fraction * 1000), { text });
  }

  line(text: string): void {
    if (this.#started) process.stdout.write("\r\u001b[K");
    say(text);
  }

  end(): void {
    this.#bar?.stop();
  }
}

function sayResult(result: ImportResult): void {
  say(
    `imported ${formatCount(result.eventsSent)} events in ${formatCount(result.requests)} requests (${formatCount(result.retries)} repeated)`,
  );
  if (result.eventsMerged > 0) say(`  ${formatCount(result.eventsMerged)} repetitions were merged`);
  if (result.eventsSkipped > 0) {
    say(
      `  ${formatCount(result.eventsSkipped)} set aside in ${result.deadLetterFile ?? "the dead-letter file"}:`,
    );
    for (const [reason, count] of Object.entries(result.skipped))
      say(`    ${formatCount(count)} × ${reason}`);
  }
  if (result.firstTime !== undefined) say(`  from ${result.firstTime} to ${result.lastTime}`);
  say(`  checksum ${result.checksum}`);
}

/** The first interruption stops the import in order; the second ends the process at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(130);
    complain(`${signal}: finishing what is under way; once more ends at once`);
    controller.abort();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return controller.signal;
}

/** Runs the command; answers its exit code. */
export async function runCommand(source: readonly string[], flags: Flags): Promise<number> {
  const args = argumentsOf(source, flags);
  const folder = process.cwd();
  const problems = shapeProblems(args);
  const ingestHost = flags.ingestHost ?? `https://${flags.region ?? "us"}.i.posthog.com`;
  const projectApiKey = flags.projectApiKey ?? "";
  const sends = flags.dryRun !== true && flags.out === undefined;
  if (sends || projectApiKey !== "") problems.push(...destinationProblems({ ingestHost, projectApiKey }));
  if (problems.length > 0) {
    complainOf(problems);
    return 2;
  }
  const signal = interruption();
  try {
    if (flags.out !== undefined) return await write(args, flags.out, folder, signal);
    if (flags.dryRun === true) return await preview(args, folder, signal);
    return await send(args, { folder, ingestHost, projectApiKey, signal });
  } catch (error) {
    return failed(error, signal);
  }
}

function failed(error: unknown, signal: AbortSignal): number {
  if (error instanceof ImportError) {
    complain(`error: ${error.message}`);
    if (error.hint !== undefined) complain(`  ${error.hint}`);
    return exitCodes[error.failure];
  }
  if (signal.aborted) return 130;
  throw error;
}

async function preview(args: ImportArguments, folder: string, signal: AbortSignal): Promise<number> {
  const settings = settingsOf(args);
  // A dry run is asked for to be told: it reads everything, however long that takes.
  const report = await scan(args, { folder, signal, budgetMs: Infinity });
  for (const line of describe(report, settings)) say(line);
  const problems = scanProblems(report, settings);
  complainOf(problems);
  return problems.length > 0 ? 3 : 0;
}

async function write(
  args: ImportArguments,
  out: string,
  folder: string,
  signal: AbortSignal,
): Promise<number> {
  const result = await exportEvents(args, { folder, out, signal });
  say(`wrote ${formatCount(result.events)} events to ${out}; nothing was sent`);
  if (result.eventsSkipped > 0)
    say(
      `  ${formatCount(result.eventsSkipped)} set aside in ${result.deadLetterFile ?? "the dead-letter file"}`,
    );
  say(`  checksum ${result.checksum}`);
  return 0;
}

interface Target {
  readonly folder: string;
  readonly ingestHost: string;
  readonly projectApiKey: string;
  readonly signal: AbortSignal;
}

async function send(args: ImportArguments, target: Target): Promise<number> {
  if ((await finishedImport(args, target)) === undefined) {
    const report = await scan(args, { folder: target.folder, signal: target.signal });
    const settings = settingsOf(args);
    for (const line of describe(report, settings)) say(line);
    const problems = scanProblems(report, settings);
    if (problems.length > 0) {
      complainOf(problems);
      return 3;
    }
  }
  const display = new Display();
  try {
    const result = await runImport(args, {
      ...target,
      progressEveryMs: display.everyMs,
      onProgress: (progress) => display.show(progress),
      log: (line) => display.line(line),
    });
    display.end();
    sayResult(result);
    return 0;
  } finally {
    display.end();
  }
}
