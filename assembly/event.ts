// Reads one line in the service's own form, and remembers where the parts of its event stand.

import { isFilled, isLong, same } from "./bytes";
import { readUuid } from "./identity";
import { afterSpace, afterString, afterValue, escaped } from "./json";

/** Event names that are translated, each with its length before it; a length of 0 ends the list. */
export const RENAMES: usize = 4096;
const SCRATCH: usize = 256;

export let name: usize = 0;
export let nameEnd: usize = 0;
export let time: usize = 0;
export let timeEnd: usize = 0;
export let topId: usize = 0;
export let topIdEnd: usize = 0;
export let innerId: usize = 0;
export let innerIdEnd: usize = 0;
export let uuid: usize = 0;
export let insertId: usize = 0;
export let insertIdEnd: usize = 0;
export let properties: usize = 0;
export let propertiesEnd: usize = 0;
export let propertiesFilled: bool = false;
export let personSet: usize = 0;
export let personSetEnd: usize = 0;
export let personSetOnce: usize = 0;
export let personSetOnceEnd: usize = 0;
/** Members of properties that decide whether an $identify event is whole. */
export let identifyUnclear: bool = false;

/** Reads the object of properties that starts at `at`; answers the byte behind it, 0 where it is not sure. */
export function readProperties(at: usize): usize {
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
export function readLine(at: usize, strict: bool): usize {
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
export function isSpecial(): bool {
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

