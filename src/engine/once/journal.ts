import { mkdir, open, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** Folder in the program's own, where what is under way is written down: the engine starts the provider there. */
export const CHECKPOINTS = ".pulumi-posthog";

/** Adds lines to a file and flushes them: after this, what they announce may be done. */
export async function append(file: string, lines: string): Promise<void> {
  const handle = await open(file, "a", 0o600);
  try {
    const { size } = await handle.stat();
    try {
      await handle.writeFile(lines);
      await handle.datasync();
    } catch (error) {
      // What a full disk took of them would announce what nobody does.
      await handle.truncate(size).catch(() => undefined);
      throw error;
    }
  } finally {
    await handle.close();
  }
}

/** Writes a file whole, flushed; whoever reads it sees the old text or the new one. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${String(process.pid)}`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

/** Makes a folder below the checkpoints, out of sight of repositories: no other machine has anything to do with it. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "..", ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
}

/** What went wrong with a file, in a word. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** True while a process of this machine, other than this one, is there. */
export function isAtWork({ pid, machine }: { readonly pid: number; readonly machine: string }): boolean {
  if (machine !== hostname() || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of somebody else is there and may not be asked.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
