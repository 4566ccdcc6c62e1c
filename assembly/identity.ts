// AssemblyScript (a TypeScript-like language compiled to WebAssembly by scripts/build-wasm.mjs).
// The identity of an event: its hash, its uuid, and whether this request holds it already.

/** Where JavaScript finds and leaves things. Everything below 1 MiB belongs to this module. */
export const DIGEST: usize = 64;
const CONTENT_DIGEST: usize = 96;
const TABLE: usize = 65536;
const SLOTS: u32 = 16384;
const SLOT_BYTES: u32 = 32;

/** What `finish` answers instead of an end position. */
export const DUPLICATE: i32 = -1;
export const CONFLICT: i32 = -2;
export const FULL: i32 = -3;

let generation: u32 = 0;
let sum: u64 = 0;

function rotl(x: u64, by: u64): u64 {
  return (x << by) | (x >> (64 - by));
}

function avalanche(value: u64): u64 {
  let k = value;
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccd;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53;
  k ^= k >> 33;
  return k;
}

const C1: u64 = 0x87c37b91114253d5;
const C2: u64 = 0x4cf5ad432745937f;

/** MurmurHash3, x64, 128 bits, seed 0: the 16 bytes are stored at `to`, least significant byte first. */
export function hash(from: usize, length: u32, to: usize): void {
  let h1: u64 = 0;
  let h2: u64 = 0;
  const blocksEnd = from + (length & ~15);
  let at = from;
  for (; at < blocksEnd; at += 16) {
    h1 ^= rotl(load<u64>(at) * C1, 31) * C2;
    h1 = (rotl(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= rotl(load<u64>(at, 8) * C2, 33) * C1;
    h2 = (rotl(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  const rest = length & 15;
  if (rest > 8) {
    let k2: u64 = 0;
    for (let i: u32 = rest; i > 8; i--) k2 = (k2 << 8) | load<u8>(at + i - 1);
    h2 ^= rotl(k2 * C2, 33) * C1;
  }
  if (rest > 0) {
    let k1: u64 = 0;
    for (let i: u32 = rest < 8 ? rest : 8; i > 0; i--) k1 = (k1 << 8) | load<u8>(at + i - 1);
    h1 ^= rotl(k1 * C1, 31) * C2;
  }
  h1 ^= length;
  h2 ^= length;
  h1 += h2;
  h2 += h1;
  h1 = avalanche(h1);
  h2 = avalanche(h2);
  h1 += h2;
  h2 += h1;
  store<u64>(to, h1);
  store<u64>(to, h2, 8);
}

/** Writes 16 bytes as the 36 characters of a uuid: nibbles become digits by a table, all of them at once. */
function writeUuid(from: usize, to: usize): void {
  const bytes = v128.load(from);
  const digits = i8x16(48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102);
  const high = i8x16.swizzle(digits, i8x16.shr_u(bytes, 4));
  const low = i8x16.swizzle(digits, v128.and(bytes, i8x16.splat(0x0f)));
  const first = i8x16.shuffle(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const second = i8x16.shuffle(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  v128.store64_lane(to, first, 0);
  store<u8>(to, 45, 8);
  v128.store32_lane(to + 9, first, 2);
  store<u8>(to, 45, 13);
  v128.store32_lane(to + 14, first, 3);
  store<u8>(to, 45, 18);
  v128.store32_lane(to + 19, second, 0);
  store<u8>(to, 45, 23);
  v128.store32_lane(to + 24, second, 1);
  v128.store64_lane(to + 28, second, 1);
}

function nibble(char: u32): i32 {
  if (char - 48 < 10) return char - 48;
  const letter = (char | 32) - 97;
  return letter < 6 ? letter + 10 : -1;
}

/** Reads a canonical uuid (36 characters, either case) into 16 bytes; false where it is none. */
export function readUuid(from: usize, to: usize): bool {
  let at = from;
  for (let i: usize = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      if (load<u8>(at++) != 45) return false;
    }
    const high = nibble(load<u8>(at));
    const low = nibble(load<u8>(at, 1));
    if ((high | low) < 0) return false;
    store<u8>(to + i, (high << 4) | low);
    at += 2;
  }
  return true;
}

/** Starts a request: nothing is in it yet. */
export function begin(): void {
  generation++;
  sum = 0;
}

/** The sum of the events of this request, modulo 2^64: of each uuid, its two halves (big-endian) combined by XOR. */
export function checksum(): u64 {
  return sum;
}

/**
 * Gives the event in [start, end), an object without uuid and closing brace, its identity and completes it in place.
 * With `given` != 0 there stand 36 characters of a uuid; else with `idLength` > 0 the hash is that of the bytes at
 * `id`; else it is that of the event. Answers the new end, or DUPLICATE, CONFLICT (same uuid, other content), FULL.
 */
export function finish(start: usize, end: usize, id: usize, idLength: u32, given: usize, limit: usize): i32 {
  const length = 48; // ,"uuid":"36 characters"}
  if (end + length > limit) return FULL;
  let content: u64;
  if (given) {
    readUuid(given, DIGEST);
    hash(start, <u32>(end - start), CONTENT_DIGEST);
    content = load<u64>(CONTENT_DIGEST);
  } else {
    if (idLength > 0) hash(id, idLength, DIGEST);
    else hash(start, <u32>(end - start), DIGEST);
    store<u8>(DIGEST, (load<u8>(DIGEST, 6) & 0x0f) | 0x80, 6);
    store<u8>(DIGEST, (load<u8>(DIGEST, 8) & 0x3f) | 0x80, 8);
    content = 0;
  }
  const first = load<u64>(DIGEST);
  const second = load<u64>(DIGEST, 8);
  let slot = (<u32>(first ^ second ^ (second >> 32))) & (SLOTS - 1);
  while (true) {
    const at: usize = TABLE + slot * SLOT_BYTES;
    if (load<u32>(at, 24) != generation) {
      store<u64>(at, first);
      store<u64>(at, second, 8);
      store<u64>(at, content, 16);
      store<u32>(at, generation, 24);
      break;
    }
    if (load<u64>(at) == first && load<u64>(at, 8) == second) {
      return load<u64>(at, 16) == content ? DUPLICATE : CONFLICT;
    }
    slot = (slot + 1) & (SLOTS - 1);
  }
  sum += bswap<u64>(first) ^ bswap<u64>(second);
  store<u64>(end, 0x223a226469757522, 1); // "uuid":"
  store<u8>(end, 44);
  writeUuid(DIGEST, end + 9);
  store<u16>(end, 0x7d22, 45); // "}
  return <i32>(end + 47);
}
