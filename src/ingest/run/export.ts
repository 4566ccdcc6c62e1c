import { once } from "node:events";
import type { WriteStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import path from "node:path";
import { finished } from "node:stream/promises";
import { settingsOf, shapeProblems, type ImportArguments } from "../arguments";
import { Batch, migrationEnvelope, mostEvents } from "../batch/batch";
import { Filler } from "../batch/filler";
import { addTotals, noTotals, skippedCount } from "../checkpoint/totals";
import { systemClock, type Clock } from "../clock";
import { codeBehind, ImportError } from "../errors";
import { describeProblem } from "../event/reasons";
import { listFiles } from "../source/files";
import { LineBuffers } from "../source/lines";
import { Arena } from "../wasm/arena";
import { DeadLetterFile } from "./dead-letters";
import { pump } from "./pump";
import { deadLetterPath } from "./run";

/** What writing events to a file needs beside the arguments. */
export interface ExportOptions {
  /** The program's folder. */
  readonly folder: string;
  /** The file to write, relative to the program's folder: one event a line, as it would be sent. */
  readonly out: string;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** What was written. */
export interface ExportResult {
  readonly events: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly eventsSkipped: number;
  readonly checksum: string;
  readonly deadLetterFile?: string;
}

/** Newlines only stand between the tokens of JSON text, never inside a string: a space does as well. */
function oneLine(event: Buffer): Buffer {
  const copy = Buffer.from(event);
  copy.forEach((byte, index) => {
    if (byte === 0x0a || byte === 0x0d) copy[index] = 0x20;
  });
  return copy;
}

/** Opened before anything is read: a place that cannot be written to is told at once. */
async function openOutput(target: string, out: string): Promise<WriteStream> {
  try {
    await mkdir(path.dirname(target), { recursive: true });
    const handle = await open(target, "w");
    return handle.createWriteStream();
  } catch (cause) {
    throw new ImportError("arguments", `out: ${out} cannot be written${codeBehind(cause)}`, { cause });
  }
}

/**
 * Writes the events that an import would send, with their uuids, as JSON lines: for review, and for the provider's
 * managed migrations. Nothing is sent.
 */
export async function exportEvents(args: ImportArguments, options: ExportOptions): Promise<ExportResult> {
  const problems = shapeProblems(args);
  if (problems.length > 0) {
    throw new ImportError(
      "arguments",
      problems.map(({ argument, reason }) => `${argument}: ${reason}`).join("\n"),
    );
  }
  const settings = settingsOf(args);
  const files = await listFiles(args, options.folder, options.out);
  const arena = new Arena(LineBuffers.bytes + Batch.bytes(settings.batchBytes));
  const buffers = new LineBuffers(arena);
  const batch = new Batch(arena, migrationEnvelope(""), settings.batchBytes);
  const clock = options.clock ?? systemClock;
  const filler = new Filler(arena, settings, batch, { nowMs: clock.date().getTime(), mostEvents });
  const totals = noTotals();
  const target = path.resolve(options.folder, options.out);
  const output = await openOutput(target, options.out);
  const deadLetterFile = deadLetterPath(settings, options.folder, "export");
  const deadLetters = new DeadLetterFile(deadLetterFile, 0);
  const hand = async (): Promise<void> => {
    filler.close();
    const letter = settings.onInvalid === "fail" ? batch.dead[0] : undefined;
    if (letter !== undefined) {
      throw new ImportError(
        "invalid-events",
        `${files[letter.file]?.name}:${letter.line} ${describeProblem(letter.problem)}`,
        {
          hint: 'mend it, or have such events set aside by onInvalid: "skip" (--on-invalid skip)',
        },
      );
    }
    for (const segment of batch.segments) addTotals(totals, segment.totals);
    await deadLetters.append(batch.dead, (file) => files[file]?.name ?? "");
    const lines = Array.from({ length: batch.count }, (_, event) => oneLine(batch.event(event)));
    const newline = Buffer.from("\n");
    if (!output.write(Buffer.concat(lines.flatMap((line) => [line, newline])))) await once(output, "drain");
    filler.use(batch);
  };
  try {
    const signal = options.signal ?? new AbortController().signal;
    await pump({ args, files, buffers, filler, signal, from: () => ({ offset: 0, line: 0 }), hand });
    await hand();
  } finally {
    output.end();
    await finished(output);
    await deadLetters.close();
  }
  const skipped = skippedCount(totals);
  return {
    events: totals.sent,
    skipped: { ...totals.skipped },
    eventsSkipped: skipped,
    checksum: totals.checksum,
    ...(skipped === 0 ? {} : { deadLetterFile }),
  };
}
