import { execFile } from "node:child_process";

const TIMEOUT_MS = 60_000;
/** Far above the state of any stack; what is larger is not read. */
const MOST_OUTPUT = 512 * 1024 * 1024;

/** How a program ended. */
export interface Ended {
  /** Undefined where it could not be started. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, within a minute. */
export function run(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: TIMEOUT_MS, maxBuffer: MOST_OUTPUT, encoding: "utf8" as const };
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : undefined;
      resolve({ code, stdout, stderr });
    });
    child.stdin?.end();
  });
}
