import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../support/engine";
import type { Emulator } from "../support/emulator";
import type { Declared } from "../support/stack";
import type { Managed } from "./kind";
import { live } from "./lives.cjs";

/** A process, or what stands for one, that can be killed. */
export interface Victim {
  readonly exitCode: number | null;
  kill(signal?: NodeJS.Signals): boolean;
  once(event: "exit", listener: () => void): unknown;
}

/** How the driver runs: in a process of its own, or inside this one (see lives.cjs). */
export type Where = "process" | "inside";

/**
 * What the driver does with a program and its state: `fresh` is an `up` that refreshes before, in the same process; a
 * preview looks at the service first and keeps nothing.
 */
export type DriverOperation = "up" | "fresh" | "refresh" | "destroy" | "preview";

/** Far above what an operation takes on a busy machine. */
const OPERATION_TIMEOUT_MS = 180_000;

const line = z.object({
  at: z.enum(["state", "doomed"]),
  key: z.string(),
  entry: z.object({ class: z.string(), id: z.string(), outs: z.record(z.string(), z.unknown()) }).nullable(),
});

/** A stack that the package's own provider applies without an engine, in processes that can be killed. */
export class DrivenStack {
  constructor(
    /** The program's folder. */
    private readonly folder: string,
    private readonly emulator: Pick<Emulator, "environment">,
    private readonly stack = "organization/soak/first",
    private readonly where: Where = "process",
  ) {}

  /**
   * Runs an operation in a process of its own. Code 2 is a preview that finds something to do, and null a process that
   * was killed.
   */
  async run(
    operation: DriverOperation,
    program: readonly Declared[],
    kill?: (victim: Victim) => Promise<void> | void,
  ): Promise<{ code: number | null; output: string }> {
    const file = join(this.folder, "program.json");
    writeFileSync(file, JSON.stringify(program));
    const dist = join(ROOT, "dist");
    const args = [operation, file, this.stateFile, join(dist, "runtime.js"), this.stack];
    const env = { ...process.env, ...this.emulator.environment };
    return await (this.where === "inside"
      ? this.inside(args, dist, env, kill)
      : this.outside(args, env, kill));
  }

  private async inside(
    args: readonly string[],
    dist: string,
    env: NodeJS.ProcessEnv,
    kill?: (victim: Victim) => Promise<void> | void,
  ): Promise<{ code: number | null; output: string }> {
    const life = live({ args, folder: this.folder, dist, env });
    const timer = setTimeout(() => life.kill(), OPERATION_TIMEOUT_MS);
    const ended = new Promise<void>((resolve) => {
      if (life.isOver) resolve();
      else life.once("exit", resolve);
    });
    await kill?.(life);
    await ended;
    clearTimeout(timer);
    return { code: life.exitCode, output: life.output };
  }

  private async outside(
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    kill?: (victim: Victim) => Promise<void> | void,
  ): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, [join(__dirname, "driver.cjs"), ...args], {
      cwd: this.folder,
      env,
      timeout: OPERATION_TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    await kill?.(child);
    return { code: await ended, output };
  }

  /** What its state holds, replaced objects that are still to be deleted included. */
  managed(): Managed[] {
    const entries = new Map<string, Managed>();
    const text = existsSync(this.stateFile) ? readFileSync(this.stateFile, "utf8") : "";
    for (const written of text.split("\n").filter((one) => one !== "")) {
      const { at, key, entry } = line.parse(JSON.parse(written));
      if (entry === null) entries.delete(`${at} ${key}`);
      else {
        const name = key.split("::")[1]?.split(" ")[0] ?? "";
        entries.set(`${at} ${key}`, { name, class: entry.class, id: entry.id, outputs: entry.outs });
      }
    }
    return [...entries.values()];
  }

  private get stateFile(): string {
    return join(this.folder, `state-${this.stack.split("/").at(-1) ?? ""}.jsonl`);
  }
}
