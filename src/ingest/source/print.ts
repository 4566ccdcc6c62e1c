import { createHash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import type { SourceFile } from "./files";

/*
 * What tells whether a file is still the one that was read. Reading all of it would cost as much as the import, so it is
 * a print of parts: where a size stays the same and none of the parts changes, a change is not seen.
 */

const headBytes = 65_536;
const tailBytes = 32_768;
const sampleBytes = 4096;
const samples = 16;

/** Places of a file, of which each is [from, to). */
type Place = readonly [from: number, to: number];

/** Where the samples of a file lie: spread evenly behind the head, and the whole end. */
export function samplePlaces(size: number): Place[] {
  const rest = size - headBytes;
  if (rest <= 0) return [];
  if (rest <= tailBytes + samples * sampleBytes) return [[headBytes, size]];
  const step = (rest - tailBytes - sampleBytes) / (samples - 1);
  const spread = Array.from({ length: samples }, (_, index): Place => {
    const from = headBytes + Math.floor(index * step);
    return [from, from + sampleBytes];
  });
  return [...spread, [size - tailBytes, size]];
}

async function part(handle: FileHandle, [from, to]: Place): Promise<Buffer> {
  const buffer = Buffer.alloc(to - from);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function hashOf(parts: readonly Buffer[]): string {
  const hash = createHash("sha256");
  for (const one of parts) hash.update(one);
  return hash.digest("hex").slice(0, 32);
}

/** The print of a file of that size: at most 160 KiB of it are read. */
export async function printOf(file: string, size: number): Promise<Pick<SourceFile, "head" | "samples">> {
  const handle = await open(file);
  try {
    const head = hashOf([await part(handle, [0, headBytes])]);
    const places = samplePlaces(size);
    const parts = await Promise.all(places.map((place) => part(handle, place)));
    return { head, samples: parts.length === 0 ? "" : hashOf(parts) };
  } finally {
    await handle.close();
  }
}

/** A file as it was known: files that were known to earlier versions have no samples. */
type Known = Pick<SourceFile, "name" | "size" | "head"> & { readonly samples?: string | undefined };

/** Whether a file is another than the one that was known. Times do not count: a copy on another machine has another. */
export function isChanged(before: Known, now: Known): boolean {
  return (
    before.size !== now.size ||
    before.head !== now.head ||
    (before.samples !== undefined && now.samples !== undefined && before.samples !== now.samples)
  );
}

function digest(files: readonly Known[], line: (file: Known) => string): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(line(file));
  return hash.digest("hex").slice(0, 32);
}

/** One text for what a list of files is: it changes where a file changed, came or went. Times of files do not count. */
export function filesDigest(files: readonly Known[]): string {
  const heads = digest(files, ({ name, size, head }) => `${name}\0${size}\0${head}\n`);
  // What earlier versions have stored stays comparable.
  if (files.some((file) => file.samples === undefined)) return heads;
  return `${heads}-${digest(files, (file) => `${file.samples ?? ""}\n`)}`;
}

/** Whether two digests are of the same files, as far as both say. */
export function isSameDigest(a: string, b: string): boolean {
  const [[headsA, samplesA], [headsB, samplesB]] = [a.split("-"), b.split("-")];
  return headsA === headsB && (samplesA === undefined || samplesB === undefined || samplesA === samplesB);
}
