import type { Arena } from "../wasm/arena";
import { finished } from "../wasm/arena";
import type { Draft, Json } from "./draft";

/** Where a repetition is to count as an event of its own: its place becomes part of its identity. */
export interface Place {
  readonly file: string;
  readonly line: number;
  /** Where it starts in the file, where several can stand on one line. */
  readonly start: number | undefined;
}

function placeText({ file, line, start }: Place): string {
  return start === undefined ? `\n${file}:${line}` : `\n${file}:${line}@${start}`;
}

/** What became of a draft: its end in the arena, or why it is not there. */
export type Written = number | "duplicate" | "conflict" | "full";

const outcomes = new Map<number, Written>([
  [finished.duplicate, "duplicate"],
  [finished.conflict, "conflict"],
  [finished.full, "full"],
]);

function lengthOf(json: Json): number {
  // A character of a string takes three bytes of UTF-8 at most.
  return typeof json === "string" ? json.length * 3 : json.length;
}

class Writer {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  put(...pieces: readonly Json[]): void {
    for (const piece of pieces) {
      if (typeof piece === "string") this.at += this.#bytes.write(piece, this.at, "utf8");
      else {
        this.#bytes.set(piece, this.at);
        this.at += piece.length;
      }
    }
  }
}

function isBlank(json: Json): boolean {
  return json.toString().trim() === "";
}

/** The most room that a draft can take, the text that only feeds its hash included. */
export function roomFor(draft: Draft, place: Place | undefined): number {
  const pieces = [
    draft.event,
    draft.timestamp,
    draft.properties,
    draft.topDistinctId,
    draft.set,
    draft.setOnce,
  ];
  const fixed = pieces.reduce((sum, piece) => sum + (piece === undefined ? 0 : lengthOf(piece)), 400);
  const added = draft.added.reduce((sum, [name, json]) => sum + name.length * 6 + lengthOf(json) + 4, 0);
  const identity = draft.insertId === undefined ? 0 : lengthOf(draft.insertId) + 2 * 1024;
  return fixed + added + identity + (place === undefined ? 0 : place.file.length * 3 + 64);
}

/**
 * Writes a draft as one JSON object at `start`, its uuid included. The hash that becomes the uuid is that of
 * the object as it is sent, without `,"uuid":"…"`, unless the source has its own mark against repetition.
 */
export function write(
  arena: Arena,
  draft: Draft,
  place: Place | undefined,
  start: number,
  limit: number,
): Written {
  const writer = new Writer(arena.bytes, start);
  writer.put('{"event":', draft.event);
  if (draft.topDistinctId !== undefined) writer.put(',"distinct_id":', draft.topDistinctId);
  writer.put(',"timestamp":', draft.timestamp, ',"properties":{');
  draft.added.forEach(([name, json], index) => {
    writer.put(index === 0 ? "" : ",", JSON.stringify(name), ":", json);
  });
  if (draft.added.length > 0 && !isBlank(draft.properties)) writer.put(",");
  writer.put(draft.properties, "}");
  if (draft.set !== undefined) writer.put(',"$set":', draft.set);
  if (draft.setOnce !== undefined) writer.put(',"$set_once":', draft.setOnce);
  const end = writer.at;

  let id = 0;
  let idLength = 0;
  let given = 0;
  // What only feeds the hash is written behind the event, where its uuid will stand.
  if (draft.uuid !== undefined) {
    given = end + 64;
    arena.bytes.write(draft.uuid, given, "latin1");
  } else if (draft.insertId !== undefined) {
    id = end + 64;
    const behind = new Writer(arena.bytes, id);
    behind.put("$insert_id:", draft.insertId, ",", draft.event, ",", draft.distinctId, ",", draft.timestamp);
    idLength = behind.at - id;
  } else if (place !== undefined) {
    id = start;
    const behind = new Writer(arena.bytes, end);
    behind.put(placeText(place));
    idLength = behind.at - id;
  }
  const outcome = arena.machine.finish(start, end, id, idLength, given, limit);
  return outcome > 0 ? outcome : (outcomes.get(outcome) ?? "full");
}
