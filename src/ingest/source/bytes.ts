import { open, type FileHandle } from "node:fs/promises";
import { createGunzip, type Gunzip } from "node:zlib";

/** Bytes of a file, decompressed where it is gzip. */
export interface ByteReader {
  /** Fills `target` from `at` with up to `length` bytes; 0 at the end. */
  read(target: Buffer, at: number, length: number): Promise<number>;
  /** How many bytes of the file itself have been read: the measure of progress. */
  readonly fileBytes: number;
  close(): Promise<void>;
}

class PlainReader implements ByteReader {
  readonly #handle: FileHandle;
  fileBytes: number;

  constructor(handle: FileHandle, offset: number) {
    this.#handle = handle;
    this.fileBytes = offset;
  }

  async read(target: Buffer, at: number, length: number): Promise<number> {
    const { bytesRead } = await this.#handle.read(target, at, length, this.fileBytes);
    this.fileBytes += bytesRead;
    return bytesRead;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Small, since one compressed byte can become a thousand. */
const compressedBytes = 32 * 1024;

/**
 * Feeds the decompressor by hand: whatever came out before an error has then been handed on,
 * so that a file cut off in the middle gives every event before the cut.
 */
class GzipReader implements ByteReader {
  readonly #handle: FileHandle;
  readonly #gunzip: Gunzip;
  readonly #input = Buffer.alloc(compressedBytes);
  #output: Buffer[] = [];
  #error: Error | undefined;
  #ended = false;
  fileBytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
    this.#gunzip = createGunzip({ chunkSize: 256 * 1024 });
    this.#gunzip.on("data", (chunk: Buffer) => this.#output.push(chunk));
    this.#gunzip.on("error", (error) => (this.#error ??= error));
  }

  async #feed(): Promise<void> {
    const { bytesRead } = await this.#handle.read(this.#input, 0, compressedBytes, this.fileBytes);
    this.fileBytes += bytesRead;
    const gunzip = this.#gunzip;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        gunzip.off("error", done);
        gunzip.off("end", done);
        resolve();
      };
      gunzip.once("error", done);
      if (bytesRead === 0) {
        this.#ended = true;
        gunzip.once("end", done);
        gunzip.end();
      } else gunzip.write(this.#input.subarray(0, bytesRead), done);
    });
  }

  async read(target: Buffer, at: number, length: number): Promise<number> {
    while (this.#output.length === 0) {
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) return 0;
      await this.#feed();
    }
    const chunk = this.#output[0] ?? Buffer.alloc(0);
    const taken = Math.min(length, chunk.length);
    target.set(chunk.subarray(0, taken), at);
    if (taken === chunk.length) this.#output.shift();
    else this.#output[0] = chunk.subarray(taken);
    return taken;
  }

  async close(): Promise<void> {
    this.#gunzip.destroy();
    await this.#handle.close();
  }
}

async function startsWithGzip(handle: FileHandle): Promise<boolean> {
  const magic = Buffer.alloc(3);
  const { bytesRead } = await handle.read(magic, 0, 3, 0);
  return bytesRead === 3 && magic[0] === 0x1f && magic[1] === 0x8b && magic[2] === 8;
}

async function skip(reader: ByteReader, bytes: number): Promise<void> {
  const waste = Buffer.alloc(256 * 1024);
  for (let left = bytes; left > 0;) {
    const got = await reader.read(waste, 0, Math.min(left, waste.length));
    if (got === 0) return;
    left -= got;
  }
}

/** Opens a file for reading from `offset` of its decompressed bytes. Gzip is recognised by its first bytes. */
export async function openBytes(path: string, offset = 0): Promise<ByteReader> {
  const handle = await open(path);
  try {
    if (!(await startsWithGzip(handle))) return new PlainReader(handle, offset);
    const reader = new GzipReader(handle);
    await skip(reader, offset);
    return reader;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
