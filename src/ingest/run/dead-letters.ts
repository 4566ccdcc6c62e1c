import { isUtf8 } from "node:buffer";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import path from "node:path";
import type { DeadLetter } from "../batch/batch";
import { describeProblem } from "../event/reasons";
import { longestRecord } from "../source/block";

/** One event that was set aside, as it stands in the dead-letter file. */
function lineOf(letter: DeadLetter, fileName: string): string {
  const { original, problem, line, bytes } = letter;
  const text = isUtf8(original)
    ? { original: original.toString("utf8") }
    : { originalBase64: original.toString("base64") };
  const cut = bytes > longestRecord ? { bytes, cut: true } : {};
  const { reason } = problem;
  const sent = letter.isSent === true ? { sent: true } : {};
  return `${JSON.stringify({ file: fileName, line, reason, explanation: describeProblem(problem), ...text, ...sent, ...cut })}\n`;
}

/** The file of events that were set aside: one JSON object a line, in the order of the source. */
export class DeadLetterFile {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #bytes: number;

  /** @param bytes how much of the file belongs to what was acknowledged before; the rest is written anew. */
  constructor(file: string, bytes: number) {
    this.#path = file;
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    await mkdir(path.dirname(this.#path), { recursive: true });
    const handle = await open(this.#path, "a");
    this.#handle = handle;
    const { size } = await handle.stat();
    // On another machine there is no file yet: what it would hold is only on the first.
    this.#bytes = Math.min(this.#bytes, size);
    await handle.truncate(this.#bytes);
    return handle;
  }

  async append(letters: readonly DeadLetter[], fileName: (file: number) => string): Promise<void> {
    if (letters.length === 0) return;
    const handle = await this.#open();
    for (const letter of letters) {
      const line = Buffer.from(lineOf(letter, fileName(letter.file)));
      await handle.appendFile(line);
      this.#bytes += line.length;
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}
