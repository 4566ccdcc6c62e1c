// Reads lines of events in the service's own form and writes them as they are sent. What it is not sure about it
// leaves to JavaScript, line by line: it never decides that an event is invalid.

import { CONFLICT, DUPLICATE, FULL, finish, readUuid } from "./identity";
import { afterSpace, afterString, afterValue, escaped } from "./json";
import { readTime, UNSURE } from "./time";

/** Why `scan` came back. */
const END: i32 = 0;
const READY: i32 = 1;
const UNCLEAR: i32 = 2;
const ONE: i32 = 3;

/** What JavaScript reads after a call, as numbers of 8 bytes; src/ingest/wasm/arena.ts has the same list. */
const REPORT: usize = 128;
/** Event names that are translated, each with its length before it; a length of 0 ends the list. */
export const RENAMES: usize = 4096;
/** What makes a place part of an event's identity: its length, then `\n` and the file's name and `:`. */
export const PLACE: usize = 57344;
const SCRATCH: usize = 256;

let name: usize = 0;
let nameEnd: usize = 0;
let time: usize = 0;
let timeEnd: usize = 0;
let topId: usize = 0;
let topIdEnd: usize = 0;
let innerId: usize = 0;
let innerIdEnd: usize = 0;
let uuid: usize = 0;
let insertId: usize = 0;
let insertIdEnd: usize = 0;
let properties: usize = 0;
let propertiesEnd: usize = 0;
let propertiesFilled: bool = false;
let personSet: usize = 0;
let personSetEnd: usize = 0;
let personSetOnce: usize = 0;
let personSetOnceEnd: usize = 0;
/** Members of properties that decide whether an $identify event is whole. */
let identifyUnclear: bool = false;

/** Copies whole blocks of 16 bytes: up to 15 bytes behind the end are overwritten. */
function put(to: usize, from: usize, end: usize): usize {
  const length = end - from;
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
  return to + length;
}

