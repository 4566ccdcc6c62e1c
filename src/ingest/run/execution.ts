import { setMaxListeners } from "node:events";
import { isLoopback, type Settings } from "../arguments";
import { Batch, migrationEnvelope, mostEvents } from "../batch/batch";
import { Filler } from "../batch/filler";
import { totalsOf, type Checkpoint } from "../checkpoint/checkpoint";
import { skippedCount } from "../checkpoint/totals";
import type { Clock } from "../clock";
import { ImportError } from "../errors";
import { describeProblem, type Problem } from "../event/reasons";
import { laneTo } from "../send/lane";
import { Poster } from "../send/post";
import { Sender } from "../send/sender";
import type { SourceFile } from "../source/files";
import { LineBuffers } from "../source/lines";
import { Arena } from "../wasm/arena";
import { DeadLetterFile } from "./dead-letters";
import type { LocalCheckpoint } from "./known";
import { Ledger, setAsideRefused } from "./ledger";
import type { ImportOptions } from "./options";
import { ProgressMeter, type Progress } from "./progress";
import { pump } from "./pump";
import { resultOf, type ImportResult } from "./result";

/** In-flight requests get this long to end when an import stops. */
const graceMs = 5000;

/** What was thrown as an error: those of Node come from another realm in some hosts, so instanceof tells nothing. */
function asError(thrown: unknown): Error {
  return typeof thrown === "object" && thrown !== null && "message" in thrown
    ? (thrown as Error)
    : new Error(String(thrown));
}

/** One run of an import: reads, sends, and keeps account of what was acknowledged. */
export class Run {
  readonly #settings: Settings;
  readonly #files: readonly SourceFile[];
  readonly #local: Pick<LocalCheckpoint, "store" | "common">;
  readonly #deadLetterFile: string;
  readonly #deadLetters: DeadLetterFile;
  readonly #ledger: Ledger;
  readonly #sender: Sender;
  readonly #poster: Poster;
  readonly #filler: Filler;
  readonly #buffers: LineBuffers;
  readonly #options: ImportOptions & { readonly clock: Clock; readonly log: (line: string) => void };
  readonly #meter: ProgressMeter;
  readonly #hard = new AbortController();
  readonly #soft = new AbortController();
  readonly #free: Batch[];
  readonly #flying = new Set<Promise<void>>();
  readonly #base: { readonly requests: number; readonly retries: number; readonly bytesSent: number };
  readonly #totalBytes: number;
  #batch: Batch;
  #freed: (() => void) | undefined;
  #failure: Error | undefined;
  #departed: number;
  #fileBytes = 0;
  #file = 0;

