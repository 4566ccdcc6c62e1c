import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Texts of the files of a folder that exist, by path. */
export async function readFiles(folder: string, paths: Iterable<string>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of new Set(paths)) {
    const text = await readText(join(folder, path));
    if (text !== undefined) found.set(path, text);
  }
  return found;
}

/** The text of a file, or undefined where it does not exist. */
export async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Writes a file as a whole: a run that is interrupted leaves the old one or the new one. */
export async function writeText(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
