import { open, type FileHandle } from "node:fs/promises";
import { createGunzip } from "node:zlib";

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

/** What follows the data of a gzip file and is no gzip: whoever goes on reading would lose it. */
class TrailingData extends Error {
  readonly code = "Z_TRAILING_DATA";
}

/**
 * Feeds the decompressor by hand: whatever came out before an error has then been handed on, so that a file cut off or
 * damaged in the middle gives every event before that.
 */
class GzipReader implements ByteReader {
  readonly #handle: FileHandle;
  readonly #input = Buffer.alloc(compressedBytes);
  #gunzip = createGunzip({ chunkSize: 256 * 1024 });
  #output: Buffer[] = [];
  #error: Error | undefined;
  #ended = false;
  /** Where the next piece of the file is read. */
  #position = 0;
  /** From here on single bytes are fed: the decompressor keeps back what it made of a piece in which it fails. */
  #carefulFrom = Infinity;
  #made = 0;
  #skip = 0;
  fileBytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
    this.#listen();
  }

  #listen(): void {
    const gunzip = this.#gunzip;
    gunzip.on("data", (chunk: Buffer) => {
      const skipped = Math.min(this.#skip, chunk.length);
      this.#skip -= skipped;
      this.#made += chunk.length - skipped;
      if (skipped < chunk.length) this.#output.push(chunk.subarray(skipped));
    });
    gunzip.on("error", (error) => (this.#error ??= error));
    gunzip.on("end", () => (this.#ended = true));
  }

  async #feed(): Promise<void> {
    const begin = this.#position;
    const isCareful = begin >= this.#carefulFrom;
    const length = isCareful ? 1 : Math.min(compressedBytes, this.#carefulFrom - begin);
    const { bytesRead } = await this.#handle.read(this.#input, 0, length, begin);
    this.#position += bytesRead;
    this.fileBytes = Math.max(this.fileBytes, this.#position);
    const gunzip = this.#gunzip;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        gunzip.off("error", done);
        gunzip.off("end", done);
        resolve();
      };
      gunzip.once("error", done);
      // It ends by itself where no further member follows, and then takes nothing more.
      gunzip.once("end", done);
      if (bytesRead === 0) gunzip.end();
      else gunzip.write(this.#input.subarray(0, bytesRead), done);
    });
    if (this.#error !== undefined && bytesRead > 0 && !isCareful) this.#startOver(begin);
    else if (this.#ended && bytesRead > 0) await this.#expectPadding(gunzip.bytesWritten);
  }

  /** Decompresses everything again, up to the piece in which it failed, and then byte by byte. */
  #startOver(carefulFrom: number): void {
    this.#gunzip.destroy();
    this.#error = undefined;
    this.#position = 0;
    this.#carefulFrom = carefulFrom;
    this.#skip = this.#made;
    this.#gunzip = createGunzip({ chunkSize: 256 * 1024 });
    this.#listen();
  }

  /** Zeros may follow, as tapes leave them; anything else is data that the decompressor would pass over. */
  async #expectPadding(from: number): Promise<void> {
    for (let at = from; ;) {
      const { bytesRead } = await this.#handle.read(this.#input, 0, compressedBytes, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      this.fileBytes = Math.max(this.fileBytes, at);
      if (this.#input.subarray(0, bytesRead).some((byte) => byte !== 0)) {
        this.#error = new TrailingData("something else follows the gzip data");
        return;
      }
    }
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
