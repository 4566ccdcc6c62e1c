import type { SourceFile } from "../source/files";
import { isChanged } from "../source/print";
import { untouched, type Checkpoint, type FileProgress } from "./checkpoint";

/** A checkpoint brought together with the files that are there now. */
export interface Resumed {
  readonly files: FileProgress[];
  /** What a person should know: changed, new and missing files. */
  readonly notes: string[];
}

/**
 * Decides for each file where to go on. A file that changed starts over, which is harmless: what was sent from it before
 * has the same uuid again. Times of files do not decide, since a copy on another machine has another time.
 */
export function resumeFiles(checkpoint: Checkpoint, files: readonly SourceFile[]): Resumed {
  const known = new Map(checkpoint.files.map((file) => [file.name, file]));
  const notes: string[] = [];
  const resumed = files.map((file) => {
    const before = known.get(file.name);
    known.delete(file.name);
    if (before === undefined) {
      notes.push(`${file.name} is new since the import began: it is imported as well`);
      return untouched(file);
    }
    if (!isChanged(before, file)) return { ...before, mtimeMs: file.mtimeMs, samples: file.samples };
    if (before.offset > 0 || before.done) {
      notes.push(
        `${file.name} changed since it was ${before.done ? "imported" : "begun"} (${before.size} bytes then, ${file.size} now): ` +
          "it is read again from its start; events that were sent before keep their uuid",
      );
    }
    return untouched(file);
  });
  for (const gone of known.values()) {
    const state = gone.done
      ? "was imported before"
      : gone.offset > 0
        ? "was imported in part"
        : "was not begun";
    notes.push(`${gone.name} is no longer there; it ${state}`);
    // Its totals stay part of the outputs: the events were sent.
    if (gone.done || gone.offset > 0) resumed.push({ ...gone, done: true });
  }
  return { files: resumed, notes };
}
