import { createHash } from "node:crypto";
import { z } from "zod";
import type { Destination, ImportArguments } from "../arguments";
import type { SourceFile } from "../source/files";
import { normaliseSource } from "../source/files";
import { addTotals, noTotals, totalsSchema, type Totals } from "./totals";

const fileSchema = z.object({
  name: z.string(),
  size: z.number(),
  mtimeMs: z.number(),
  head: z.string(),
  /** Missing where an earlier version wrote it. */
  samples: z.string().optional(),
  offset: z.number(),
  line: z.number(),
  done: z.boolean(),
  totals: totalsSchema,
});

const schema = z.object({
  version: z.literal(1),
  status: z.enum(["running", "finished"]),
  /** Hash of the destination: another project or host is another import. */
  destination: z.string(),
  /** Hash of what events are made of: mapping, rename, duplicates, format. */
  shape: z.string(),
  startedAt: z.string(),
  finishedAt: z.string().optional(),
  requests: z.number(),
  retries: z.number(),
  bytesSent: z.number(),
  deadLetterBytes: z.number(),
  files: z.array(fileSchema),
});

/** How far an import has come: plain JSON, for a local file and for a stack's state. No key stands in it. */
export type Checkpoint = z.infer<typeof schema>;

/** A file in a checkpoint. */
export type FileProgress = Checkpoint["files"][number];

function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 24);
}

/** The hash under which a checkpoint knows its destination. */
export function destinationHash({ ingestHost, projectApiKey }: Destination): string {
  return shortHash([new URL(ingestHost).origin, projectApiKey]);
}

/** The hash of the arguments that decide what an event becomes. */
export function shapeHash(args: ImportArguments): string {
  const { mapping = "capture", rename = {}, duplicates = "merge", format = "auto" } = args;
  return shortHash([
    mapping,
    Object.entries(rename).sort(([a], [b]) => (a < b ? -1 : 1)),
    duplicates,
    format,
  ]);
}

/** The name of a local checkpoint: one per owner, source, run key, shard and destination. */
export function checkpointName(
  args: ImportArguments,
  folder: string,
  destination: Destination,
  owner?: string,
): string {
  const { runKey = "", shard } = args;
  const source = normaliseSource(args.source, folder);
  return shortHash([
    source,
    runKey,
    shard?.index ?? 0,
    shard?.count ?? 1,
    destinationHash(destination),
    ...(owner === undefined ? [] : [owner]),
  ]).slice(0, 16);
}

/** Reads a checkpoint from wherever it was kept; undefined where it is none of ours. */
export function readCheckpoint(value: unknown): Checkpoint | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

/** The totals of all files. */
export function totalsOf(checkpoint: Checkpoint): Totals {
  const totals = noTotals();
  for (const file of checkpoint.files) addTotals(totals, asTotals(file.totals));
  return totals;
}

/** Stored totals as totals: what is not stored is undefined there. */
export function asTotals(stored: FileProgress["totals"]): Totals {
  return { ...stored, firstMs: stored.firstMs, lastMs: stored.lastMs };
}

/** Totals in the form in which they are stored: JSON knows no undefined. */
export function storedTotals({ firstMs, lastMs, ...rest }: Totals): FileProgress["totals"] {
  return {
    ...rest,
    skipped: Object.fromEntries(Object.entries(rest.skipped)),
    ...(firstMs === undefined ? {} : { firstMs }),
    ...(lastMs === undefined ? {} : { lastMs }),
  };
}

/** A file of which nothing is sent yet. */
export function untouched({ path: _, ...file }: SourceFile): FileProgress {
  return { ...file, offset: 0, line: 0, done: false, totals: storedTotals(noTotals()) };
}

/** A checkpoint before anything is sent. */
export function freshCheckpoint(
  args: ImportArguments,
  destination: Destination,
  files: readonly SourceFile[],
  now: Date,
): Checkpoint {
  return {
    version: 1,
    status: "running",
    destination: destinationHash(destination),
    shape: shapeHash(args),
    startedAt: now.toISOString(),
    requests: 0,
    retries: 0,
    bytesSent: 0,
    deadLetterBytes: 0,
    files: files.map(untouched),
  };
}

/** Which of two checkpoints of one import has come further. */
export function further(a: Checkpoint | undefined, b: Checkpoint | undefined): Checkpoint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.status !== b.status) return a.status === "finished" ? a : b;
  const reach = (checkpoint: Checkpoint): number =>
    checkpoint.files.reduce((sum, file) => sum + (file.done ? file.size + 1 : 0) + file.offset, 0);
  return reach(a) >= reach(b) ? a : b;
}
