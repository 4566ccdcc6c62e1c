import path from "node:path";
import {
  argumentProblems,
  destinationProblems,
  settingsOf,
  type Destination,
  type ImportArguments,
  type Settings,
} from "../arguments";
import {
  destinationHash,
  freshCheckpoint,
  shapeHash,
  totalsOf,
  type Checkpoint,
} from "../checkpoint/checkpoint";
import { resumeFiles } from "../checkpoint/resume";
import { systemClock } from "../clock";
import { ImportError } from "../errors";
import { listFiles, type SourceFile } from "../source/files";
import { filesDigest, isSameDigest } from "../source/print";
import { Run } from "./execution";
import { furthest, localCheckpoint, sourceDigest } from "./known";
import type { ImportOptions } from "./options";
import { resultOf, type ImportResult } from "./result";

function refuseProblems(args: ImportArguments, destination: Destination): void {
  const problems = [...argumentProblems(args), ...destinationProblems(destination)];
  if (problems.length === 0) return;
  throw new ImportError(
    "arguments",
    problems.map(({ argument, reason }) => `${argument}: ${reason}`).join("\n"),
  );
}

/** Where the dead letters of an import go. */
export function deadLetterPath(settings: Settings, folder: string, name: string): string {
  const { deadLetterFile } = settings.args;
  return deadLetterFile === undefined
    ? path.resolve(folder, settings.checkpointFolder, "dead-letters", `${name}.ndjson`)
    : path.resolve(folder, deadLetterFile);
}

interface Start {
  readonly checkpoint: Checkpoint;
  readonly notes: readonly string[];
}

/** Where the import goes on: at the checkpoint that came furthest, brought together with today's files. */
function startFrom(
  known: Checkpoint | undefined,
  args: ImportArguments,
  files: readonly SourceFile[],
  options: ImportOptions,
  now: Date,
): Start {
  const fresh = freshCheckpoint(args, options, files, now);
  if (known === undefined) return { checkpoint: fresh, notes: [] };
  const notes: string[] = [];
  if (known.destination !== destinationHash(options)) {
    if (totalsOf(known).sent === 0) return { checkpoint: fresh, notes };
    return {
      checkpoint: fresh,
      notes: ["the interrupted run sent to another host or project: everything is sent to this one"],
    };
  }
  if (known.shape !== shapeHash(args)) {
    notes.push(
      "mapping, rename, duplicates or format changed since the import began: what was sent stays as it was sent, the change counts for the rest",
    );
  }
  const resumed = resumeFiles(known, files);
  const sent = totalsOf(known).sent;
  if (sent > 0) notes.push(`goes on after ${sent.toLocaleString("en")} events that were sent before`);
  return {
    checkpoint: { ...known, status: "running", shape: shapeHash(args), files: resumed.files },
    notes: [...notes, ...resumed.notes],
  };
}

/**
 * Imports the source: sends every event once, goes on from a checkpoint, and leaves one where it stops.
 * An import that is finished sends nothing and answers what it did.
 * @throws {@link ImportError} with the checkpoint to go on from.
 */
export async function runImport(args: ImportArguments, options: ImportOptions): Promise<ImportResult> {
  refuseProblems(args, options);
  const settings = settingsOf(args);
  const clock = options.clock ?? systemClock;
  const log = options.log ?? ((): void => undefined);
  const local = await localCheckpoint(args, options);
  const known = furthest(options.checkpoint, local.known, options);
  const deadLetterFile = deadLetterPath(settings, options.folder, local.name);
  if (known?.status === "finished" && known.destination === destinationHash(options)) {
    log(`this import finished at ${known.finishedAt ?? "an unknown time"}: nothing is sent`);
    if (known.shape !== shapeHash(args))
      log(
        "mapping, rename, duplicates or format differ from then: set a new runKey to import in this way, too",
      );
    const now = await sourceDigest(args, options.folder);
    if (now !== undefined && !isSameDigest(now, filesDigest(known.files)))
      log(
        "its files changed since then: set a new runKey to import them again; what is unchanged keeps its uuid",
      );
    return resultOf(known, deadLetterFile, 0);
  }
  const files = await listFiles(args, options.folder);
  const { checkpoint, notes } = startFrom(known, args, files, options, clock.date());
  for (const note of notes) log(note);
  return await new Run(settings, files, checkpoint, local, deadLetterFile, {
    ...options,
    clock,
    log,
  }).execute();
}
