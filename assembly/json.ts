// Finds the ends of JSON values. A position of 0 means: not sure, let JSON.parse decide about this line.
// Every line ends in a newline, which no token may hold: it stops every loop here.

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/** Deeper values are left to JSON.parse; the service's own limit is a little above. */
const MOST_LEVELS: u32 = 60;

/** The first byte from `at` on that is no blank. Mostly that is the one at `at`: this is inlined, the loop is not. */
export function afterSpace(at: usize): usize {
  return load<u8>(at) > 0x20 ? at : afterBlanks(at);
}

function afterBlanks(at: usize): usize {
  let i = at;
  let byte: u32 = load<u8>(i);
  while (byte == 0x20 || byte == 0x09 || byte == 0x0d) byte = load<u8>(++i);
  return i;
}

/** Whether the string that {@link afterString} read last holds an escape: then its bytes are not its characters. */
export let escaped: bool = false;

function isHex(char: u32): bool {
  return char - 48 < 10 || (char | 32) - 97 < 6;
}

/** The byte behind the escape whose backslash is at `at`. Surrogates are left to JSON.parse. */
function afterEscape(at: usize): usize {
  const char: u32 = load<u8>(at, 1);
  if (char == 0x75) {
    for (let i: usize = 2; i < 6; i++) if (!isHex(load<u8>(at + i))) return 0;
    const isSurrogate = (load<u8>(at, 2) | 32) == 0x64 && load<u8>(at, 3) >= 0x38;
    return isSurrogate ? 0 : at + 6;
  }
  // " / \ b f n r t
  const simple =
    char == QUOTE || char == 0x2f || char == BACKSLASH || char == 0x62 || char == 0x66 || char == 0x6e;
  return simple || char == 0x72 || char == 0x74 ? at + 2 : 0;
}

/** The byte behind the string that starts at `at`, sixteen bytes at a time. */
export function afterString(at: usize): usize {
  escaped = false;
  let i = at + 1;
  while (true) {
    const bytes = v128.load(i);
    const stops = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c))),
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
    );
    const mask = i8x16.bitmask(stops);
    if (mask == 0) {
      i += 16;
      continue;
    }
    i += ctz(mask);
    const byte: u32 = load<u8>(i);
    if (byte == QUOTE) return i + 1;
    if (byte != BACKSLASH) return 0;
    escaped = true;
    i = afterEscape(i);
    if (i == 0) return 0;
  }
}

function isDigit(char: u32): bool {
  return char - 48 < 10;
}

/** The byte behind a number. What could be beyond a double is left to JSON.parse. */
function afterNumber(at: usize): usize {
  let i = at;
  if (load<u8>(i) == 0x2d) i++;
  const start = i;
  if (load<u8>(i) == 0x30) i++;
  else while (isDigit(load<u8>(i))) i++;
  if (i == start || i - start > 200) return 0;
  if (load<u8>(i) == 0x2e) {
    const fraction = ++i;
    while (isDigit(load<u8>(i))) i++;
    if (i == fraction) return 0;
  }
  if ((load<u8>(i) | 32) == 0x65) {
    i++;
    const sign: u32 = load<u8>(i);
    if (sign == 0x2b || sign == 0x2d) i++;
    const exponent = i;
    while (isDigit(load<u8>(i))) i++;
    if (i == exponent || i - exponent > 2) return 0;
  }
  return i;
}

/** The byte behind a string, number, true, false or null. */
function afterScalar(at: usize, first: u32): usize {
  if (first == QUOTE) return afterString(at);
  if (first == 0x2d || isDigit(first)) return afterNumber(at);
  if (first == 0x74) return load<u32>(at) == 0x65757274 ? at + 4 : 0;
  if (first == 0x66) return load<u32>(at, 1) == 0x65736c61 ? at + 5 : 0;
  return load<u32>(at) == 0x6c6c756e ? at + 4 : 0;
}

/** The byte behind the name at `at` and its colon and blanks. */
function afterName(at: usize): usize {
  if (load<u8>(at) != QUOTE) return 0;
  let i = afterString(at);
  if (i == 0) return 0;
  i = afterSpace(i);
  return load<u8>(i) == 0x3a ? afterSpace(i + 1) : 0;
}

/** The byte behind the value that starts at `at`. */
export function afterValue(at: usize): usize {
  let first: u32 = load<u8>(at);
  if (first != 0x7b && first != 0x5b) return afterScalar(at, first);
  // A bit for each open level: 1 an object, 0 an array.
  let levels: u64 = 0;
  let depth: u32 = 0;
  let i = at;
  while (true) {
    // Here a value starts at i.
    first = load<u8>(i);
    if (first == 0x7b || first == 0x5b) {
      if (++depth > MOST_LEVELS) return 0;
      const isObject = first == 0x7b;
      levels = (levels << 1) | (isObject ? 1 : 0);
      i = afterSpace(i + 1);
      if (load<u8>(i) != (isObject ? 0x7d : 0x5d)) {
        if (isObject) i = afterName(i);
        if (i == 0) return 0;
        continue;
      }
      // Empty: it ends right here.
    } else {
      i = afterScalar(i, first);
      if (i == 0) return 0;
      i = afterSpace(i);
      if (load<u8>(i) == 0x2c) {
        i = afterSpace(i + 1);
        if (levels & 1) i = afterName(i);
        if (i == 0) return 0;
        continue;
      }
    }
    // Here one or several levels end at i, until a comma leads to the next value.
    while (true) {
      if (load<u8>(i) != (levels & 1 ? 0x7d : 0x5d)) return 0;
      i++;
      levels >>= 1;
      if (--depth == 0) return i;
      i = afterSpace(i);
      if (load<u8>(i) == 0x2c) {
        i = afterSpace(i + 1);
        if (levels & 1) i = afterName(i);
        if (i == 0) return 0;
        break;
      }
    }
  }
}