function same(a: usize, aEnd: usize, b: usize, bEnd: usize): bool {
  const length = aEnd - a;
  if (bEnd - b != length) return false;
  for (let i: usize = 0; i < length; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false;
  return true;
}

/** Whether a string surely holds more than blanks. Characters whose first byte starts blanks as well are left to JavaScript. */
function isFilled(text: usize): bool {
  const first: u32 = load<u8>(text, 1);
  if (first == 0x22) return false;
  if (first < 0x80) return first > 0x20 && first != 0x7f;
  if (first == 0xe3) return load<u8>(text, 2) != 0x80;
  return first != 0xc2 && first != 0xe1 && first != 0xe2 && first != 0xef;
}

/** Whether [at, end) are the bytes of a word of 8 to 16 bytes, given by its first and last 8. */
function isLong(at: usize, length: u32, size: u32, first: u64, last: u64): bool {
  return length == size && load<u64>(at) == first && load<u64>(at + size - 8) == last;
}

/** Reads the object of properties that starts at `at`; answers the byte behind it, 0 where it is not sure. */
function readProperties(at: usize): usize {
  innerId = 0;
  insertId = 0;
  identifyUnclear = false;
  propertiesFilled = false;
  let i = afterSpace(at + 1);
  if (load<u8>(i) == 0x7d) return i + 1;
  propertiesFilled = true;
  while (true) {
    if (load<u8>(i) != 0x22) return 0;
    const key = i + 1;
    i = afterString(i);
    if (i == 0 || escaped) return 0;
    const length = <u32>(i - 1 - key);
    i = afterSpace(i);
    if (load<u8>(i) != 0x3a) return 0;
    const value = afterSpace(i + 1);
    const first: u32 = load<u8>(value);
    i = afterValue(value);
    if (i == 0) return 0;
    const initial: u32 = load<u8>(key);
    // distinct_id
    if (initial == 0x64 && isLong(key, length, 11, 0x74636e6974736964, 0x64695f74636e6974)) {
      if (first != 0x22 || escaped) return 0;
      innerId = value;
      innerIdEnd = i;
    } else if (initial == 0x24) {
      // $insert_id
      if (isLong(key, length, 10, 0x5f747265736e6924, 0x64695f747265736e)) {
        if (first != 0x22 || !isFilled(value)) return 0;
        insertId = value;
        insertIdEnd = i;
      } else if (length == 17 && load<u64>(key) == 0x69645f6e6f6e6124) {
        // $anon_distinct_id, or another name of that length and beginning
        if (first != 0x22 || escaped || !isFilled(value)) identifyUnclear = true;
      } else if (first != 0x7b && load<u32>(key) == 0x74657324 && (length == 4 || length == 9)) {
        // $set or $set_once (or another name of that length and beginning), and no object
        identifyUnclear = true;
      }
    }
    i = afterSpace(i);
    const byte: u32 = load<u8>(i);
    if (byte == 0x7d) return i + 1;
    if (byte != 0x2c) return 0;
    i = afterSpace(i + 1);
  }
}

/** Reads one line that is an object; answers the position of its newline, 0 where it is not sure. */
function readLine(at: usize, strict: bool): usize {
  name = 0;
  time = 0;
  topId = 0;
  innerId = 0;
  uuid = 0;
  insertId = 0;
  properties = 0;
  personSet = 0;
  personSetOnce = 0;
  identifyUnclear = false;
  propertiesFilled = false;
  let i = afterSpace(at + 1);
  while (true) {
    if (load<u8>(i) != 0x22) return 0;
    const key = i + 1;
    i = afterString(i);
    if (i == 0 || escaped) return 0;
    const length = <u32>(i - 1 - key);
    i = afterSpace(i);
    if (load<u8>(i) != 0x3a) return 0;
    const value = afterSpace(i + 1);
    const isString = load<u8>(value) == 0x22;
    const isObject = load<u8>(value) == 0x7b;
    if (length == 10 && load<u64>(key) == 0x69747265706f7270 && load<u16>(key, 8) == 0x7365) {
      // properties
      if (!isObject) return 0;
      i = readProperties(value);
      if (i == 0) return 0;
      properties = value;
      propertiesEnd = i;
    } else {
      i = afterValue(value);
      if (i == 0) return 0;
      if (length == 5 && load<u32>(key) == 0x6e657665 && load<u8>(key, 4) == 0x74) {
        // event
        if (!isString || escaped) return 0;
        name = value;
        nameEnd = i;
      } else if (length == 9 && load<u64>(key) == 0x6d617473656d6974 && load<u8>(key, 8) == 0x70) {
        // timestamp
        if (!isString || escaped) return 0;
        time = value;
        timeEnd = i;
      } else if (isLong(key, length, 11, 0x74636e6974736964, 0x64695f74636e6974)) {
        // distinct_id
        if (!isString || escaped) return 0;
        topId = value;
        topIdEnd = i;
      } else if (length == 4 && load<u32>(key) == 0x64697575) {
        // uuid
        if (!isString || i - value != 38 || !readUuid(value + 1, SCRATCH)) return 0;
        uuid = value + 1;
      } else if (length == 4 && load<u32>(key) == 0x74657324) {
        // $set
        if (!isObject) return 0;
        personSet = value;
        personSetEnd = i;
      } else if (length == 9 && load<u64>(key) == 0x636e6f5f74657324 && load<u8>(key, 8) == 0x65) {
        // $set_once
        if (!isObject) return 0;
        personSetOnce = value;
        personSetOnceEnd = i;
      } else if (strict || length == 10 || length == 9) {
        // $insert_id, insert_id and messageId have these lengths.
        return 0;
      }
    }
    i = afterSpace(i);
    const byte: u32 = load<u8>(i);
    if (byte == 0x2c) {
      i = afterSpace(i + 1);
      continue;
    }
    if (byte != 0x7d) return 0;
    i = afterSpace(i + 1);
    return load<u8>(i) == 0x0a ? i : 0;
  }
}

/** Whether the event's name is one that needs a closer look: translated, or an event with a shape of its own. */
function isSpecial(): bool {
  const length = <u32>(nameEnd - name);
  // "$identify"
  if (length == 11 && load<u64>(name, 1) == 0x6669746e65646924 && load<u8>(name, 9) == 0x79)
    return identifyUnclear;
  // "$group_identify"
  if (length == 17 && load<u64>(name, 1) == 0x695f70756f726724) return true;
  let entry = RENAMES;
  for (let size: u32 = load<u32>(entry); size > 0; size = load<u32>(entry)) {
    if (size == length && same(entry + 4, entry + 4 + size, name, nameEnd)) return true;
    entry += 4 + size;
  }
  return false;
}

/** Writes the event that was read at `out`, without uuid and closing brace: just as src/ingest/event/write.ts does. */
function writeEvent(out: usize): usize {
  let to = out;
  store<u64>(to, 0x22746e657665227b); // {"event"
  store<u8>(to, 0x3a, 8);
  to = put(to + 9, name, nameEnd);
  if (topId != 0 && innerId != 0 && !same(topId, topIdEnd, innerId, innerIdEnd)) {
    store<u64>(to, 0x6e6974736964222c); // ,"distin
    store<u64>(to, 0x3a2264695f7463, 8); // ct_id":
    to = put(to + 15, topId, topIdEnd);
  }
  store<u64>(to, 0x7473656d6974222c); // ,"timest
  store<u64>(to, 0x3a22706d61, 8); // amp":
  to = put(to + 13, time, timeEnd);
  store<u64>(to, 0x7265706f7270222c); // ,"proper
  store<u64>(to, 0x7b3a2273656974, 8); // ties":{
  to += 15;
  if (innerId == 0) {
    store<u64>(to, 0x636e697473696422); // "distinc
    store<u64>(to, 0x3a2264695f74, 8); // t_id":
    to = put(to + 14, topId, topIdEnd);
    if (propertiesFilled) store<u8>(to++, 0x2c);
  }
  if (properties != 0) to = put(to, properties + 1, propertiesEnd - 1);
  store<u8>(to++, 0x7d);
  if (personSet != 0) {
    store<u64>(to, 0x3a2274657324222c); // ,"$set":
    to = put(to + 8, personSet, personSetEnd);
  }
  if (personSetOnce != 0) {
    store<u64>(to, 0x6f5f74657324222c); // ,"$set_o
    store<u64>(to, 0x3a2265636e, 8); // nce":
    to = put(to + 13, personSetOnce, personSetOnceEnd);
  }
  return to;
}

function putDigits(to: usize, value: u32): usize {
  let length: usize = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) length++;
  let rest = value;
  for (let i = length; i > 0; i--) {
    store<u8>(to + i - 1, 48 + (rest % 10));
    rest /= 10;
  }
  return to + length;
}

