import type { Batch } from "../batch/batch";
import { addTotals, addChecksum, uuidChecksum } from "../checkpoint/totals";
import { asTotals, storedTotals, type Checkpoint } from "../checkpoint/checkpoint";
import type { Refused } from "../send/sender";
import type { DeadLetterFile } from "./dead-letters";

const uuidLength = 36;

/** The uuid that the engine wrote at the end of an event. */
function uuidOf(event: Buffer): string {
  const end = event.length - 2;
  return event.toString("latin1", end - uuidLength, end);
}

/** Moves the events that the service refused from what was sent to what was set aside. */
export function setAsideRefused(batch: Batch, refused: readonly Refused[]): void {
  for (const { event, problem } of refused) {
    const original = Buffer.from(batch.event(event));
    const { file, totals } = batch.segmentOf(event);
    totals.sent--;
    totals.skipped[problem.reason] = (totals.skipped[problem.reason] ?? 0) + 1;
    totals.checksum = addChecksum(totals.checksum, -uuidChecksum(uuidOf(original)));
    const line = batch.lines[event] ?? 0;
    batch.dead.push({ file, line, problem, original, isSent: true, bytes: original.length });
  }
}

/** Batches in flight, and the checkpoint that only moves over those acknowledged without a gap. */
export class Ledger {
  readonly #checkpoint: Checkpoint;
  readonly #deadLetters: DeadLetterFile;
  readonly #waiting: { readonly batch: Batch; acknowledged: boolean; readonly settle: () => void }[] = [];
  #commits: Promise<void> = Promise.resolve();
  #committing = false;
  #abandon = (): void => undefined;
  readonly #abandoned = new Promise<void>((resolve) => (this.#abandon = resolve));

  constructor(checkpoint: Checkpoint, deadLetters: DeadLetterFile) {
    this.#checkpoint = checkpoint;
    this.#deadLetters = deadLetters;
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint;
  }

  /** A batch leaves. The returned function says that the service has it; its promise ends when that is noted. */
  depart(batch: Batch): () => Promise<void> {
    let settle = (): void => undefined;
    const committed = new Promise<void>((resolve) => (settle = resolve));
    const entry = { batch, acknowledged: false, settle };
    this.#waiting.push(entry);
    return () => {
      entry.acknowledged = true;
      if (!this.#committing) {
        this.#committing = true;
        this.#commits = this.#commits.then(() => this.#commit());
      }
      // A commit that fails fails here, where somebody waits for it; one that ends may have been too early for this batch.
      return Promise.race([committed, this.#commits.then(() => committed), this.#abandoned]);
    };
  }

  /** One batch will never be acknowledged: whoever waits behind it waits no longer. What is before it still counts. */
  abandon(): void {
    this.#abandon();
  }

  /** Ends when everything is noted that is acknowledged without a gap. */
  settled(): Promise<void> {
    return this.#commits.catch(() => undefined);
  }

  async #commit(): Promise<void> {
    try {
      for (let first = this.#waiting[0]; first?.acknowledged === true; first = this.#waiting[0]) {
        await this.#note(first.batch);
        this.#waiting.shift();
        first.settle();
      }
    } finally {
      this.#committing = false;
    }
  }

  async #note(batch: Batch): Promise<void> {
    const { files } = this.#checkpoint;
    await this.#deadLetters.append(batch.dead, (file) => files[file]?.name ?? "");
    this.#checkpoint.deadLetterBytes = this.#deadLetters.bytes;
    for (const segment of batch.segments) {
      const file = files[segment.file];
      if (file === undefined) throw new RangeError("a segment of no file");
      file.offset = segment.offset;
      file.line = segment.line;
      file.done = segment.done;
      const totals = asTotals(file.totals);
      addTotals(totals, segment.totals);
      file.totals = storedTotals(totals);
    }
  }
}
