import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { escapePath, glob, isDynamicPattern } from "tinyglobby";
import { defaultCheckpointFolder, type ImportArguments } from "../arguments";
import { codeBehind, ImportError } from "../errors";
import { printOf } from "./print";

/** A file to import. */
export interface SourceFile {
  readonly path: string;
  /** The path relative to the program's folder, with slashes: the same on every machine. */
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Hash of the first 64 KiB. */
  readonly head: string;
  /** Hash of samples of the rest, the end among them; empty where there is no more than the head. */
  readonly samples: string;
}

const extensions = ["ndjson", "jsonl", "json", "csv"].flatMap((extension) => [extension, `${extension}.gz`]);
const globOptions = { absolute: true, onlyFiles: true, expandDirectories: false } as const;
const collator = new Intl.Collator("en", { numeric: true });

/** Natural order; names that it takes for equal (1 and 01) need one as well, or shards would disagree. */
function natural(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : Number(a > b));
}

/** Paths with slashes, relative to the program's folder: what two machines can compare. */
export function normalisePath(file: string, folder: string): string {
  const relative = path.relative(folder, path.resolve(folder, file));
  return (relative === "" ? "." : relative).split(path.sep).join("/");
}

/** The `source` argument in the form in which it is compared. */
export function normaliseSource(source: string | readonly string[], folder: string): string[] {
  return [source].flat().map((entry) => normalisePath(entry.replaceAll("\\", "/"), folder));
}

async function pathsOf(entry: string, folder: string): Promise<string[]> {
  const absolute = path.resolve(folder, entry);
  const found = await stat(absolute).catch(() => undefined);
  if (found?.isFile() === true) return [absolute];
  if (found?.isDirectory() === true) {
    const files = await glob(
      extensions.map((extension) => `**/*.${extension}`),
      { ...globOptions, cwd: absolute },
    );
    if (files.length > 0) return files.sort(natural);
    throw new ImportError("source", `source: the folder ${entry} holds no files to import`, {
      hint: `name files that end in ${extensions.map((extension) => `.${extension}`).join(", ")}, or give the files by name`,
    });
  }
  for (const pattern of patternsOf(entry)) {
    const isAbsolute = path.isAbsolute(pattern);
    const whole = isAbsolute ? pattern : `${escapePath(folder.split(path.sep).join("/"))}/${pattern}`;
    const files = await glob(whole, { ...globOptions, cwd: folder });
    if (files.length > 0) return files.sort(natural);
  }
  const escapes = entry.includes("\\")
    ? "; \\ takes the meaning of the character behind it, / separates folders"
    : "";
  throw new ImportError("source", `source: nothing is found at ${entry}`, {
    hint: `the path is relative to ${folder}${escapes}`,
  });
}

/** What an entry may mean as a glob: a backslash escapes, or it separates folders as on Windows. */
function patternsOf(entry: string): string[] {
  if (entry.includes("\\")) return [entry, entry.replaceAll("\\", "/")];
  return isDynamicPattern(entry) ? [entry] : [];
}

/** What decides which files an import reads. */
export type SourceArguments = Pick<
  ImportArguments,
  "source" | "shard" | "deadLetterFile" | "checkpointFolder"
>;

/** What an import makes in its checkpoint folder. */
const ownFolders = ["imports", "scans", "dead-letters"];

async function real(file: string): Promise<string> {
  return realpath(file).catch(() => path.resolve(file));
}

/** The files that the import itself writes: read as a source they would be overwritten. */
class OwnFiles {
  readonly #files = new Map<string, string>();
  readonly #folders: readonly string[];

  private constructor(checkpoints: string) {
    this.#folders = ownFolders.map((name) => path.join(checkpoints, name) + path.sep);
  }

  static async of(args: SourceArguments, folder: string, out: string | undefined): Promise<OwnFiles> {
    const checkpoints = await real(path.resolve(folder, args.checkpointFolder ?? defaultCheckpointFolder));
    const own = new OwnFiles(checkpoints);
    for (const [argument, file] of Object.entries({ deadLetterFile: args.deadLetterFile, out })) {
      if (file !== undefined) own.#files.set(await real(path.resolve(folder, file)), argument);
    }
    return own;
  }

  /** The argument that names the file, or the folder it lies in; undefined for a file of somebody else. */
  argumentOf(file: string): string | undefined {
    const isInside = this.#folders.some((folder) => file.startsWith(folder));
    return this.#files.get(file) ?? (isInside ? "checkpointFolder" : undefined);
  }
}

/** The files that `source` names, each once, in natural order; of several machines those of one shard. */
export async function listFiles(args: SourceArguments, folder: string, out?: string): Promise<SourceFile[]> {
  const own = await OwnFiles.of(args, folder, out);
  const found = new Map<string, string>();
  for (const entry of [args.source].flat()) {
    const files = await pathsOf(entry, folder);
    const isNamed = files[0] === path.resolve(folder, entry);
    for (const file of files) {
      const target = await real(file);
      const argument = own.argumentOf(target);
      if (argument === undefined) found.set(target, found.get(target) ?? path.resolve(file));
      else if (isNamed && argument !== "checkpointFolder") {
        throw new ImportError(
          "arguments",
          `${argument}: ${entry} is a file to import: it would be overwritten`,
          {
            hint: "name a file that is no part of the source",
          },
        );
      } else if (isNamed) found.set(target, path.resolve(file));
    }
  }
  const all = [...found.values()];
  const { shard } = args;
  const mine = shard === undefined ? all : all.filter((_, index) => index % shard.count === shard.index);
  const files: SourceFile[] = [];
  for (const file of mine) {
    try {
      const { size, mtimeMs } = await stat(file);
      const name = normalisePath(file, folder);
      files.push({ path: file, name, size, mtimeMs: Math.trunc(mtimeMs), ...(await printOf(file, size)) });
    } catch (cause) {
      const name = normalisePath(file, folder);
      throw new ImportError("source", `source: ${name} cannot be read${codeBehind(cause)}`, { cause });
    }
  }
  return files;
}
