import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { z } from "zod";

import { systemCode } from "../http/errors";
import type { DumpedCollection } from "../store/collection";

const VERSION = 1;

const row = z.looseObject({ id: z.union([z.number(), z.string()]) });
const dataFile = z.object({
  version: z.literal(VERSION),
  collections: z.record(z.string(), z.object({ next: z.number().int(), rows: z.array(row) })),
  capture: z.unknown(),
});

/** What the emulator's data file holds. */
export interface Data {
  readonly collections: Record<string, DumpedCollection<unknown>>;
  readonly capture: unknown;
}

export class DataFileError extends Error {
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`the emulator's data file ${file} ${problem}; move it away to start with fresh data`, options);
  }
}

/** Reads a data file; undefined where there is none yet. @throws DataFileError where it is none of ours */
export async function readData(file: string): Promise<Data | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new DataFileError(file, "cannot be read", { cause: error });
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new DataFileError(file, "is not valid JSON", { cause: error });
  }
  const parsed = dataFile.safeParse(json);
  if (!parsed.success) throw new DataFileError(file, "was not written by this version of the emulator");
  return parsed.data;
}

/** Large data must not keep the emulator busy with saving: between two saves lies this many times what one takes. */
const REST = 20;

/**
 * Saves data a moment after it changed, and never twice at once. A reader finds the old file or the new one, not
 * half of either.
 */
export class Saver {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private dirty = false;
  private failed = false;
  private took = 0;

  constructor(
    private readonly file: string,
    private readonly dump: () => Data,
    private readonly delay = 250,
  ) {}

  /** Notes a change, to be saved soon. */
  touch(): void {
    this.dirty = true;
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        // Nobody waits for this save; the next one, at the latest that of close(), reports what is wrong.
        this.save().catch((error: unknown) => this.complainOnce(error));
      },
      Math.max(this.delay, REST * this.took),
    ).unref();
  }

  /** Saves now whatever is unsaved. */
  async save(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const previous = this.running.catch(() => undefined);
    this.running = previous.then(async () => {
      if (!this.dirty) return;
      this.dirty = false;
      const start = performance.now();
      try {
        await write(this.file, JSON.stringify({ version: VERSION, ...this.dump() }));
        this.took = performance.now() - start;
      } catch (error) {
        this.dirty = true;
        throw error;
      }
    });
    return this.running;
  }

  private complainOnce(error: unknown): void {
    if (this.failed) return;
    this.failed = true;
    process.stderr.write(`the emulator cannot save its data to ${this.file}: ${String(error)}\n`);
  }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // It holds the emulator's keys.
    const handle = await open(temporary, "w", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
