import { binary } from "./binary";

/** What the module compiled from `assembly/` offers; positions are byte offsets into its memory. */
export interface Machine {
  begin(): void;
  checksum(): bigint;
  finish(start: number, end: number, id: number, idLength: number, given: number, limit: number): number;
  hash(from: number, length: number, to: number): void;
}

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
  #next = reservedBytes;

  constructor(bytes: number) {
    const pages = Math.ceil((reservedBytes + bytes) / pageBytes) + 1;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    compiled ??= new WebAssembly.Module(Buffer.from(binary, "base64"));
    const instance = new WebAssembly.Instance(compiled, { env: { memory } });
    // The exports are those of assembly/index.ts: the compiler cannot see into the binary.
    this.machine = instance.exports as typeof instance.exports & Machine;
    this.bytes = Buffer.from(memory.buffer);
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
