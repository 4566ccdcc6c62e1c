import type { ImportArguments } from "../arguments";
import { arrayBlocks } from "./array";
import type { Block, Position } from "./block";
import { openBytes, type ByteReader } from "./bytes";
import { headerReader } from "./columns";
import { csvBlocks } from "./csv";
import type { SourceFile } from "./files";
import { lineBlocks, type LineBuffers } from "./lines";

/** The forms of a file. */
export type Format = "ndjson" | "csv" | "json";

/** A file that is being read. */
export interface OpenFile {
  readonly format: Format;
  readonly blocks: AsyncIterable<Block>;
  readonly reader: ByteReader;
}

async function firstByte(path: string): Promise<number | undefined> {
  const reader = await openBytes(path);
  try {
    const head = Buffer.alloc(4096);
    const got = await reader.read(head, 0, head.length).catch(() => 0);
    const start = head.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
    return head.subarray(start, got).find((byte) => byte > 0x20);
  } finally {
    await reader.close();
  }
}

/** The form of a file: as declared, by its name, or by its first byte (exports call JSON lines .json as well). */
export async function formatOf(file: SourceFile, declared: Format | undefined): Promise<Format> {
  if (declared !== undefined) return declared;
  const name = file.name.toLowerCase().replace(/\.gz$/, "");
  if (name.endsWith(".csv")) return "csv";
  if (name.endsWith(".ndjson") || name.endsWith(".jsonl")) return "ndjson";
  return (await firstByte(file.path)) === 0x5b ? "json" : "ndjson";
}

/** Opens a file where reading is to go on. */
export async function openFile(
  file: SourceFile,
  args: Pick<ImportArguments, "format" | "mapping">,
  buffers: LineBuffers,
  from: Position,
): Promise<OpenFile> {
  const format = await formatOf(file, args.format);
  if (format === "json") {
    const reader = await openBytes(file.path, from.offset);
    return { format, reader, blocks: arrayBlocks(reader, from) };
  }
  if (format === "csv") {
    // A row means nothing without the header, and quotes reach over lines: CSV is read from its start.
    const reader = await openBytes(file.path);
    const lines = lineBlocks(reader, buffers, 0);
    return {
      format,
      reader,
      blocks: after(csvBlocks(lines, buffers.arena.bytes, headerReader(args.mapping)), from.offset),
    };
  }
  const reader = await openBytes(file.path, from.offset);
  return { format, reader, blocks: lineBlocks(reader, buffers, from.offset) };
}

async function* after(blocks: AsyncIterable<Block>, offset: number): AsyncGenerator<Block> {
  for await (const block of blocks) {
    if (block.kind === "lines") yield block;
    else {
      const records = block.records.filter((record) => record.end > offset);
      if (records.length > 0) yield { kind: "records", records };
    }
  }
}
