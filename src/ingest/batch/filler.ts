import { isUtf8 } from "node:buffer";
import type { Settings } from "../arguments";
import { addChecksum, noTotals } from "../checkpoint/totals";
import { draft } from "../event/draft";
import { parseObject } from "../event/parse";
import type { Problem } from "../event/reasons";
import { recentMs } from "../event/time";
import { roomFor, write } from "../event/write";
import { mappingFor, type Mapping } from "../mapping";
import { longestRecord, shownBytes, type LinesBlock, type SourceRecord } from "../source/block";
import { scanned, type Arena } from "../wasm/arena";
import { mostEvents, type Batch, type Segment } from "./batch";

const newline = 0x0a;
const carriageReturn = 0x0d;
const comma = 0x2c;
/** A batch is handed on when what it sets aside takes more than this. */
const mostDeadBytes = 1_000_000;
const mostDead = 500;
const none: readonly string[] = [];

/** Who wants to see single events: the scan. */
export interface Watcher {
  event(name: string, ignored: readonly string[], line: number): void;
  problem(problem: Problem, line: number): void;
}

/** The file that is being read. */
export interface CurrentFile {
  readonly index: number;
  readonly name: string;
}

/** Turns the source's objects into the events of requests. */
export class Filler {
  readonly #arena: Arena;
  readonly #mapping: Mapping;
  readonly #rename: ReadonlyMap<string, string>;
  readonly #keepDuplicates: boolean;
  readonly #nowMs: number;
  readonly #watcher: Watcher | undefined;
  readonly #mostEvents: number;
  /** Most bytes of a request's events; the service may teach a lower one. */
  batchBytes: number;
  #batch: Batch;
  #segment: Segment | undefined;
  #file: CurrentFile = { index: 0, name: "" };
  #line = 0;
  #offset = 0;
  /** Whether WebAssembly may read lines: it knows the service's own form only. */
  #canScan: boolean;
  #mayScan = false;
  #block: LinesBlock | undefined;
  #blockIsUtf8 = false;
  /** The batch is to be handed on before anything more is added. */
  ready = false;

  constructor(
    arena: Arena,
    settings: Settings,
    batch: Batch,
    options: { nowMs: number; mostEvents: number; watcher?: Watcher; scan?: boolean },
  ) {
    this.#arena = arena;
    this.#mapping = mappingFor(settings.args.mapping);
    this.#rename = new Map(Object.entries({ ...this.#mapping.renames, ...settings.args.rename }));
    this.#keepDuplicates = settings.keepDuplicates;
    this.#nowMs = options.nowMs;
    this.#watcher = options.watcher;
    this.#mostEvents = Math.min(mostEvents, options.mostEvents);
    this.batchBytes = settings.batchBytes;
    this.#batch = batch;
    const isNative = settings.args.mapping === undefined || settings.args.mapping === "capture";
    this.#canScan = isNative && options.scan !== false && arena.leaveNames(this.#rename.keys());
    this.use(batch);
  }

  /** Fills `batch` from now on. */
  use(batch: Batch): void {
    this.#batch = batch;
    batch.clear();
    this.#arena.machine.begin();
    this.#segment = undefined;
    this.ready = false;
  }

  /** Goes on with another file. */
  startFile(file: CurrentFile, offset: number, line: number): void {
    this.#file = file;
    this.#mayScan = this.#canScan && this.#arena.placeFile(this.#keepDuplicates ? file.name : undefined);
    this.#offset = offset;
    this.#line = line;
    this.#segment = undefined;
  }

  /** The file is read to its end. */
  endFile(): void {
    this.#open().done = true;
    this.close();
  }

  /** What is in the batch is complete: its position and checksum are settled. */
  close(): void {
    const segment = this.#segment;
    if (segment === undefined) return;
    segment.offset = this.#offset;
    segment.line = this.#line;
    const before = this.#batch.segments
      .slice(0, -1)
      .reduce((sum, { totals }) => sum + BigInt(`0x${totals.checksum}`), 0n);
    segment.totals.checksum = addChecksum(noTotals().checksum, this.#arena.machine.checksum() - before);
    this.#segment = undefined;
  }

  #open(): Segment {
    this.#segment ??= this.#batch.startSegment(this.#file.index, this.#offset, this.#line);
    return this.#segment;
  }

