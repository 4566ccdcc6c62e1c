import type { Clock } from "../clock";

/** How far an import is. */
export interface Progress {
  /** Events acknowledged, earlier runs included. */
  readonly events: number;
  /** Events set aside, earlier runs included. */
  readonly skipped: number;
  /** Part of the files' bytes that is read, 0 to 1. */
  readonly fraction: number;
  /** Events a second since the progress before. */
  readonly eventsPerSecond: number;
  /** Seconds left at this pace; undefined while nobody can tell. */
  readonly secondsLeft: number | undefined;
  readonly requests: number;
  readonly retries: number;
  /** Name of the file that is being read. */
  readonly file: string;
}

/** A span of time for people: 42 s, 3 min, 2.5 h. */
export function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** A number for people: 1,234,567. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString("en");
}

/** Progress as one line. */
export function formatProgress(progress: Progress): string {
  const { events, skipped, fraction, eventsPerSecond, secondsLeft, retries } = progress;
  const parts = [
    `${formatCount(events)} events`,
    `${(Math.floor(fraction * 1000) / 10).toFixed(1)} %`,
    `${formatCount(eventsPerSecond)}/s`,
    ...(secondsLeft === undefined ? [] : [`${formatSeconds(secondsLeft)} left`]),
    ...(retries === 0 ? [] : [`${formatCount(retries)} retries`]),
    ...(skipped === 0 ? [] : [`${formatCount(skipped)} set aside`]),
  ];
  return parts.join(" · ");
}

/** What a measurement is made of. */
export interface ProgressSample {
  readonly events: number;
  readonly skipped: number;
  readonly fraction: number;
  readonly requests: number;
  readonly retries: number;
  readonly file: string;
}

/** Makes progress out of samples, not more often than asked for. */
export class ProgressMeter {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #begunMs: number;
  #first: ProgressSample | undefined;
  #last: { readonly ms: number; readonly events: number };

  constructor(clock: Clock, everyMs: number, events: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#begunMs = clock.now();
    this.#last = { ms: this.#begunMs, events };
  }

  /** Progress, if the last one is long enough ago. */
  measure(sample: () => ProgressSample, always = false): Progress | undefined {
    const now = this.#clock.now();
    const since = now - this.#last.ms;
    if (since < this.#everyMs && !always) return undefined;
    const taken = sample();
    this.#first ??= { ...taken, events: this.#last.events };
    const gained = taken.fraction - this.#first.fraction;
    const secondsLeft =
      gained > 0.0001 ? (((1 - taken.fraction) / gained) * (now - this.#begunMs)) / 1000 : undefined;
    const eventsPerSecond = since > 0 ? ((taken.events - this.#last.events) * 1000) / since : 0;
    this.#last = { ms: now, events: taken.events };
    return { ...taken, eventsPerSecond, secondsLeft };
  }
}
