import type { Time } from "../../src/client/budget";
import type { Surroundings } from "../../src/client/client";

/** A clock that moves only when told, and wakes sleepers in the order of their times. */
export class Clock implements Time {
  private at = 0;
  private readonly sleepers: { wakeAt: number; wake: () => void }[] = [];

  now(): number {
    return this.at;
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((wake) => this.sleepers.push({ wakeAt: this.at + milliseconds, wake }));
  }

  /** Moves on, stopping wherever somebody wakes, and lets everything happen that can. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.at + milliseconds;
    await settle();
    for (;;) {
      this.sleepers.sort((a, b) => a.wakeAt - b.wakeAt);
      const next = this.sleepers[0];
      if (next === undefined || next.wakeAt > end) break;
      this.sleepers.shift();
      this.at = Math.max(this.at, next.wakeAt);
      next.wake();
      await settle();
    }
    this.at = end;
  }
}

/** Lets every promise that can be kept be kept. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A clock that jumps to the end of every sleep; notes how long each was and what was told. */
export function jumping(beforeWaking: () => Promise<void> = () => Promise.resolve()) {
  let now = 0;
  const slept: number[] = [];
  const lines: string[] = [];
  const surroundings: Surroundings = {
    time: {
      now: () => now,
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
        const wakeAt = now + milliseconds;
        // Requests in flight are answered before the clock jumps, as they are where a second is a second.
        await new Promise((resolve) => setTimeout(resolve, 20));
        await beforeWaking();
        now = Math.max(now, wakeAt);
      },
    },
    random: () => 1,
    log: (line) => lines.push(line),
  };
  return { surroundings, slept, lines };
}
