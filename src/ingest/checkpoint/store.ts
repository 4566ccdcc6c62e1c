import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { readCheckpoint, type Checkpoint } from "./checkpoint";

/** Writing checkpoints takes at most one part in this of the time. */
const share = 20;
const longestPauseMs = 2000;

/** A checkpoint in a local file, replaced whole and not more often than it costs little. */
export class CheckpointStore {
  readonly #file: string;
  #writing: Promise<void> | undefined;
  #nextMs = 0;

  constructor(folder: string, name: string) {
    this.#file = path.join(folder, "imports", `${name}.json`);
  }

  async load(): Promise<Checkpoint | undefined> {
    const text = await readFile(this.#file, "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      return readCheckpoint(JSON.parse(text));
    } catch {
      return undefined;
    }
  }

  /** Writes if the last write is long enough ago. */
  offer(make: () => Checkpoint): void {
    if (this.#writing !== undefined || performance.now() < this.#nextMs) return;
    this.#writing = this.#write(make())
      // A checkpoint that cannot be written now is written with the next one; the last one is not optional.
      .catch(() => undefined)
      .finally(() => (this.#writing = undefined));
  }

  /** Writes now. */
  async save(checkpoint: Checkpoint): Promise<void> {
    await this.#writing;
    await this.#write(checkpoint);
  }

  async #write(checkpoint: Checkpoint): Promise<void> {
    const begun = performance.now();
    await mkdir(path.dirname(this.#file), { recursive: true });
    const temporary = `${this.#file}.${process.pid}.tmp`;
    await writeFile(temporary, JSON.stringify(checkpoint));
    await rename(temporary, this.#file);
    const took = performance.now() - begun;
    this.#nextMs = performance.now() + Math.min(longestPauseMs, Math.max(50, took * share));
  }
}
