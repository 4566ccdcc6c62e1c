import type { Problem } from "../event/reasons";
import { noTotals, type Totals } from "../checkpoint/totals";
import type { Arena } from "../wasm/arena";

/** Most events of one request: what the table of the request's uuids has room for. */
export const mostEvents = 10_000;
/** Room behind the body for an event that turns out not to fit any more. */
const eventRoom = 2_200_000;

/** An event that is set aside. */
export interface DeadLetter {
  /** Index of the file. */
  readonly file: number;
  readonly line: number;
  readonly problem: Problem;
  /** What stands in the source; of an event that was sent and refused, the event as it was sent. */
  readonly original: Buffer;
  readonly isSent?: boolean;
  /** Length of the original where what is kept of it is cut. */
  readonly bytes: number;
}

/** The part of a batch that comes from one file, and where reading goes on behind it. */
export interface Segment {
  readonly file: number;
  readonly firstEvent: number;
  offset: number;
  line: number;
  done: boolean;
  readonly totals: Totals;
}

/** The text around the events of a request. No `sent_at`: with it the service would shift every timestamp. */
export interface Envelope {
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** The envelope of a migration into the project that the key belongs to. */
export function migrationEnvelope(projectApiKey: string): Envelope {
  return {
    head: Buffer.from(`{"api_key":${JSON.stringify(projectApiKey)},"historical_migration":true,"batch":[`),
    tail: Buffer.from("]}"),
  };
}

/** One request being filled or sent: its body lies ready in the arena, with the end and the line of each event. */
export class Batch {
  readonly arena: Arena;
  /** Ends of the events in the arena. */
  readonly ends: Uint32Array;
  readonly lines: Uint32Array;
  /** Where the first event starts. */
  readonly start: number;
  /** Where the arena's room for the body ends. */
  readonly roomEnd: number;
  readonly #envelope: Envelope;
  count = 0;
  segments: Segment[] = [];
  dead: DeadLetter[] = [];
  deadBytes = 0;

  constructor(arena: Arena, envelope: Envelope, batchBytes: number) {
    this.arena = arena;
    this.#envelope = envelope;
    const indexBytes = mostEvents * 4;
    const { buffer } = arena.bytes;
    this.ends = new Uint32Array(buffer, arena.reserve(indexBytes), mostEvents);
    this.lines = new Uint32Array(buffer, arena.reserve(indexBytes), mostEvents);
    const room = envelope.head.length + batchBytes + eventRoom;
    const at = arena.reserve(room);
    this.start = at + envelope.head.copy(arena.bytes, at);
    this.roomEnd = at + room - envelope.tail.length;
  }

  /** What a batch takes of the arena. */
  static bytes(batchBytes: number): number {
    return batchBytes + eventRoom + 2 * mostEvents * 4 + 1024;
  }

  /** Where the events end. */
  get end(): number {
    return this.count === 0 ? this.start : (this.ends[this.count - 1] ?? this.start);
  }

  /** Bytes of the events. */
  get length(): number {
    return this.end - this.start;
  }

  clear(): void {
    this.count = 0;
    this.segments = [];
    this.dead = [];
    this.deadBytes = 0;
  }

  startSegment(file: number, offset: number, line: number): Segment {
    const segment: Segment = { file, firstEvent: this.count, offset, line, done: false, totals: noTotals() };
    this.segments.push(segment);
    return segment;
  }

  /** The segment that an event belongs to. */
  segmentOf(event: number): Segment {
    const segment = this.segments.findLast(({ firstEvent }) => firstEvent <= event);
    if (segment === undefined) throw new RangeError("an event outside all segments");
    return segment;
  }

  #eventStart(event: number): number {
    return event === 0 ? this.start : (this.ends[event - 1] ?? 0) + 1;
  }

  /** The JSON text of one event. */
  event(event: number): Buffer {
    return this.arena.bytes.subarray(this.#eventStart(event), this.ends[event]);
  }

  /** The body of a request with the events [from, to). All of them: no copy is made. */
  body(from: number, to: number): Buffer {
    const { bytes } = this.arena;
    const { head, tail } = this.#envelope;
    if (from === 0 && to === this.count) {
      tail.copy(bytes, this.end);
      return bytes.subarray(this.start - head.length, this.end + tail.length);
    }
    return Buffer.concat([head, bytes.subarray(this.#eventStart(from), this.ends[to - 1]), tail]);
  }
}
