/** What a clock can show against ours, in milliseconds: at least and at most. */
interface Offset {
  readonly least: number;
  readonly most: number;
}

const said = new Map<string, number>();
const storing = new Map<string, Offset>();

/** Clocks of two machines differ by so much at most, where the service's has not been seen. */
const UNSEEN_SKEW_MS = 60_000;
/** Headers have whole seconds, and the machine that answers need not be the one that stores. */
const SEEN_SKEW_MS = 1_500;
/** A creation that took longer says too little of when in that time it was dated. */
const LONGEST_CREATION_MS = 5_000;

/** Learns what time it is at the service, from the `Date` header of an answer. */
export function noteServiceTime(origin: string, date: string | string[] | undefined): void {
  const time = typeof date === "string" ? Date.parse(date) : NaN;
  if (!Number.isNaN(time)) said.set(origin, time - Date.now());
}

/**
 * Learns by which clock the service dates what it stores, from something new: a proxy may write the header by its own.
 *
 * @param date what the new object says
 * @param asked when it was asked for, and `answered` when it was there (our clock)
 */
export function noteCreation(host: string, date: unknown, asked: number, answered: number): void {
  const time = typeof date === "string" ? Date.parse(date) : NaN;
  const width = answered - asked;
  const { origin } = new URL(host);
  const known = storing.get(origin);
  if (Number.isNaN(time) || width > LONGEST_CREATION_MS) return;
  if (known === undefined || width < known.most - known.least) {
    storing.set(origin, { least: time - answered, most: time - asked });
  }
}

/** Whether the clock is known by which the service dates what it stores. */
export function knowsStoringClock(host: string): boolean {
  return storing.has(new URL(host).origin);
}

/** Whether something that came to be between two moments of ours can have this date, by either clock of the service. */
export function canBeDated(host: string, date: number, from: number, to: number): boolean {
  const { origin } = new URL(host);
  const header = said.get(origin);
  const dating = storing.get(origin);
  const clocks: Offset[] = [
    header === undefined
      ? { least: -UNSEEN_SKEW_MS, most: UNSEEN_SKEW_MS }
      : { least: header - SEEN_SKEW_MS, most: header + 1_000 + SEEN_SKEW_MS },
    ...(dating === undefined
      ? []
      : [{ least: dating.least - SEEN_SKEW_MS, most: dating.most + SEEN_SKEW_MS }]),
  ];
  return clocks.some(({ least, most }) => date >= from + least && date <= to + most);
}
