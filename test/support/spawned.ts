import { execFileSync, spawn } from "node:child_process";

/** What a process said and how it ended. */
export interface Ended {
  /** Exit code; 124 where it took too long and was ended, 128 where a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams in the order in which they arrived. */
  readonly output: string;
}

/** A process that runs. */
export interface Spawned {
  readonly pid: number;
  /** Resolves at the end, whatever the exit code. */
  readonly done: Promise<Ended>;
  /**
   * Sends a signal to the process alone (`SIGKILL` unless said otherwise; a Ctrl-C: `SIGINT`). What it had started
   * goes on: a provider finishes the call it is in.
   */
  kill(signal?: NodeJS.Signals): void;
  /** Ends the process and everything it had started, at once: a machine that loses power. */
  killAll(): void;
  /** Ends what a killed process left running. */
  sweep(): void;
  /** What was printed so far. */
  soFar(): string;
}

export interface SpawnOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Given to its stdin; nothing otherwise. */
  readonly input?: string;
  readonly timeoutMs: number;
}

/** Starts a process whose output is kept and whose time is bounded. */
export function spawned(command: string, args: readonly string[], options: SpawnOptions): Spawned {
  const child = spawn(command, args, { cwd: options.cwd, env: options.env, stdio: ["pipe", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "", output: "" };
  let late = false;
  let started: readonly number[] = [];
  const kill = (signal: NodeJS.Signals = "SIGKILL"): void => {
    // Looked up while their parent lives: afterwards nothing tells whose they were.
    if (child.pid !== undefined && child.exitCode === null) started = descendants(child.pid);
    child.kill(signal);
  };
  const sweep = (): void => started.forEach(end);
  const keep = (stream: "stdout" | "stderr") => (chunk: string) => {
    said[stream] += chunk;
    said.output += chunk;
  };
  child.stdout.setEncoding("utf8").on("data", keep("stdout"));
  child.stderr.setEncoding("utf8").on("data", keep("stderr"));
  // A process that ends without reading its input is no failure of the test.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const done = new Promise<Ended>((resolve, reject) => {
    const timer = setTimeout(() => {
      late = true;
      said.output += `\n(ended after ${options.timeoutMs} ms)\n`;
      kill();
      sweep();
    }, options.timeoutMs);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("exit", (code) => {
      clearTimeout(timer);
      const end = (): void => {
        clearTimeout(grace);
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ code: late ? 124 : (code ?? 128), ...said });
      };
      // A killed CLI leaves plugins behind that hold its pipes for a while. What it printed itself is read before that:
      // where this process was held up, the timer may be due while the last of it still waits to be read.
      const grace = setTimeout(() => setImmediate(end), 1_000);
      child.on("close", end);
    });
  });
  return {
    pid: child.pid ?? -1,
    done,
    kill,
    killAll: () => {
      kill();
      sweep();
    },
    sweep,
    soFar: () => said.output,
  };
}

/** The processes below one, as `ps` knows them. */
function descendants(root: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [root];
  for (const parent of found)
    for (const [pid, of] of pairs) if (of === parent && pid !== undefined) found.push(pid);
  return found.slice(1);
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended by itself
  }
}
