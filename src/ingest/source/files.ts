import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import path from "node:path";
import { escapePath, glob, isDynamicPattern } from "tinyglobby";
import { ImportError } from "../errors";

/** A file to import. */
export interface SourceFile {
  readonly path: string;
  /** The path relative to the program's folder, with slashes: the same on every machine. */
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Hash of the first 64 KiB. */
  readonly head: string;
}

const headBytes = 65_536;
const extensions = ["ndjson", "jsonl", "json", "csv"].flatMap((extension) => [extension, `${extension}.gz`]);
const natural = new Intl.Collator("en", { numeric: true });

/** Paths with slashes, relative to the program's folder: what two machines can compare. */
export function normalisePath(file: string, folder: string): string {
  const relative = path.relative(folder, path.resolve(folder, file));
  return (relative === "" ? "." : relative).split(path.sep).join("/");
}

/** The `source` argument in the form in which it is compared. */
export function normaliseSource(source: string | readonly string[], folder: string): string[] {
  return [source].flat().map((entry) => normalisePath(entry.replaceAll("\\", "/"), folder));
}

async function headOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const buffer = Buffer.alloc(headBytes);
    let filled = 0;
    while (filled < headBytes) {
      const { bytesRead } = await handle.read(buffer, filled, headBytes - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return createHash("sha256").update(buffer.subarray(0, filled)).digest("hex").slice(0, 32);
  } finally {
    await handle.close();
  }
}

async function pathsOf(entry: string, folder: string): Promise<string[]> {
  const absolute = path.resolve(folder, entry);
  const found = await stat(absolute).catch(() => undefined);
  if (found?.isFile() === true) return [absolute];
  const options = { absolute: true, onlyFiles: true, expandDirectories: false } as const;
  if (found?.isDirectory() === true) {
    const files = await glob(
      extensions.map((extension) => `**/*.${extension}`),
      { ...options, cwd: absolute },
    );
    if (files.length > 0) return files.sort(natural.compare);
    throw new ImportError("source", `source: the folder ${entry} holds no files to import`, {
      hint: `name files that end in ${extensions.map((extension) => `.${extension}`).join(", ")}, or give the files by name`,
    });
  }
  const pattern = path.isAbsolute(entry) ? entry : `${escapePath(folder.split(path.sep).join("/"))}/${entry}`;
  if (isDynamicPattern(entry)) {
    const files = await glob(pattern.replaceAll("\\\\", "/"), { ...options, cwd: folder });
    if (files.length > 0) return files.sort(natural.compare);
  }
  throw new ImportError("source", `source: nothing is found at ${entry}`, {
    hint: `the path is relative to ${folder}`,
  });
}

/** The files that `source` names, in natural order; of several machines those of one shard. */
export async function listFiles(
  source: string | readonly string[],
  folder: string,
  shard?: { readonly index: number; readonly count: number },
): Promise<SourceFile[]> {
  const paths = new Set<string>();
  for (const entry of [source].flat())
    for (const file of await pathsOf(entry, folder)) paths.add(path.resolve(file));
  const all = [...paths];
  const mine = shard === undefined ? all : all.filter((_, index) => index % shard.count === shard.index);
  const files: SourceFile[] = [];
  for (const file of mine) {
    try {
      const { size, mtimeMs } = await stat(file);
      const head = await headOf(file);
      files.push({ path: file, name: normalisePath(file, folder), size, mtimeMs: Math.trunc(mtimeMs), head });
    } catch (cause) {
      throw new ImportError("source", `source: ${normalisePath(file, folder)} cannot be read`, { cause });
    }
  }
  return files;
}

/** One text for what a list of files is: it changes where a file changed, came or went. Times of files do not count. */
export function filesDigest(files: readonly Pick<SourceFile, "name" | "size" | "head">[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file.name}\0${file.size}\0${file.head}\n`);
  return hash.digest("hex").slice(0, 32);
}
