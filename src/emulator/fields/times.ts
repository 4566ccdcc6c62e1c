/** Times as the service prints them: UTC with `Z`, microseconds only where there are any. */

const ZONE = String.raw`\s*(?<zone>Z|[+-]\d{2}(?::?\d{2})?)?$`;
const FRACTION = String.raw`(?:[.,](?<fraction>\d{1,12}))?`;

/** The notations that upstream reads: with and without dashes and colons, and with single digits. */
const NOTATIONS = [
  String.raw`^(?<y>\d{4})-(?<mo>\d{2})-(?<d>\d{2})(?:[T ](?<h>\d{2})(?::?(?<mi>\d{2})(?::?(?<s>\d{2})${FRACTION})?)?${ZONE}|$)`,
  String.raw`^(?<y>\d{4})(?<mo>\d{2})(?<d>\d{2})(?:[T ](?<h>\d{2})(?::?(?<mi>\d{2})(?::?(?<s>\d{2})${FRACTION})?)?${ZONE}|$)`,
  String.raw`^(?<y>\d{4})-(?<mo>\d{1,2})-(?<d>\d{1,2})[T ](?<h>\d{1,2}):(?<mi>\d{1,2})(?::(?<s>\d{1,2})${FRACTION})?${ZONE}`,
].map((notation) => new RegExp(notation));

export interface ParsedTime {
  /** The service's notation, in UTC. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The input named no offset, so UTC was taken. */
  readonly naive: boolean;
  /** In UTC it is before the year 1 or after the year 9999, which upstream cannot store. */
  readonly beyond: boolean;
}

export function printTime(at: Date | number): string {
  const [seconds = "", fraction = ""] = new Date(at).toISOString().split(/[.Z]/);
  return fraction === "000" ? `${seconds}Z` : `${seconds}.${fraction}000Z`;
}

/** Reads an ISO 8601 date or date-time; undefined where the text is none. Keeps microseconds, cuts finer digits. */
export function parseTime(input: string): ParsedTime | undefined {
  let groups: Record<string, string | undefined> | undefined;
  for (const notation of NOTATIONS) groups ??= notation.exec(input)?.groups;
  if (!groups) return undefined;
  const { y, mo, d, h = "0", mi = "0", s = "0", fraction = "", zone } = groups;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = [y, mo, d, h, mi, s].map(Number);
  const local = new Date(0);
  // Unlike Date.UTC it takes years below 100 for what they are.
  local.setUTCFullYear(year, month - 1, day);
  const exists =
    year > 0 &&
    local.getUTCFullYear() === year &&
    local.getUTCMonth() === month - 1 &&
    local.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!exists) return undefined;
  local.setUTCHours(hour, minute, second);
  const micros = Number(fraction.padEnd(6, "0").slice(0, 6));
  const whole = new Date(local.getTime() - offsetMilliseconds(zone));
  const printed = micros === 0 ? "" : `.${String(micros).padStart(6, "0")}`;
  return {
    text: `${whole.toISOString().slice(0, 19)}${printed}Z`,
    at: whole.getTime() + Math.floor(micros / 1000),
    naive: zone === undefined,
    beyond: whole.getUTCFullYear() < 1 || whole.getUTCFullYear() > 9999,
  };
}

/** Python's `isoformat()` of a time in UTC, which upstream builds backfill ids from. */
export function pythonIsoFormat(time: ParsedTime): string {
  return time.text.replace("Z", "+00:00");
}

function offsetMilliseconds(zone: string | undefined): number {
  if (zone === undefined || zone === "Z") return 0;
  const sign = zone.startsWith("-") ? -1 : 1;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60_000;
}
