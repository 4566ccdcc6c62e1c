import { subscribe } from "node:diagnostics_channel";
import type { Time } from "../../src/client/budget";
import type { Surroundings } from "../../src/client/client";
import { isObject } from "../../src/engine/values/json";

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

/** Requests of this process that are neither answered nor given up. */
const underWay = new Set<unknown>();
subscribe("undici:request:create", (message) => underWay.add(requestOf(message)));
for (const end of ["trailers", "error"])
  subscribe(`undici:request:${end}`, (message) => underWay.delete(requestOf(message)));

function requestOf(message: unknown): unknown {
  return isObject(message) ? message["request"] : undefined;
}

/**
 * A clock that jumps to the end of the next sleep as soon as no request is under way, so that they are answered before,
 * as they are where a second is a second. Notes how long each sleep was and what was told.
 */
export function jumping(beforeWaking: () => Promise<void> = () => Promise.resolve()) {
  let now = 0;
  let isJumping = false;
  const sleepers: { wakeAt: number; wake: () => void }[] = [];
  const slept: number[] = [];
  const lines: string[] = [];
  const jump = async (): Promise<void> => {
    isJumping = true;
    while (sleepers.length > 0) {
      do await settle();
      while (underWay.size > 0);
      await beforeWaking();
      sleepers.sort((a, b) => a.wakeAt - b.wakeAt);
      const next = sleepers.shift();
      now = Math.max(now, next?.wakeAt ?? now);
      next?.wake();
    }
    isJumping = false;
  };
  const surroundings: Surroundings = {
    time: {
      now: () => now,
      sleep: (milliseconds) => {
        slept.push(milliseconds);
        return new Promise((wake) => {
          sleepers.push({ wakeAt: now + milliseconds, wake });
          if (!isJumping) void jump();
        });
      },
    },
    random: () => 1,
    log: (line) => lines.push(line),
  };
  return { surroundings, slept, lines };
}
