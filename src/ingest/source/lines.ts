import type { Arena } from "../wasm/arena";
import { codeOf } from "../errors";
import type { Block } from "./block";
import { longestRecord, shownBytes } from "./block";
import type { ByteReader } from "./bytes";

const newline = 0x0a;
const readBytes = 512 * 1024;
/** Room for the longest line, its newline, and one read behind it. */
const regionBytes = longestRecord + 2 + readBytes;

/** Two regions of the arena, filled in turns: one is read from the file while the other is worked on. */
export class LineBuffers {
  readonly arena: Arena;
  readonly regions: readonly [number, number];

  constructor(arena: Arena) {
    this.arena = arena;
    this.regions = [arena.reserve(regionBytes + 64), arena.reserve(regionBytes + 64)];
  }

  /** What both take of the arena. */
  static readonly bytes = 2 * (regionBytes + 128);
}

/** A file problem met while reading: what was read before it still counts. */
export class BrokenFile {
  readonly detail: string;

  constructor(error: unknown) {
    const code = codeOf(error);
    this.detail =
      code === "" ? "it cannot be read" : code.startsWith("Z_") ? `its gzip data is broken (${code})` : code;
  }
}

/** Cuts a stream of bytes into blocks of whole lines; a line that is too long is skipped and reported, never held. */
export async function* lineBlocks(
  reader: ByteReader,
  buffers: LineBuffers,
  from: number,
): AsyncGenerator<Block> {
  const { bytes } = buffers.arena;
  let which: 0 | 1 = 0;
  let filled = 0;
  let offset = from;
  let next = fill(reader, bytes, buffers.regions[which], 0);
  while (true) {
    const region = buffers.regions[which];
    const outcome = await next;
    if (outcome instanceof BrokenFile) {
      if (filled > 0) yield { kind: "lines", start: region, end: region + filled, offset };
      yield broken(outcome, offset + filled);
      return;
    }
    const atEnd = outcome === 0;
    const from = filled;
    filled += outcome;
    const end = region + filled;
    if (atEnd) {
      if (filled > 0) yield { kind: "lines", start: region, end, offset };
      return;
    }
    const last = bytes.subarray(region + from, end).lastIndexOf(newline);
    if (last < 0) {
      if (filled <= longestRecord) {
        next = fill(reader, bytes, region, filled);
        continue;
      }
      const shown = Buffer.from(bytes.subarray(region, region + shownBytes));
      const skipped = await skipLine(reader, bytes, region, filled);
      const length = skipped.length;
      offset += skipped.consumed;
      yield {
        kind: "records",
        records: [
          {
            text: shown,
            line: undefined,
            end: offset,
            problem: { reason: "line-too-long", detail: `${length} bytes` },
            bytes: length,
          },
        ],
      };
      if (skipped.broken !== undefined) {
        yield broken(skipped.broken, offset);
        return;
      }
      bytes.copyWithin(region, skipped.rest, skipped.restEnd);
      const left = skipped.restEnd - skipped.rest;
      filled = 0;
      next = left > 0 ? Promise.resolve(left) : fill(reader, bytes, region, 0);
      continue;
    }
    const cut = region + from + last + 1;
    const rest = end - cut;
    const other: 0 | 1 = which === 0 ? 1 : 0;
    bytes.copyWithin(buffers.regions[other], cut, end);
    next = fill(reader, bytes, buffers.regions[other], rest);
    yield { kind: "lines", start: region, end: cut, offset };
    offset += cut - region;
    filled = rest;
    which = other;
  }
}

function broken(file: BrokenFile, offset: number): Block {
  const problem = { reason: "file-broken", detail: file.detail } as const;
  return { kind: "records", records: [{ text: Buffer.alloc(0), line: undefined, end: offset, problem }] };
}

async function fill(
  reader: ByteReader,
  bytes: Buffer,
  region: number,
  at: number,
): Promise<number | BrokenFile> {
  try {
    return await reader.read(bytes, region + at, readBytes);
  } catch (error) {
    return new BrokenFile(error);
  }
}

interface Skipped {
  /** Bytes of the line, its newline not counted. */
  readonly length: number;
  readonly consumed: number;
  /** What was read behind the line: [rest, restEnd) in the arena. */
  readonly rest: number;
  readonly restEnd: number;
  readonly broken: BrokenFile | undefined;
}

async function skipLine(reader: ByteReader, bytes: Buffer, region: number, filled: number): Promise<Skipped> {
  let consumed = filled;
  while (true) {
    const got = await fill(reader, bytes, region, 0);
    if (got instanceof BrokenFile || got === 0) {
      const file = got instanceof BrokenFile ? got : undefined;
      return { length: consumed, consumed, rest: region, restEnd: region, broken: file };
    }
    const at = bytes.subarray(region, region + got).indexOf(newline);
    if (at >= 0) {
      const length = consumed + at;
      return {
        length,
        consumed: length + 1,
        rest: region + at + 1,
        restEnd: region + got,
        broken: undefined,
      };
    }
    consumed += got;
  }
}