  /** Adds lines from `at` on; answers how far it came. Stops early when {@link ready}. */
  lines(block: LinesBlock, at: number): number {
    const { bytes } = this.#arena;
    let next = at;
    if (block.offset === 0 && at === block.start && bytes.readUIntBE(at, 3) === 0xefbbbf) next += 3;
    const fast = this.#isFast(block);
    while (next < block.end && !this.ready) {
      if (fast) {
        const { at: reached, status } = this.#scan(next, block.end);
        next = reached;
        this.#offset = block.offset + next - block.start;
        if (status !== scanned.unclear) {
          if (status === scanned.ready) this.ready = true;
          continue;
        }
      }
      const found = bytes.indexOf(newline, next);
      const end = found < 0 || found >= block.end ? block.end : found;
      const text = bytes.subarray(next, bytes[end - 1] === carriageReturn && end > next ? end - 1 : end);
      if (!this.#take(text, this.#line + 1)) break;
      this.#line++;
      next = Math.min(end + 1, block.end);
      this.#offset = block.offset + next - block.start;
    }
    return next;
  }

  /** Whether WebAssembly can read these lines: it takes valid UTF-8 for granted, and a newline at the end. */
  #isFast(block: LinesBlock): boolean {
    if (!this.#mayScan) return false;
    if (block !== this.#block) {
      this.#block = block;
      const { bytes } = this.#arena;
      this.#blockIsUtf8 = isUtf8(bytes.subarray(block.start, block.end));
      if (bytes[block.end - 1] !== newline) bytes[block.end] = newline;
    }
    return this.#blockIsUtf8;
  }

  /** Adds the lines of which WebAssembly is sure. */
  #scan(from: number, end: number): { readonly at: number; readonly status: number } {
    const batch = this.#batch;
    const { totals } = this.#open();
    const status = this.#arena.machine.scan(
      from,
      end,
      batch.start,
      batch.end,
      batch.start + this.batchBytes,
      batch.roomEnd,
      batch.ends.byteOffset,
      batch.lines.byteOffset,
      batch.count,
      this.#mostEvents,
      this.#line,
      this.#nowMs,
      recentMs,
      this.#watcher !== undefined,
    );
    const state = this.#arena.scanState();
    totals.sent += state.count - batch.count;
    totals.merged += state.merged;
    totals.recent += state.recent;
    if (totals.firstMs === undefined || state.firstMs < totals.firstMs) {
      if (state.count > batch.count) totals.firstMs = state.firstMs;
    }
    if (totals.lastMs === undefined || state.lastMs > totals.lastMs) {
      if (state.count > batch.count) totals.lastMs = state.lastMs;
    }
    batch.count = state.count;
    this.#line = state.line;
    if (status === scanned.one) {
      if (batch.count >= this.#mostEvents) this.ready = true;
      this.#watcher?.event(this.#arena.bytes.toString("utf8", state.name, state.nameEnd), none, state.line);
    }
    return { at: state.at, status };
  }

  /** Adds one object; false where it has to come again after the batch was handed on. */
  record(record: SourceRecord): boolean {
    const line = record.line ?? this.#line + 1;
    if (!this.#take(record.text, line, record)) return false;
    this.#line = record.lineAfter ?? line;
    this.#offset = record.end;
    return true;
  }

  #take(text: Buffer, line: number, record?: SourceRecord): boolean {
    const segment = this.#open();
    const known = record?.problem;
    if (known === undefined && isBlank(text)) return true;
    const result = known ?? this.#add(text, line, segment, record?.start);
    if (result === "full") {
      this.ready = true;
      return false;
    }
    if (typeof result === "object") {
      const original = record?.original ?? text;
      this.#setAside(result, original, line, record?.bytes ?? original.length, segment);
    }
    return true;
  }

  #add(text: Buffer, line: number, segment: Segment, at: number | undefined): Problem | "full" | undefined {
    if (text.length > longestRecord) return { reason: "line-too-long", detail: `${text.length} bytes` };
    const parsed = parseObject(text);
    if ("reason" in parsed) return parsed;
    const made = draft(this.#mapping.fields(parsed), { rename: this.#rename, nowMs: this.#nowMs });
    if ("reason" in made) return made;
    const place = this.#keepDuplicates ? { file: this.#file.name, line, start: at } : undefined;
    const batch = this.#batch;
    const start = batch.count === 0 ? batch.start : batch.end + 1;
    if (start + roomFor(made, place) > batch.roomEnd) {
      return batch.count > 0 ? "full" : { reason: "event-too-large", detail: `${text.length} bytes` };
    }
    // The first event of a request may be larger than a request is meant to be.
    const limit = batch.count === 0 ? batch.roomEnd : batch.start + this.batchBytes;
    const written = write(this.#arena, made, place, start, limit);
    if (written === "full" || (written === "conflict" && batch.count > 0)) return "full";
    if (typeof written !== "number") {
      segment.totals.merged++;
      this.#watcher?.event(made.name, made.ignored, line);
      return undefined;
    }
    if (batch.count > 0) this.#arena.bytes[start - 1] = comma;
    batch.ends[batch.count] = written;
    batch.lines[batch.count] = line;
    batch.count++;
    if (batch.count >= this.#mostEvents) this.ready = true;
    const { totals } = segment;
    totals.sent++;
    if (made.recent) totals.recent++;
    if (totals.firstMs === undefined || made.timeMs < totals.firstMs) totals.firstMs = made.timeMs;
    if (totals.lastMs === undefined || made.timeMs > totals.lastMs) totals.lastMs = made.timeMs;
    this.#watcher?.event(made.name, made.ignored, line);
    return undefined;
  }

  #setAside(problem: Problem, text: Buffer, line: number, bytes: number, segment: Segment): void {
    const { totals } = segment;
    totals.skipped[problem.reason] = (totals.skipped[problem.reason] ?? 0) + 1;
    const kept = text.subarray(0, bytes > longestRecord ? shownBytes : longestRecord);
    const batch = this.#batch;
    batch.dead.push({ file: this.#file.index, line, problem, original: Buffer.from(kept), bytes });
    batch.deadBytes += kept.length;
    if (batch.deadBytes > mostDeadBytes || batch.dead.length >= mostDead) this.ready = true;
    this.#watcher?.problem(problem, line);
  }
}

/** Nothing but JSON's own white space. Zeros are none: a crash leaves them where events were. */
function isBlank(text: Buffer): boolean {
  for (const byte of text) {
    if (byte !== 0x20 && byte !== 0x09 && byte !== carriageReturn && byte !== newline) return false;
  }
  return true;
}
