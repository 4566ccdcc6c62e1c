/** Waits longer than this are told to the person. */
export const TOLD_AFTER_MS = 5000;

/** Clock and sleep, so that tests need not wait. */
export interface Time {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** The real clock. */
export const realTime: Time = {
  now: () => Date.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

/**
 * The requests that one key may make to one host, shared by everything in the process: all wait while the service
 * asks to wait, in the order they came, and start again one after the other instead of all at once.
 */
export class Budget {
  /** Before this moment nobody starts. */
  private closedUntil = 0;
  /** When the next request may start, where a pace is kept. */
  private nextStart = 0;
  private line: Promise<void> = Promise.resolve();
  /** Until then requests are spread out, lest the service closes again at once. */
  private gentleUntil = 0;

  constructor(
    private readonly requestsPerMinute: number | undefined,
    private readonly time: Time,
    private readonly log: (line: string) => void,
  ) {}

  /** Waits for its turn; false where that would be after the deadline. */
  turn(deadline: number): Promise<boolean> {
    const mine = this.line.then(() => this.wait(deadline));
    this.line = mine.then(() => undefined);
    return mine;
  }

  /** Closes for everybody: the service asked to wait. */
  close(milliseconds: number, reason: string): void {
    const until = this.time.now() + milliseconds;
    if (until <= this.closedUntil) return;
    if (milliseconds > TOLD_AFTER_MS && this.time.now() >= this.closedUntil) {
      this.log(`waiting ${String(Math.ceil(milliseconds / 1000))} s: ${reason}`);
    }
    this.closedUntil = until;
    this.gentleUntil = until + GENTLE_MS;
  }

  private async wait(deadline: number): Promise<boolean> {
    for (;;) {
      const now = this.time.now();
      const start = Math.max(this.closedUntil, this.nextStart);
      if (start > deadline) return false;
      if (start <= now) break;
      // A later close prolongs the wait, so it is looked at again after each sleep.
      await this.time.sleep(start - now);
    }
    const now = this.time.now();
    const spacing = now < this.gentleUntil ? GENTLE_SPACING_MS : 0;
    const paced = this.requestsPerMinute === undefined ? 0 : 60_000 / this.requestsPerMinute;
    this.nextStart = Math.max(now, this.nextStart) + Math.max(spacing, paced);
    return true;
  }
}

const GENTLE_MS = 3000;
const GENTLE_SPACING_MS = 25;
