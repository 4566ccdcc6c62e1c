import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../support/engine";

const execute = promisify(execFile);

/** The differential fuzz of `npm test`, for longer. */
export async function fuzz(
  rounds: number,
  seed: number,
  log: (line: string) => void,
): Promise<{ lines: number; ok: boolean }> {
  const jest = join(ROOT, "node_modules", "jest", "bin", "jest.js");
  const env = { ...process.env, FUZZ_ROUNDS: String(rounds), FUZZ_SEED: String(seed) };
  const { stderr } = await execute(
    process.execPath,
    [jest, "test/ingest/wasm.test.ts", "-t", "accept, refuse and send"],
    { cwd: ROOT, env, maxBuffer: 1 << 26 },
  ).catch((error: unknown) => ({
    stderr: typeof error === "object" && error !== null && "stderr" in error ? String(error.stderr) : "",
  }));
  const ok = /Tests:.* 3 passed/.test(stderr) && !/ failed/.test(stderr);
  if (!ok) log(stderr);
  return { lines: rounds * 20 * 3, ok };
}
