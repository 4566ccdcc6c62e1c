import { setTimeout as delay } from "node:timers/promises";

/** Time as an import sees it: replaced in tests. */
export interface Clock {
  /** Milliseconds that only ever grow. */
  now(): number;
  date(): Date;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1, for the jitter of waits. */
  random(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
  random: () => Math.random(),
};