/** Gives the event at [start, end) its identity: see src/ingest/event/write.ts for what is hashed. */
function complete(start: usize, end: usize, line: u32, limit: usize): i32 {
  if (uuid != 0) return finish(start, end, 0, 0, uuid, limit);
  if (insertId != 0) {
    const id = end + 64;
    store<u64>(id, 0x5f747265736e6924); // $insert_
    store<u64>(id, 0x3a6469, 8); // id:
    let to = put(id + 11, insertId, insertIdEnd);
    store<u8>(to++, 0x2c);
    to = put(to, name, nameEnd);
    store<u8>(to++, 0x2c);
    to = topId != 0 ? put(to, topId, topIdEnd) : put(to, innerId, innerIdEnd);
    store<u8>(to++, 0x2c);
    to = put(to, time, timeEnd);
    return finish(start, end, id, <u32>(to - id), 0, limit);
  }
  const placeLength = load<u32>(PLACE);
  if (placeLength > 0) {
    const to = putDigits(put(end, PLACE + 4, PLACE + 4 + placeLength), line);
    return finish(start, end, start, <u32>(to - start), 0, limit);
  }
  return finish(start, end, 0, 0, 0, limit);
}

/**
 * Reads lines from `at` up to `end` and adds their events to a request's body. The byte before `end`, or at `end`, must
 * be a newline. `one` comes back after each event and leaves unknown names to JavaScript: a scan looks at both.
 */
export function scan(
  from: usize,
  end: usize,
  bodyStart: usize,
  bodyEnd: usize,
  batchEnd: usize,
  roomEnd: usize,
  ends: usize,
  lines: usize,
  firstCount: u32,
  mostEvents: u32,
  firstLine: u32,
  nowMs: f64,
  recentMs: f64,
  one: bool,
): i32 {
  let at = from;
  let out = bodyEnd;
  let count = firstCount;
  let line = firstLine;
  let merged: u32 = 0;
  let recent: u32 = 0;
  let firstMs: f64 = Infinity;
  let lastMs: f64 = -Infinity;
  let eventMs: f64 = 0;
  let status = END;
  while (at < end) {
    const first: u32 = load<u8>(at);
    if (first == 0x0a || (first == 0x0d && load<u8>(at, 1) == 0x0a)) {
      at += first == 0x0a ? 1 : 2;
      line++;
      continue;
    }
    status = UNCLEAR;
    if (first != 0x7b) break;
    const newline = readLine(at, one);
    if (newline == 0 || name == 0 || time == 0 || (topId == 0 && innerId == 0)) break;
    const idStart = topId != 0 ? topId : innerId;
    const idEnd = topId != 0 ? topIdEnd : innerIdEnd;
    if (!isFilled(name) || !isFilled(idStart) || idEnd - idStart > 202 || isSpecial()) break;
    if (newline - at > 1000000) break;
    eventMs = readTime(time + 1, timeEnd - 1);
    if (eventMs == UNSURE || eventMs > nowMs) break;
    const start = count == 0 ? bodyStart : out + 1;
    const length = newline - at;
    // Twice the line: what only feeds the hash is written behind the event.
    if (start + 2 * length + 1024 > roomEnd) {
      if (count > 0) status = READY;
      break;
    }
    const written = complete(start, writeEvent(start), line + 1, count == 0 ? roomEnd : batchEnd);
    if (written == FULL || written == CONFLICT) {
      status = count > 0 ? READY : UNCLEAR;
      break;
    }
    line++;
    at = newline + 1;
    status = END;
    if (written == DUPLICATE) merged++;
    else {
      if (count > 0) store<u8>(start - 1, 0x2c);
      out = <usize>written;
      store<u32>(ends + count * 4, <u32>out);
      store<u32>(lines + count * 4, line);
      count++;
      if (eventMs > nowMs - recentMs) recent++;
      if (eventMs < firstMs) firstMs = eventMs;
      if (eventMs > lastMs) lastMs = eventMs;
    }
    if (one) {
      status = ONE;
      break;
    }
    if (count >= mostEvents) {
      status = READY;
      break;
    }
  }
  if (at > end) at = end;
  store<f64>(REPORT, <f64>at);
  store<f64>(REPORT, <f64>count, 8);
  store<f64>(REPORT, <f64>line, 16);
  store<f64>(REPORT, <f64>merged, 24);
  store<f64>(REPORT, <f64>recent, 32);
  store<f64>(REPORT, firstMs, 40);
  store<f64>(REPORT, lastMs, 48);
  store<f64>(REPORT, <f64>(name + 1), 56);
  store<f64>(REPORT, <f64>(nameEnd - 1), 64);
  return status;
}
