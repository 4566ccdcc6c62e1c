// Reads the common form of a timestamp: 2023-01-31T12:34:56[.123456](Z|+01:00), and leaves all others to JavaScript.

/** What {@link readTime} answers where it is not sure. */
export const UNSURE: f64 = -1;

function twoDigits(at: usize): i32 {
  const high: i32 = <i32>load<u8>(at) - 48;
  const low: i32 = <i32>load<u8>(at, 1) - 48;
  return <u32>high < 10 && <u32>low < 10 ? high * 10 + low : -1;
}

function daysIn(year: i32, month: i32): i32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** Days from 1970-01-01 to a day of the Gregorian calendar, years counted from March. */
function daysSince1970(year: i32, month: i32, day: i32): i32 {
  const y = month <= 2 ? year - 1 : year;
  const era = y / 400;
  const yearOfEra = y - era * 400;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

/** Milliseconds since 1970 of the text [at, end); {@link UNSURE} for any other form, and before 1970. */
export function readTime(at: usize, end: usize): f64 {
  if (end - at < 20) return UNSURE;
  const century = twoDigits(at);
  const yearOfCentury = twoDigits(at + 2);
  const month = twoDigits(at + 5);
  const day = twoDigits(at + 8);
  const hour = twoDigits(at + 11);
  const minute = twoDigits(at + 14);
  const second = twoDigits(at + 17);
  if ((century | yearOfCentury | month | day | hour | minute | second) < 0) return UNSURE;
  const separated =
    load<u8>(at, 4) == 0x2d &&
    load<u8>(at, 7) == 0x2d &&
    load<u8>(at, 10) == 0x54 &&
    load<u8>(at, 13) == 0x3a &&
    load<u8>(at, 16) == 0x3a;
  const year = century * 100 + yearOfCentury;
  if (!separated || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return UNSURE;
  if (hour > 23 || minute > 59 || second > 59) return UNSURE;
  let i = at + 19;
  let fraction = 0;
  if (load<u8>(i) == 0x2e) {
    const start = ++i;
    while (<u32>load<u8>(i) - 48 < 10) {
      if (i - start < 3) fraction = fraction * 10 + (<i32>load<u8>(i) - 48);
      i++;
    }
    const digits = i - start;
    if (digits < 1 || digits > 9) return UNSURE;
    if (digits == 1) fraction *= 100;
    else if (digits == 2) fraction *= 10;
  }
  let offset = 0;
  if (i + 1 == end && load<u8>(i) == 0x5a) offset = 0;
  else if (i + 6 == end && load<u8>(i, 3) == 0x3a) {
    const sign: u32 = load<u8>(i);
    const hours = twoDigits(i + 1);
    const minutes = twoDigits(i + 4);
    if ((sign != 0x2b && sign != 0x2d) || hours < 0 || hours > 18 || minutes < 0 || minutes > 59)
      return UNSURE;
    offset = (hours * 60 + minutes) * (sign == 0x2d ? -1 : 1);
  } else return UNSURE;
  const minutes = <i64>daysSince1970(year, month, day) * 1440 + hour * 60 + minute - offset;
  const ms = minutes * 60000 + second * 1000 + fraction;
  return ms < 0 ? UNSURE : <f64>ms;
}
