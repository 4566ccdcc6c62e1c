import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Batch } from "../batch/batch";
import type { Clock } from "../clock";
import { codeOf, ImportError } from "../errors";
import type { Problem } from "../event/reasons";
import { judge, type Answer, type Verdict } from "./answer";
import type { Lane } from "./lane";
import type { Poster } from "./post";

const compress = promisify(gzip);

const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** Waits longer than this are told. */
const toldWaitMs = 5000;
/** After so many single events refused in a row, and as many parts that are looked at then, the fault is not the events'. */
const mostRefusedInARow = 20;
/** The same where the service took others: a stretch of a file may well be bad. */
const mostRefusedAmongTaken = 2000;
/** Errors that no waiting mends, while nothing was ever acknowledged. */
const hopeless = /^(ENOTFOUND|ERR_TLS|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|ERR_SSL|EPROTO|ERR_INVALID)/;

/** What a sender works with. */
export interface SenderOptions {
  readonly poster: Poster;
  readonly lane: Lane;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly gzip: boolean;
  readonly eventsPerMinute: number | undefined;
  /** How long one request may be tried, with all its repetitions. */
  readonly deadlineMs: number;
  /** How long one attempt may take. */
  readonly attemptMs: number;
  readonly projectApiKey: string;
  readonly log: (line: string) => void;
  /** The service said that a body of this many bytes is too large. */
  readonly tooLarge: (bytes: number) => void;
}

/** Events [from, to) of a batch. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** An event that the service refused. */
export interface Refused {
  readonly event: number;
  readonly problem: Problem;
}

/** The wait before repetition number `attempt` (from 0): it doubles, and half of it is chance, so that many do not come back at once. */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt, 16));
  return full * (0.5 + random / 2);
}

/** Sends batches until the service has them: repeats, halves and bisects as its answers demand. */
export class Sender {
  readonly #options: SenderOptions;
  requests = 0;
  retries = 0;
  bytesSent = 0;
  #acknowledged = false;
  #refusedInARow = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Sends every event of a batch; answers those that the service refused. */
  async send(batch: Batch): Promise<Refused[]> {
    const refused: Refused[] = [];
    const waiting: Range[] = batch.count > 0 ? [{ from: 0, to: batch.count }] : [];
    while (true) {
      // Where single events are refused one after the other, the largest part left tells whether all would be.
      const range = this.#refusedInARow >= mostRefusedInARow ? waiting.shift() : waiting.pop();
      if (range === undefined) return refused.sort((a, b) => a.event - b.event);
      const { from, to } = range;
      const body = batch.body(from, to);
      const verdict = await this.#until(body, to - from);
      if (verdict.kind === "accepted") {
        this.#refusedInARow = 0;
        continue;
      }
      if (verdict.kind === "too-large") this.#options.tooLarge(body.length);
      if (to - from === 1) refused.push({ event: from, problem: this.#problemOf(verdict) });
      this.#countRefusal(to - from, verdict);
      const middle = from + Math.ceil((to - from) / 2);
      if (to - from > 1) waiting.push({ from: middle, to }, { from, to: middle });
    }
  }

  #problemOf(verdict: Verdict): Problem {
    const said = verdict.kind === "invalid" ? this.#withoutKey(verdict.detail) : "";
    const reason = verdict.kind === "too-large" ? "event-too-large" : "rejected";
    return { reason, ...(said === "" ? {} : { detail: said }) };
  }

  /** Gives up where everything is refused: then the fault is not that of single events. */
  #countRefusal(events: number, verdict: Verdict): void {
    if (events === 1 || this.#refusedInARow >= mostRefusedInARow) this.#refusedInARow++;
    const most = this.#acknowledged ? mostRefusedAmongTaken : 2 * mostRefusedInARow;
    if (this.#refusedInARow < most) return;
    const said = verdict.kind === "invalid" ? `: ${this.#withoutKey(verdict.detail)}` : "";
    throw new ImportError(
      "refused",
      `the service refused ${most} requests in a row, most of a single event${said}`,
      {
        hint: "so many refusals point to the address or the mapping rather than to single events: look at one with import --dry-run --out FILE",
      },
    );
  }

  #withoutKey(text: string): string {
    return text.replaceAll(this.#options.projectApiKey, "…");
  }

  /** Sends one body again and again until there is a verdict about its events. */
  async #until(body: Buffer, events: number): Promise<Verdict> {
    const { clock, deadlineMs } = this.#options;
    let deadline = Infinity;
    const bytes = this.#options.gzip ? await compress(body, { level: constants.Z_BEST_SPEED }) : body;
    for (let attempt = 0; ; attempt++) {
      await this.#options.lane.turn(events, this.#options.eventsPerMinute, this.#options.signal);
      // Waiting for one's turn is no failing: the time counts from the first attempt.
      if (attempt === 0) deadline = clock.now() + deadlineMs;
      const verdict = await this.#attempt(bytes);
      if (verdict.kind === "stop")
        throw new ImportError("refused", this.#withoutKey(verdict.message), { hint: verdict.hint });
      if (verdict.kind !== "again") return verdict;
      await this.#wait(verdict, attempt, deadline);
    }
  }

  async #attempt(bytes: Buffer): Promise<Verdict> {
    const { poster, attemptMs, signal, clock } = this.#options;
    this.requests++;
    this.bytesSent += bytes.length;
    let answer: Answer;
    try {
      answer = await poster.post(bytes, this.#options.gzip, attemptMs, signal);
    } catch (error) {
      signal.throwIfAborted();
      const code = codeOf(error);
      const what = code === "" && error instanceof Error ? error.message : code;
      if (!this.#acknowledged && hopeless.test(code)) {
        throw new ImportError("unreachable", `the service cannot be reached (${what})`, {
          hint: "check ingestHost and the network",
          cause: error,
        });
      }
      return { kind: "again", what: `did not answer (${what})`, waitMs: undefined };
    }
    const verdict = judge(answer, clock.date().getTime());
    if (verdict.kind === "accepted") this.#acknowledged = true;
    return verdict;
  }

  async #wait(verdict: Verdict & { kind: "again" }, attempt: number, deadline: number): Promise<void> {
    const { clock, lane, signal, log, deadlineMs } = this.#options;
    const wait = Math.max(verdict.waitMs ?? 0, backoffMs(attempt, clock.random()));
    const what = this.#withoutKey(verdict.what);
    if (clock.now() + wait > deadline) {
      const asked =
        verdict.waitMs === undefined ? "" : ` and asks to wait ${Math.ceil(verdict.waitMs / 1000)} s`;
      throw new ImportError(
        "unreachable",
        `the service ${what}${asked}; it was tried for up to ${deadlineMs / 1000} s`,
        {
          hint: "run again later: it goes on where it stopped, and sending again does no harm",
        },
      );
    }
    this.retries++;
    if (verdict.waitMs !== undefined) lane.pause(wait);
    if (wait >= toldWaitMs)
      log(`the service ${what}: waiting ${Math.round(wait / 1000)} s before the next attempt`);
    await clock.sleep(wait, signal);
  }
}
