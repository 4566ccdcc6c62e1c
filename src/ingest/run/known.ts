import path from "node:path";
import { settingsOf, type Destination, type ImportArguments } from "../arguments";
import { checkpointName, destinationHash, type Checkpoint } from "../checkpoint/checkpoint";
import { CheckpointStore } from "../checkpoint/store";
import { filesDigest, listFiles } from "../source/files";

/** The checkpoint of an import that finished on this machine, if one did: preview then has nothing to scan. */
export async function finishedImport(
  args: ImportArguments,
  options: Destination & { readonly folder: string },
): Promise<Checkpoint | undefined> {
  const folder = path.resolve(options.folder, settingsOf(args).checkpointFolder);
  const known = await new CheckpointStore(folder, checkpointName(args, options.folder, options)).load();
  return known?.status === "finished" && known.destination === destinationHash(options) ? known : undefined;
}

/** What the source's files are now, as {@link ImportResult.filesDigest}; undefined where they are not all there. */
export async function sourceDigest(args: ImportArguments, folder: string): Promise<string | undefined> {
  const files = await listFiles(args, folder).catch(() => undefined);
  return files === undefined ? undefined : filesDigest(files);
}
