// Writes the event that was read just as src/ingest/event/write.ts does.

import { put, putDigits, same } from "./bytes";
import { name, nameEnd, time, timeEnd, topId, topIdEnd, innerId, innerIdEnd, uuid, insertId, insertIdEnd, properties, propertiesEnd, propertiesFilled, personSet, personSetEnd, personSetOnce, personSetOnceEnd } from "./event";
import { finish } from "./identity";

/** What makes a place part of an event's identity: its length, then `\n` and the file's name and `:`. */
export const PLACE: usize = 57344;

/** Writes the event that was read at `out`, without uuid and closing brace: just as src/ingest/event/write.ts does. */
export function writeEvent(out: usize): usize {
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

/** Gives the event at [start, end) its identity: see src/ingest/event/write.ts for what is hashed. */
export function complete(start: usize, end: usize, line: u32, limit: usize): i32 {
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