  constructor(
    settings: Settings,
    files: readonly SourceFile[],
    checkpoint: Checkpoint,
    local: Pick<LocalCheckpoint, "store" | "common">,
    deadLetterFile: string,
    options: ImportOptions & { readonly clock: Clock; readonly log: (line: string) => void },
  ) {
    const { concurrency, batchBytes, eventsPerMinute } = settings;
    // Every request and every wait listens to it: more than Node takes for a leak.
    setMaxListeners(0, this.#hard.signal);
    this.#settings = settings;
    this.#files = files;
    this.#local = local;
    this.#options = options;
    this.#deadLetterFile = deadLetterFile;
    this.#deadLetters = new DeadLetterFile(deadLetterFile, checkpoint.deadLetterBytes);
    this.#ledger = new Ledger(checkpoint, this.#deadLetters);
    const slots = concurrency + 1;
    const envelope = migrationEnvelope(options.projectApiKey);
    const arena = new Arena(LineBuffers.bytes + slots * (Batch.bytes(batchBytes) + envelope.head.length));
    this.#buffers = new LineBuffers(arena);
    this.#free = Array.from({ length: slots }, () => new Batch(arena, envelope, batchBytes));
    this.#batch = this.#free.pop() ?? new Batch(arena, envelope, batchBytes);
    this.#filler = new Filler(arena, settings, this.#batch, {
      nowMs: options.clock.date().getTime(),
      // About one request a second: an even flow, and a rate that holds over any minute.
      mostEvents: eventsPerMinute === undefined ? mostEvents : Math.ceil(eventsPerMinute / 60),
    });
    this.#poster = new Poster(options.ingestHost, concurrency);
    this.#sender = new Sender({
      poster: this.#poster,
      lane: laneTo(options.ingestHost, options.clock),
      clock: options.clock,
      signal: this.#hard.signal,
      gzip: settings.args.gzip ?? !isLoopback(new URL(options.ingestHost).hostname),
      eventsPerMinute,
      deadlineMs: options.deadlineMs ?? 600_000,
      attemptMs: options.attemptMs ?? 60_000,
      projectApiKey: options.projectApiKey,
      log: options.log,
      tooLarge: (bytes) => {
        this.#filler.batchBytes = Math.max(
          64 * 1024,
          Math.min(this.#filler.batchBytes, Math.floor(bytes / 2)),
        );
      },
    });
    const { requests, retries, bytesSent } = checkpoint;
    this.#base = { requests, retries, bytesSent };
    const totals = totalsOf(checkpoint);
    this.#departed = totals.sent;
    this.#meter = new ProgressMeter(options.clock, options.progressEveryMs ?? 10_000, totals.sent);
    this.#totalBytes = Math.max(
      1,
      files.reduce((sum, { size }) => sum + size, 0),
    );
  }

  async execute(): Promise<ImportResult> {
    const stop = (): void => this.#soft.abort();
    this.#options.signal?.addEventListener("abort", stop, { once: true });
    if (this.#options.signal?.aborted === true) stop();
    try {
      await this.#readAndSend();
      return await this.#finish();
    } catch (error) {
      throw await this.#stopped(this.#failure ?? error);
    } finally {
      this.#options.signal?.removeEventListener("abort", stop);
      this.#poster.close();
      await this.#deadLetters.close();
    }
  }

  async #readAndSend(): Promise<void> {
    await pump({
      args: this.#settings.args,
      files: this.#files,
      buffers: this.#buffers,
      filler: this.#filler,
      signal: this.#soft.signal,
      from: (index) => {
        this.#file = index;
        const file = this.#ledger.checkpoint.files[index];
        return file === undefined || file.done ? undefined : { offset: file.offset, line: file.line };
      },
      hand: () => this.#hand(),
      pace: (_, fileBytes) => {
        this.#fileBytes = fileBytes;
        this.#refuseInvalid();
        return false;
      },
    });
    await this.#hand();
    await Promise.all(this.#flying);
    if (this.#failure !== undefined) throw this.#failure;
  }

  #invalid(file: number, line: number | undefined, problem: Problem): ImportError {
    return new ImportError(
      "invalid-events",
      `${this.#files[file]?.name}:${line} ${describeProblem(problem)}`,
      {
        hint: 'mend it, or have such events set aside by onInvalid: "skip" (--on-invalid skip)',
      },
    );
  }

  /** With `onInvalid: "fail"` the first invalid event ends the run; what was read before it is sent by the next. */
  #refuseInvalid(): void {
    const letter = this.#settings.onInvalid === "fail" ? this.#batch.dead[0] : undefined;
    if (letter === undefined) return;
    throw this.#invalid(letter.file, letter.line, letter.problem);
  }

  async #hand(): Promise<void> {
    this.#filler.close();
    this.#refuseInvalid();
    const batch = this.#batch;
    this.#departed += batch.count;
    if (!this.#settings.announced && this.#departed > this.#settings.announcedTotal) {
      throw new ImportError(
        "not-announced",
        `more than ${this.#settings.announcedTotal.toLocaleString("en")} events must be announced to the provider first`,
        {
          hint: "wait for its confirmation, then set announced to true: the import goes on where it stopped",
        },
      );
    }
    const flight = this.#deliver(batch).catch((error: unknown) => {
      this.#failure ??= asError(error);
      this.#ledger.abandon();
      this.#soft.abort();
      this.#freed?.();
    });
    this.#flying.add(flight);
    void flight.finally(() => this.#flying.delete(flight));
    while (this.#free.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      this.#soft.signal.throwIfAborted();
      await new Promise<void>((resolve) => (this.#freed = resolve));
    }
    this.#batch = this.#free.pop() ?? batch;
    this.#filler.use(this.#batch);
  }

  async #deliver(batch: Batch): Promise<void> {
    const acknowledged = this.#ledger.depart(batch);
    const refused = await this.#sender.send(batch);
    const first = refused[0];
    if (first !== undefined && this.#settings.onInvalid === "fail") {
      const { file } = batch.segmentOf(first.event);
      throw this.#invalid(file, batch.lines[first.event], first.problem);
    }
    setAsideRefused(batch, refused);
    await acknowledged();
    this.#free.push(batch);
    this.#freed?.();
    this.#local.store.offer(() => this.#snapshot());
    const progress = this.#meter.measure(() => this.#sample());
    if (progress !== undefined) this.#options.onProgress?.(progress);
  }

  #sample(): Omit<Progress, "eventsPerSecond" | "secondsLeft"> {
    const totals = totalsOf(this.#ledger.checkpoint);
    const before = this.#files.slice(0, this.#file).reduce((sum, { size }) => sum + size, 0);
    return {
      events: totals.sent,
      skipped: skippedCount(totals),
      fraction: Math.min(1, (before + this.#fileBytes) / this.#totalBytes),
      requests: this.#base.requests + this.#sender.requests,
      retries: this.#base.retries + this.#sender.retries,
      file: this.#files[this.#file]?.name ?? "",
    };
  }

  #snapshot(): Checkpoint {
    const { requests, retries, bytesSent } = this.#base;
    return {
      ...this.#ledger.checkpoint,
      requests: requests + this.#sender.requests,
      retries: retries + this.#sender.retries,
      bytesSent: bytesSent + this.#sender.bytesSent,
    };
  }

  async #finish(): Promise<ImportResult> {
    const finished: Checkpoint = {
      ...this.#snapshot(),
      status: "finished",
      finishedAt: this.#options.clock.date().toISOString(),
    };
    // The source is all sent: a folder that cannot be written to must not make that look like a failure.
    await this.#local.store.save(finished).then(
      () => this.#local.common.save(finished).catch(() => undefined),
      () =>
        this.#options.log(
          "warning: the finished checkpoint could not be written; what is stored elsewhere still counts",
        ),
    );
    const progress = this.#meter.measure(() => ({ ...this.#sample(), fraction: 1 }), true);
    if (progress !== undefined) this.#options.onProgress?.(progress);
    return resultOf(finished, this.#deadLetterFile, this.#sender.requests);
  }

  async #stopped(error: unknown): Promise<ImportError> {
    this.#soft.abort();
    const grace = setTimeout(() => this.#hard.abort(), graceMs);
    await Promise.all(this.#flying);
    await this.#ledger.settled();
    clearTimeout(grace);
    const checkpoint = this.#snapshot();
    await this.#local.store.save(checkpoint).catch(() => undefined);
    const causes = [error, this.#failure].filter((thrown) => thrown !== undefined);
    const cause =
      causes.find((thrown) => !(thrown instanceof Error && thrown.name === "AbortError")) ?? error;
    if (cause instanceof ImportError) return cause.at(checkpoint);
    if (this.#options.signal?.aborted === true) {
      return new ImportError("interrupted", "the import was interrupted", {
        hint: "run it again: it goes on where it stopped",
        checkpoint,
      });
    }
    const file = this.#files[this.#file]?.name ?? "the source";
    const said = cause instanceof Error ? cause.message : String(cause);
    return new ImportError("source", `${file}: ${said}`, { checkpoint, cause });
  }
}
