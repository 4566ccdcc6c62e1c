const offsets = new Map<string, number>();

/** Learns what time it is at the service, from the `Date` header of an answer. */
export function noteServiceTime(origin: string, date: string | string[] | undefined): void {
  const said = typeof date === "string" ? Date.parse(date) : NaN;
  if (!Number.isNaN(said)) offsets.set(origin, said - Date.now());
}

/** Clocks of two machines differ by so much at most, where the service's has not been seen. */
const UNSEEN_SKEW_MS = 60_000;
/** Headers have whole seconds, and the machine that answers need not be the one that stores. */
const SEEN_SKEW_MS = 1_500;

/** The earliest and the latest that the service's clock can have shown at a moment of ours, in milliseconds. */
export function serviceTime(host: string, moment: number): { earliest: number; latest: number } {
  const offset = offsets.get(new URL(host).origin);
  return offset === undefined
    ? { earliest: moment - UNSEEN_SKEW_MS, latest: moment + UNSEEN_SKEW_MS }
    : { earliest: moment + offset - SEEN_SKEW_MS, latest: moment + offset + 1_000 + SEEN_SKEW_MS };
}
