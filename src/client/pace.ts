const MINUTE_MS = 60_000;
/** Part of a minute's requests that may start at once: a small change need not wait. */
const BURST = 0.1;

/** When requests may start so that no minute sees more than so many of them, wherever that minute begins. */
export class Pace {
  private readonly burst: number;
  private readonly interval: number;
  /** When the next request would be due if all kept the interval. */
  private due = -Infinity;

  constructor(readonly requestsPerMinute: number) {
    this.burst = Math.max(1, Math.floor(requestsPerMinute * BURST));
    // In whole milliseconds, so that rounding never lets one more into a minute.
    this.interval = Math.ceil(MINUTE_MS / (requestsPerMinute - this.burst + 1));
  }

  /** The earliest moment for one more request. */
  next(): number {
    return this.due - (this.burst - 1) * this.interval;
  }

  /** Counts a request that starts now. */
  take(now: number): void {
    this.due = Math.max(this.due, now) + this.interval;
  }
}
