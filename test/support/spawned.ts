import { spawn } from "node:child_process";

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
  /** Sends a signal to the process alone (a crash: `SIGKILL`; a Ctrl-C: `SIGINT`). */
  kill(signal?: NodeJS.Signals): void;
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
      child.kill("SIGKILL");
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
      // A killed CLI leaves plugins behind that hold its pipes for a while.
      const grace = setTimeout(end, 1_000);
      child.on("close", end);
    });
  });
  return {
    pid: child.pid ?? -1,
    done,
    kill: (signal = "SIGKILL") => void child.kill(signal),
    soFar: () => said.output,
  };
}
