// Reads lines of events in the service's own form and writes them as they are sent. What it is not sure about it
// leaves to JavaScript, line by line: it never decides that an event is invalid.

import { isFilled } from "./bytes";
import { isSpecial, readLine, name, nameEnd, time, timeEnd, topId, topIdEnd, innerId, innerIdEnd } from "./event";
import { CONFLICT, DUPLICATE, FULL } from "./identity";
import { readTime, UNSURE } from "./time";
import { complete, writeEvent } from "./write";

/** Why `scan` came back. */
const END: i32 = 0;
const READY: i32 = 1;
const UNCLEAR: i32 = 2;
const ONE: i32 = 3;

/** What JavaScript reads after a call, as numbers of 8 bytes; src/ingest/wasm/arena.ts has the same list. */
const REPORT: usize = 128;

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
