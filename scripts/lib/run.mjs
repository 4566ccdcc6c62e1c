// @ts-check
import { spawn } from "node:child_process";

/**
 * @typedef {object} Outcome
 * @property {number} code Exit code; 127 where the command could not be started, 124 where it took too long.
 * @property {string | undefined} signal Signal that ended it.
 * @property {string} stdout
 * @property {string} stderr
 */

/** Longest text kept of one stream: what is needed of a long build is its end. */
const KEPT = 1 << 20;

/** @type {Record<"all" | "stderr" | "none", import("node:child_process").StdioOptions>} */
const STDIO = {
  all: ["ignore", "inherit", "inherit"],
  stderr: ["ignore", "ignore", "inherit"],
  none: ["ignore", "pipe", "pipe"],
};

/**
 * Runs a command to its end and never throws: a caller that goes on after a failure needs no `try`.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, show?: boolean | "stderr", signal?: AbortSignal }} [options]
 *   `show`: the command writes to this terminal, and nothing of it is kept; `"stderr"`: only what it says there, and
 *   nothing of its stdout. `signal`: interrupts it, as Ctrl-C would.
 * @returns {Promise<Outcome>}
 */
export function run(command, args, { cwd, env, timeoutMs, show = false, signal } = {}) {
  return new Promise((resolve) => {
    let stdout = "";
    let stderr = "";
    let late = false;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const child = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: env ?? process.env,
      stdio: STDIO[show === "stderr" ? "stderr" : show ? "all" : "none"],
      shell: process.platform === "win32" && command.endsWith(".cmd"),
    });
    /** @param {Outcome} outcome */
    const end = (outcome) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve(outcome);
    };
    const stop = () => child.kill("SIGINT");
    signal?.addEventListener("abort", stop, { once: true });
    if (timeoutMs !== undefined) {
      timer = setTimeout(() => {
        late = true;
        child.kill("SIGKILL");
        // A grandchild may hold the pipes open; what it still writes is not waited for.
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, timeoutMs);
    }
    child.stdout?.on("data", (chunk) => (stdout = (stdout + String(chunk)).slice(-KEPT)));
    child.stderr?.on("data", (chunk) => (stderr = (stderr + String(chunk)).slice(-KEPT)));
    child.on("error", (error) =>
      end({ code: 127, signal: undefined, stdout, stderr: stderr + error.message }),
    );
    child.on("close", (code, killedBy) =>
      end({ code: late ? 124 : (code ?? 128), signal: killedBy ?? undefined, stdout, stderr }),
    );
  });
}

/**
 * The last lines of what a failed command printed: where tools put the cause.
 *
 * @param {Outcome} outcome
 * @param {number} [lines]
 */
export function tail({ stdout, stderr }, lines = 15) {
  return `${stdout}\n${stderr}`
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-lines)
    .map((line) => `    ${line}`)
    .join("\n");
}
