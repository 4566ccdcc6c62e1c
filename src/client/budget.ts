import { Pace } from "./pace";

/** Waits longer than this are told to the person. */
export const TOLD_AFTER_MS = 5000;
/** Requests under way at once; as many as there are connections, so that none waits out of sight. */
export const MAX_IN_FLIGHT = 16;
/** The wait for an own pace has no end of its own to be told by; once a minute is enough. */
const PACE_TOLD_EVERY_MS = 60_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Clock and sleep, so that tests need not wait. */
export interface Time {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** The real clock; one that is set anew while we wait does not change how long. */
export const realTime: Time = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (milliseconds) =>
    new Promise((resolve) => setTimeout(resolve, Math.min(milliseconds, LONGEST_TIMER_MS))),
};

/** One request on its way; given back by {@link Budget.leave}. */
export interface Turn {
  readonly startedAt: number;
}

interface Waiter {
  readonly ticket: number;
  readonly deadline: number;
  readonly resolve: (turn: Turn | undefined) => void;
}

/**
 * The requests that one key may make to one host, shared by everything in the process. While the service asks to
 * wait, all wait, in the order of their tickets; a request that is made again keeps its ticket, so none starves.
 * After a pause one request goes first, and each answer lets one more go with the next.
 */
export class Budget {
  private readonly line: Waiter[] = [];
  private nextTicket = 0;
  private inFlight = 0;
  private mostInFlight = MAX_IN_FLIGHT;
  private closedUntil = -Infinity;
  private closedFor = "";
  private toldUntil = -Infinity;
  private paceToldAt = -Infinity;
  private isWaking = false;
  private pace: Pace | undefined;

  constructor(
    requestsPerMinute: number | undefined,
    private readonly time: Time,
    private readonly log: (line: string) => void,
  ) {
    this.keepPace(requestsPerMinute);
  }

  /** Keeps this pace from now on; of several that are asked for, the slowest counts. */
  keepPace(requestsPerMinute: number | undefined): void {
    if (requestsPerMinute === undefined) return;
    if (this.pace === undefined || requestsPerMinute < this.pace.requestsPerMinute) {
      this.pace = new Pace(requestsPerMinute);
    }
  }

  /** A place in the line, for a request and all its tries. */
  ticket(): number {
    return this.nextTicket++;
  }

  /** Waits for its turn; undefined where that would come after the deadline. */
  enter(ticket: number, deadline: number): Promise<Turn | undefined> {
    return new Promise((resolve) => {
      const place = this.line.findLastIndex((waiter) => waiter.ticket < ticket) + 1;
      this.line.splice(place, 0, { ticket, deadline, resolve });
      this.serve();
    });
  }

  /** The request of this turn is over. */
  leave(turn: Turn): void {
    this.inFlight--;
    // What started before the pause says nothing about the service after it.
    if (turn.startedAt >= this.closedUntil && this.mostInFlight < MAX_IN_FLIGHT) this.mostInFlight++;
    this.serve();
  }

  /** Closes for everybody: the service asked to wait. */
  close(milliseconds: number, reason: string): void {
    const until = this.time.now() + milliseconds;
    this.mostInFlight = 1;
    if (until <= this.closedUntil) return;
    this.closedUntil = until;
    this.closedFor = reason;
    for (const waiter of this.line.filter(({ deadline }) => deadline < until)) this.dismiss(waiter);
    this.serve();
  }

  /** Tells a long wait, unless one that ends about then has been told. */
  tell(until: number, reason: string): void {
    const rest = until - this.time.now();
    if (rest <= TOLD_AFTER_MS || until <= this.toldUntil + TOLD_AFTER_MS) return;
    this.toldUntil = until;
    this.log(`waiting ${String(Math.ceil(rest / 1000))} s: ${reason}`);
  }

  private serve(): void {
    for (;;) {
      const next = this.line[0];
      if (next === undefined) return;
      const now = this.time.now();
      const start = Math.max(now, this.closedUntil, this.pace?.next() ?? now);
      if (start > next.deadline) {
        this.dismiss(next);
        continue;
      }
      if (start > now) {
        if (this.closedUntil > now) this.tell(this.closedUntil, this.closedFor);
        else this.tellPace(now);
        this.wakeIn(start - now);
        return;
      }
      if (this.inFlight >= this.mostInFlight) return;
      this.line.shift();
      this.inFlight++;
      this.pace?.take(now);
      next.resolve({ startedAt: now });
    }
  }

  private dismiss(waiter: Waiter): void {
    this.line.splice(this.line.indexOf(waiter), 1);
    waiter.resolve(undefined);
  }

  private tellPace(now: number): void {
    if (this.pace === undefined || now < this.paceToldAt + PACE_TOLD_EVERY_MS) return;
    const rest = this.pace.next() - now + (this.line.length - 1) * (60_000 / this.pace.requestsPerMinute);
    if (rest <= TOLD_AFTER_MS) return;
    this.paceToldAt = now;
    this.log(
      `waiting ${String(Math.ceil(rest / 1000))} s: posthog:requestsPerMinute is ${String(this.pace.requestsPerMinute)}`,
    );
  }

  private wakeIn(milliseconds: number): void {
    if (this.isWaking) return;
    this.isWaking = true;
    void this.time.sleep(milliseconds).then(() => {
      this.isWaking = false;
      this.serve();
    });
  }
}
