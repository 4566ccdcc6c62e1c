import { throttled } from "./errors";

/** Requests that one key may make. The service's own limits are 480 per minute and 4800 per hour. */
export interface RateLimit {
  readonly perMinute?: number;
  readonly perHour?: number;
  /** Any other window, such as a short one for tests that have no minute to wait. */
  readonly window?: { readonly requests: number; readonly seconds: number };
}

export class RateLimitSpecError extends Error {
  constructor(specification: string) {
    super(
      `"${specification}" is no rate limit: write 480/min, 4800/hour, both as 480/min,4800/hour, or 20/10s`,
    );
  }
}

const PART = /^\s*([1-9]\d*)\s*\/\s*(?:(min|minute|h|hour)|([1-9]\d*)\s*s)\s*$/i;

/** Reads `480/min`, `4800/hour`, `20/10s`, or several with commas. @throws RateLimitSpecError */
export function parseRateLimit(specification: string): RateLimit {
  const limit: { -readonly [K in keyof RateLimit]: RateLimit[K] } = {};
  for (const part of specification.split(",")) {
    const [, count, unit = "", seconds] = PART.exec(part) ?? [];
    if (count === undefined) throw new RateLimitSpecError(specification);
    if (seconds !== undefined) limit.window = { requests: Number(count), seconds: Number(seconds) };
    else if (unit.toLowerCase().startsWith("m")) limit.perMinute = Number(count);
    else limit.perHour = Number(count);
  }
  return limit;
}

/** Counts each key's requests over sliding windows, as Django REST Framework does. */
export class Throttle {
  private readonly windows: {
    readonly limit: number;
    readonly length: number;
    readonly seen: Map<number, Times>;
  }[];

  constructor(
    { perMinute, perHour, window }: RateLimit,
    private readonly clock: () => number = () => performance.now(),
  ) {
    const limits = [
      { requests: perMinute, seconds: 60 },
      { requests: perHour, seconds: 3600 },
      window ?? { requests: undefined, seconds: 0 },
    ];
    this.windows = limits.flatMap(({ requests: limit, seconds }) =>
      limit === undefined ? [] : [{ limit, length: seconds * 1000, seen: new Map<number, Times>() }],
    );
  }

  /** Counts a request of this key. @throws ApiError 429 where a window is full; such a request does not count */
  pass(keyId: number): void {
    const now = this.clock();
    for (const window of this.windows) {
      let times = window.seen.get(keyId);
      if (!times) window.seen.set(keyId, (times = new Times()));
      times.forgetBefore(now - window.length);
      if (times.count >= window.limit) {
        throw throttled(Math.max(1, Math.ceil((times.oldest + window.length - now) / 1000)));
      }
      times.add(now);
    }
  }
}

/** Times in rising order, forgotten from the front without moving the rest at every step. */
class Times {
  private times: number[] = [];
  private start = 0;

  get count(): number {
    return this.times.length - this.start;
  }

  get oldest(): number {
    return this.times[this.start] ?? 0;
  }

  add(time: number): void {
    this.times.push(time);
  }

  forgetBefore(time: number): void {
    while (this.start < this.times.length && this.oldest <= time) this.start++;
    if (this.start > 1000 && this.start * 2 > this.times.length) {
      this.times = this.times.slice(this.start);
      this.start = 0;
    }
  }
}
