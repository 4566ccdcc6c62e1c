import path from "node:path";
import { settingsOf, type ImportArguments } from "../arguments";
import {
  checkpointName,
  destinationHash,
  further,
  readCheckpoint,
  shapeHash,
  type Checkpoint,
} from "../checkpoint/checkpoint";
import { CheckpointStore } from "../checkpoint/store";
import { listFiles } from "../source/files";
import { filesDigest } from "../source/print";
import type { ImportOptions } from "./options";

type Where = Pick<ImportOptions, "folder" | "ingestHost" | "projectApiKey" | "owner">;

/** The local checkpoint of an import. */
export interface LocalCheckpoint {
  readonly name: string;
  readonly store: CheckpointStore;
  /** Where the end of an import is noted for whoever asks for the same in the same way, such as a renamed resource. */
  readonly common: CheckpointStore;
  readonly known: Checkpoint | undefined;
}

/** Finds an import's checkpoint on this machine. */
export async function localCheckpoint(args: ImportArguments, where: Where): Promise<LocalCheckpoint> {
  const folder = path.resolve(where.folder, settingsOf(args).checkpointFolder);
  const name = checkpointName(args, where.folder, where, where.owner);
  const store = new CheckpointStore(folder, name);
  const own = await store.load();
  const common = new CheckpointStore(folder, checkpointName(args, where.folder, where, shapeHash(args)));
  return { name, store, common, known: own ?? (await common.load()) };
}

/** Of a checkpoint kept elsewhere and the local one the one to go on from: of this destination, and the furthest. */
export function furthest(
  given: unknown,
  local: Checkpoint | undefined,
  where: Where,
): Checkpoint | undefined {
  const elsewhere = readCheckpoint(given);
  const isOurs = (checkpoint: Checkpoint | undefined): boolean =>
    checkpoint?.destination === destinationHash(where);
  return isOurs(local) && !isOurs(elsewhere) ? local : further(elsewhere, local);
}

/** The checkpoint of an import that finished on this machine, if one did: preview then has nothing to scan. */
export async function finishedImport(args: ImportArguments, where: Where): Promise<Checkpoint | undefined> {
  const { known } = await localCheckpoint(args, where);
  return known?.status === "finished" && known.destination === destinationHash(where) ? known : undefined;
}

/** What the source's files are now, as {@link ImportResult.filesDigest}; undefined where they are not all there. */
export async function sourceDigest(args: ImportArguments, folder: string): Promise<string | undefined> {
  const files = await listFiles(args, folder).catch(() => undefined);
  return files === undefined ? undefined : filesDigest(files);
}
