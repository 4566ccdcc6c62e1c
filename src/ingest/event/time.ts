import type { Problem } from "./reasons";

const isoTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Events younger than this still belong to live capture: they are sent, but named. */
export const recentMs = 2 * dayMs;

/** A moment in milliseconds since 1970, or why it is none. */
export type TimeResult = { readonly ms: number } | Problem;

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * Reads an ISO 8601 date and time with a zone.
 * @param naive what to do with a time without zone: refuse it, or take it as UTC where the export's format says so.
 */
export function parseIsoTime(text: string, naive: "refuse" | "utc" = "refuse"): TimeResult {
  const match = isoTime.exec(text);
  if (match === null) return { reason: "timestamp-format" };
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? 0)) as [number, number, number, number, number, number];
  if (
    month < 1 ||
    month > 12 ||
    day < 1 ||
    day > daysIn(year, month) ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  ) {
    return { reason: "timestamp-format", detail: "no such moment in the calendar" };
  }
  const zone = match[8];
  let offset = 0;
  if (zone === undefined) {
    if (naive === "refuse") return { reason: "timestamp-without-zone" };
  } else if (zone.toUpperCase() !== "Z") {
    const hours = Number(zone.slice(1, 3));
    const minutes = zone.length === 3 ? 0 : Number(zone.slice(-2));
    if (hours > 18 || minutes > 59) return { reason: "timestamp-format", detail: "no such time zone" };
    offset = (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * minuteMs;
  }
  const fraction = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const ms = new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;
  return { ms: ms + fraction - offset };
}

/** A time with a zone in the spelling that every reader of ISO 8601 knows; all its digits stay. */
export function plainSpelling(text: string): string {
  const time = text.slice(10).replace("t", "T").replace("z", "Z").replace(",", ".");
  return text.slice(0, 10) + time.replace(/[+-]\d\d$/, "$&:00");
}

/** Checks that a moment can be of the past: not before 1970, not in the future. */
export function checkPast(ms: number, nowMs: number): Problem | undefined {
  if (ms < 0) return { reason: "timestamp-before-1970" };
  if (ms > nowMs) return { reason: "timestamp-future" };
  return undefined;
}

/** Units in which exports count time since 1970. */
export type TimeUnit = "seconds" | "milliseconds" | "microseconds";

const digitsAfterPoint: Record<TimeUnit, number> = { seconds: 0, milliseconds: 3, microseconds: 6 };

/** The unit that puts a count of time since 1970 between 1970 and 5138: exports do not name theirs. */
function guessUnit(digits: number): TimeUnit {
  if (digits <= 11) return "seconds";
  return digits <= 14 ? "milliseconds" : "microseconds";
}

/**
 * A count of seconds, milliseconds or microseconds since 1970 as ISO 8601 in UTC, with every digit of its precision.
 * @param raw the number as it stands in the source: text, since microseconds need all its digits.
 */
export function epochToIso(
  raw: string,
  unit?: TimeUnit,
): { readonly iso: string; readonly ms: number } | Problem {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(raw);
  if (match === null) return { reason: "timestamp-format", detail: "not a count of time since 1970" };
  const whole = match[2] ?? "0";
  if (match[1] === "-" && /[1-9]/.test(raw)) return { reason: "timestamp-before-1970" };
  if (whole.length > 17)
    return { reason: "timestamp-format", detail: "too large for a count of time since 1970" };
  const shift = digitsAfterPoint[unit ?? guessUnit(whole.replace(/^0+(?=\d)/, "").length)];
  const padded = whole.padStart(shift + 1, "0");
  const seconds = Number(padded.slice(0, padded.length - shift));
  const fraction = (padded.slice(padded.length - shift) + (match[3] ?? "")).slice(0, 6).replace(/0+$/, "");
  const ms = seconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
  if (ms > 253_402_300_799_000) return { reason: "timestamp-future", detail: "after the year 9999" };
  const date = new Date(seconds * 1000).toISOString().slice(0, 19);
  return { iso: `${date}${fraction === "" ? "" : `.${fraction}`}Z`, ms };
}
