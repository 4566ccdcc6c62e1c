import type { Block, Position, SourceRecord } from "./block";
import { longestRecord, shownBytes } from "./block";
import type { ByteReader } from "./bytes";
import { BrokenFile } from "./lines";

const readBytes = 256 * 1024;
const byteOf = (char: string): number => char.charCodeAt(0);
const [quote, backslash, newline, comma] = [byteOf('"'), byteOf("\\"), byteOf("\n"), byteOf(",")];
const [openBrace, closeBrace, openBracket, closeBracket] = [
  byteOf("{"),
  byteOf("}"),
  byteOf("["),
  byteOf("]"),
];

type State = "start" | "value-or-end" | "value" | "inside" | "comma-or-end" | "done" | "broken";

/** Finds the elements of one top-level array in a stream of bytes. It only finds ends; the parser judges what is inside. */
class ArraySplitter {
  #state: State;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #pieces: Buffer[] = [];
  #length = 0;
  #offset: number;
  #newlines: number;
  #startLine = 0;
  #start = 0;
  #startsWithBom = false;

  constructor(from: Position) {
    this.#state = from.offset === 0 ? "start" : "comma-or-end";
    this.#offset = from.offset;
    this.#newlines = from.line;
  }

  get done(): boolean {
    return this.#state === "broken";
  }

  #record(problem?: SourceRecord["problem"]): SourceRecord {
    const text = Buffer.concat(this.#pieces);
    const cut = this.#length > longestRecord;
    const record: SourceRecord = {
      text: cut ? text.subarray(0, shownBytes) : text,
      line: this.#startLine,
      lineAfter: this.#newlines,
      start: this.#start,
      end: this.#offset,
      bytes: this.#length,
      ...(cut
        ? { problem: { reason: "line-too-long", detail: `${this.#length} bytes` } as const }
        : problem && { problem }),
    };
    this.#pieces = [];
    this.#length = 0;
    return record;
  }

  #broken(detail: string): SourceRecord {
    this.#state = "broken";
    this.#startLine = this.#newlines + 1;
    return this.#record({ reason: "array-broken", detail });
  }

  /** Something is wrong between two elements, which takes nothing from either: reading goes on in `state`. */
  #malformed(detail: string, state: State): SourceRecord {
    this.#state = state;
    this.#startLine = this.#newlines + 1;
    return this.#record({ reason: "array-malformed", detail });
  }

  #begin(offset: number): void {
    this.#state = "inside";
    this.#depth = 0;
    this.#startLine = this.#newlines + 1;
    this.#start = offset;
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (this.#length <= longestRecord) this.#pieces.push(Buffer.from(chunk.subarray(from, to)));
    this.#length += to - from;
  }

  /** Goes on inside a value from `at`; answers where it ends, or the chunk's end. */
  #inside(chunk: Buffer, at: number): number {
    for (let i = at; i < chunk.length; i++) {
      const byte = chunk[i];
      if (byte === newline) this.#newlines++;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) {
          this.#inString = false;
          if (this.#depth === 0) return this.#close(i + 1);
        }
      } else if (byte === quote) this.#inString = true;
      else if (byte === openBrace || byte === openBracket) this.#depth++;
      else if (byte === closeBrace || byte === closeBracket) {
        if (this.#depth === 0) return this.#close(i);
        if (--this.#depth === 0) return this.#close(i + 1);
      } else if (byte === comma && this.#depth === 0) return this.#close(i);
    }
    return chunk.length;
  }

  #close(at: number): number {
    this.#state = "comma-or-end";
    return at;
  }

  /** The elements that end in this chunk. */
  *split(chunk: Buffer): Generator<SourceRecord> {
    const base = this.#offset;
    for (let i = 0; i < chunk.length && !this.done;) {
      if (this.#state === "inside") {
        const end = this.#inside(chunk, i);
        this.#keep(chunk, i, end);
        i = end;
        this.#offset = base + i;
        // #inside changes the state, which the compiler cannot see.
        if ((this.#state as State) === "comma-or-end") yield this.#record();
        continue;
      }
      const byte = chunk[i] ?? 0;
      this.#offset = base + i;
      if (byte === newline) this.#newlines++;
      if (byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09) i++;
      else if (this.#state === "start") {
        if (byte === 0xef || (this.#startsWithBom && (byte === 0xbb || byte === 0xbf)))
          this.#startsWithBom = true;
        else if (byte === openBracket) this.#state = "value-or-end";
        else yield this.#broken("it does not start with [");
        i++;
      } else if (this.#state === "comma-or-end") {
        if (byte === comma) this.#state = "value";
        else if (byte === closeBracket) this.#state = "done";
        else if (byte === openBrace) {
          yield this.#malformed("a comma is missing between two elements", "inside");
          this.#begin(base + i);
          continue;
        } else yield this.#broken("a comma is missing between two elements");
        i++;
      } else if (this.#state === "done") {
        i++;
        this.#offset = base + i;
        if (byte === openBracket) yield this.#malformed("another array follows", "value-or-end");
        else yield this.#broken("something follows the array's end");
      } else if (byte === closeBracket) {
        if (this.#state === "value") yield this.#malformed("a comma stands before the array's end", "done");
        else this.#state = "done";
        i++;
      } else if (byte === comma) {
        yield this.#malformed("an element is missing before a comma", "value");
        i++;
      } else this.#begin(base + i);
    }
    if (!this.done) this.#offset = base + chunk.length;
  }

  /** What is wrong with a file that ends here. */
  *end(): Generator<SourceRecord> {
    if (this.#state === "done" || this.#state === "broken") return;
    if (this.#state === "inside") yield this.#record({ reason: "not-json", detail: "it ends too early" });
    yield this.#broken(this.#state === "start" ? "the file is empty" : "it ends without ]");
  }
}

/** The elements of a file that is one JSON array. */
export async function* arrayBlocks(reader: ByteReader, from: Position): AsyncGenerator<Block> {
  const splitter = new ArraySplitter(from);
  const chunk = Buffer.alloc(readBytes);
  while (!splitter.done) {
    let got: number;
    try {
      got = await reader.read(chunk, 0, readBytes);
    } catch (error) {
      const problem = { reason: "file-broken", detail: new BrokenFile(error).detail } as const;
      yield {
        kind: "records",
        records: [{ text: Buffer.alloc(0), line: undefined, end: from.offset, problem }],
      };
      return;
    }
    const records = got === 0 ? [...splitter.end()] : [...splitter.split(chunk.subarray(0, got))];
    if (records.length > 0) yield { kind: "records", records };
    if (got === 0) return;
  }
}
