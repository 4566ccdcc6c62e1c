import { binary } from "./binary";

/** What the module compiled from `assembly/` offers; positions are byte offsets into its memory. */
export interface Machine {
  begin(): void;
  checksum(): bigint;
  finish(start: number, end: number, id: number, idLength: number, given: number, limit: number): number;
  hash(from: number, length: number, to: number): void;
  scan(
    from: number,
    end: number,
    bodyStart: number,
    bodyEnd: number,
    batchEnd: number,
    roomEnd: number,
    ends: number,
    lines: number,
    count: number,
    mostEvents: number,
    line: number,
    nowMs: number,
    recentMs: number,
    one: boolean,
  ): number;
}

/** Why {@link Machine.scan} came back. */
export const scanned = { end: 0, ready: 1, unclear: 2, one: 3 } as const;

/** What {@link Machine.scan} leaves, as numbers of 8 bytes; assembly/scan.ts has the same list. */
export interface ScanState {
  readonly at: number;
  readonly count: number;
  readonly line: number;
  readonly merged: number;
  readonly recent: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly name: number;
  readonly nameEnd: number;
}

const stateAt = 128;
const stateLength = 9;
/** Room for the names to translate, and for the place that is part of an identity: below the module's table. */
const renames = { start: 4096, end: 57_344 };
const place = { start: 57_344, end: 65_536 };

/** What {@link Machine.finish} answers instead of the event's end. */
export const finished = { duplicate: -1, conflict: -2, full: -3 } as const;

/** Where {@link Machine.finish} leaves the 16 bytes of the uuid it gave. */
export const digestAt = 64;

const pageBytes = 65_536;
/** The module's own tables lie below this. */
const reservedBytes = 1 << 20;

let compiled: WebAssembly.Module | undefined;

/** One fixed piece of memory, shared by JavaScript and WebAssembly: what is read and what is sent lie in it. */
export class Arena {
  readonly bytes: Buffer;
  readonly machine: Machine;
  readonly #state: Float64Array;
  #next = reservedBytes;

  constructor(bytes: number) {
    const pages = Math.ceil((reservedBytes + bytes) / pageBytes) + 1;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    compiled ??= new WebAssembly.Module(Buffer.from(binary, "base64"));
    const instance = new WebAssembly.Instance(compiled, { env: { memory } });
    // The exports are those of assembly/index.ts: the compiler cannot see into the binary.
    this.machine = instance.exports as typeof instance.exports & Machine;
    this.bytes = Buffer.from(memory.buffer);
    this.#state = new Float64Array(memory.buffer, stateAt, stateLength);
  }

  /** What the last {@link Machine.scan} left. */
  scanState(): ScanState {
    const [
      at = 0,
      count = 0,
      line = 0,
      merged = 0,
      recent = 0,
      firstMs = 0,
      lastMs = 0,
      name = 0,
      nameEnd = 0,
    ] = this.#state;
    return { at, count, line, merged, recent, firstMs, lastMs, name, nameEnd };
  }

  /** Events of these names are left to JavaScript; false where there are too many. */
  leaveNames(names: Iterable<string>): boolean {
    let at = renames.start;
    for (const name of names) {
      const json = Buffer.from(JSON.stringify(name));
      if (at + json.length + 8 > renames.end) return false;
      this.bytes.writeUInt32LE(json.length, at);
      json.copy(this.bytes, at + 4);
      at += 4 + json.length;
    }
    this.bytes.writeUInt32LE(0, at);
    return true;
  }

  /** The file whose lines are told apart by their place, or none; false where its name is too long. */
  placeFile(file: string | undefined): boolean {
    const text = Buffer.from(file === undefined ? "" : `\n${file}:`);
    if (text.length + 32 > place.end - place.start) return false;
    this.bytes.writeUInt32LE(text.length, place.start);
    text.copy(this.bytes, place.start + 4);
    return true;
  }

  /** Takes a region for good. */
  reserve(bytes: number): number {
    const start = this.#next;
    const end = start + bytes;
    if (end > this.bytes.length) throw new RangeError("the arena is too small for what was reserved in it");
    this.#next = end + ((16 - (end % 16)) % 16);
    return start;
  }
}
