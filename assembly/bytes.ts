// Small things done to bytes.

/** Copies whole blocks of 16 bytes: up to 15 bytes behind the end are overwritten. */
export function put(to: usize, from: usize, end: usize): usize {
  const length = end - from;
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
  return to + length;
}

export function same(a: usize, aEnd: usize, b: usize, bEnd: usize): bool {
  const length = aEnd - a;
  if (bEnd - b != length) return false;
  for (let i: usize = 0; i < length; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false;
  return true;
}

/** Whether a string surely holds more than blanks. Characters whose first byte starts blanks as well are left to JavaScript. */
export function isFilled(text: usize): bool {
  const first: u32 = load<u8>(text, 1);
  if (first == 0x22) return false;
  if (first < 0x80) return first > 0x20 && first != 0x7f;
  if (first == 0xe3) return load<u8>(text, 2) != 0x80;
  return first != 0xc2 && first != 0xe1 && first != 0xe2 && first != 0xef;
}

/** Whether [at, end) are the bytes of a word of 8 to 16 bytes, given by its first and last 8. */
export function isLong(at: usize, length: u32, size: u32, first: u64, last: u64): bool {
  return length == size && load<u64>(at) == first && load<u64>(at + size - 8) == last;
}

export function putDigits(to: usize, value: u32): usize {
  let length: usize = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) length++;
  let rest = value;
  for (let i = length; i > 0; i--) {
    store<u8>(to + i - 1, 48 + (rest % 10));
    rest /= 10;
  }
  return to + length;
}

