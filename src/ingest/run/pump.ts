import type { ImportArguments } from "../arguments";
import type { Filler } from "../batch/filler";
import { openFile } from "../source/open";
import type { Position } from "../source/block";
import type { SourceFile } from "../source/files";
import type { LineBuffers } from "../source/lines";

/** What reading a source through a filler needs. */
export interface PumpOptions {
  readonly args: Pick<ImportArguments, "format" | "mapping">;
  readonly files: readonly SourceFile[];
  readonly buffers: LineBuffers;
  readonly filler: Filler;
  readonly signal: AbortSignal;
  /** Where to begin in a file; undefined leaves it out. */
  readonly from: (file: number) => Position | undefined;
  /** The filler is ready: takes its batch and gives it another. */
  readonly hand: () => Promise<void>;
  /** Called between blocks with the bytes of the file read so far; true goes on with the next file. */
  readonly pace?: (file: number, fileBytes: number) => boolean;
}

/** Reads files one after the other into the filler's batches. The last batch stays with the filler. */
export async function pump(options: PumpOptions): Promise<void> {
  const { filler, signal, hand } = options;
  for (const [index, file] of options.files.entries()) {
    const from = options.from(index);
    if (from === undefined) continue;
    signal.throwIfAborted();
    const { blocks, reader } = await openFile(file, options.args, options.buffers, from);
    try {
      filler.startFile({ index, name: file.name }, from.offset, from.line);
      let left = false;
      for await (const block of blocks) {
        signal.throwIfAborted();
        if (block.kind === "lines") {
          for (let at = block.start; at < block.end;) {
            at = filler.lines(block, at);
            if (filler.ready) await hand();
          }
        } else {
          for (const record of block.records) {
            while (!filler.record(record)) await hand();
            if (filler.ready) await hand();
          }
        }
        left = options.pace?.(index, reader.fileBytes) ?? false;
        if (left) break;
      }
      if (!left) filler.endFile();
    } finally {
      await reader.close();
    }
  }
}
