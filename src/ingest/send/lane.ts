import type { Clock } from "../clock";

/** The way to one host: all imports of the process share its rate and its pauses. */
export class Lane {
  readonly #clock: Clock;
  /** When the next event may leave. */
  #free: number;
  #pausedUntil: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#free = clock.now();
    this.#pausedUntil = this.#free;
  }

  /**
   * Waits for the turn of a number of events. A turn takes the time that its events have at their rate, so that several
   * imports together are no faster than one, and nothing is saved up for a burst.
   */
  async turn(events: number, eventsPerMinute: number | undefined, signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    let start = now;
    if (eventsPerMinute !== undefined) {
      start = Math.max(now, this.#free);
      this.#free = start + (events * 60_000) / eventsPerMinute;
    }
    while (true) {
      const wait = Math.max(start, this.#pausedUntil) - this.#clock.now();
      if (wait <= 0) return;
      await this.#clock.sleep(wait, signal);
    }
  }

  /** Nothing leaves for a while: the service asked for it. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + ms);
  }
}

const lanes = new Map<string, Lane>();

/** The lane to a host, one per process. */
export function laneTo(ingestHost: string, clock: Clock): Lane {
  const { host } = new URL(ingestHost);
  let lane = lanes.get(host);
  if (lane === undefined) {
    lane = new Lane(clock);
    lanes.set(host, lane);
  }
  return lane;
}
