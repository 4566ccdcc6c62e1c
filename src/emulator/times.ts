/** Times as the service prints them: UTC with `Z`, microseconds only where there are any. */

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;

export interface ParsedTime {
  /** The service's notation, in UTC. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The input named no offset, so UTC was taken. */
  readonly naive: boolean;
}

export function printTime(at: Date | number): string {
  const [seconds = "", fraction = ""] = new Date(at).toISOString().split(/[.Z]/);
  return fraction === "000" ? `${seconds}Z` : `${seconds}.${fraction}000Z`;
}

/** Reads an ISO 8601 date or date-time; undefined where the text is none. Keeps microseconds, cuts finer digits. */
export function parseTime(input: string): ParsedTime | undefined {
  const match = ISO.exec(input.trim());
  if (!match) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", digits = "", zone] = match;
  const fields = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = fields;
  const micros = Number(digits.padEnd(6, "0").slice(0, 6));
  const local = new Date(Date.UTC(y, mo - 1, d, h, mi, s));
  const exists =
    local.getUTCFullYear() === y &&
    local.getUTCMonth() === mo - 1 &&
    local.getUTCDate() === d &&
    h < 24 &&
    mi < 60 &&
    s < 60;
  if (!exists) return undefined;
  const seconds = local.getTime() - offsetMilliseconds(zone);
  const whole = new Date(seconds).toISOString().slice(0, 19);
  const fraction = micros === 0 ? "" : `.${String(micros).padStart(6, "0")}`;
  return { text: `${whole}${fraction}Z`, at: seconds + Math.floor(micros / 1000), naive: zone === undefined };
}

/** Python's `isoformat()` of a time in UTC, which upstream builds backfill ids from. */
export function pythonIsoFormat(time: ParsedTime): string {
  return time.text.replace("Z", "+00:00");
}

function offsetMilliseconds(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0;
  const sign = zone.startsWith("-") ? -1 : 1;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60_000;
}
