import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Emulator, startEmulator, writes } from "../support/emulator";
import type { Ended } from "../support/spawned";
import { openStack, type Stack } from "../support/stack";
import type { Measured, Sample } from "./findings";
import { type Contender, type Kind, MEASURE } from "./kinds";

/** What every answer of the service takes, in milliseconds. */
export const LATENCY_MS = 50;
/** Far above what the slowest of those compared takes. */
const OPERATION_MS = 900_000;

/** What a person would say yes to. */
const SILENTLY = ["--yes", "--skip-preview"];

const usage = z.object({ cpuSeconds: z.number(), peakMb: z.number() });

/** A stack of so many resources of a kind, and the service that has them. */
export class Scene {
  private constructor(
    private readonly count: number,
    private readonly contender: Contender,
    readonly emulator: Emulator,
    readonly stack: Stack,
  ) {}

  /** Nothing exists yet. */
  static async empty(kind: Kind, count: number, contender: Contender): Promise<Scene> {
    const members = kind.name === "members" ? count - 1 : 3; // and the owner
    const emulator = await startEmulator({ members });
    const module = contender.module === undefined ? {} : { module: contender.module };
    const stack = await openStack({ emulator, timeoutMs: OPERATION_MS, ...module });
    const scene = new Scene(count, contender, emulator, stack);
    stack.declare(kind.declared(count, emulator));
    emulator.faults.add(`* * slow=${LATENCY_MS}`);
    return scene;
  }

  /** All is made already. */
  static async made(kind: Kind, count: number, contender: Contender): Promise<Scene> {
    const scene = await Scene.empty(kind, count, contender);
    scene.emulator.faults.clear();
    // Without the state being written at every step, which is all the same to what is measured afterwards.
    scene.stack.env["PULUMI_EXPERIMENTAL"] = "true";
    scene.stack.env["PULUMI_SKIP_CHECKPOINTS"] = "true";
    succeeded(await scene.stack.up());
    scene.stack.env["PULUMI_EXPERIMENTAL"] = undefined;
    scene.stack.env["PULUMI_SKIP_CHECKPOINTS"] = undefined;
    scene.emulator.faults.add(`* * slow=${LATENCY_MS}`);
    return scene;
  }

  /** Runs an operation and measures it; one that fails is an error. */
  async measure(what: Measured, contender: Contender = this.contender): Promise<Sample> {
    const { emulator, stack } = this;
    const notes = join(stack.folder, "usage");
    rmSync(notes, { recursive: true, force: true });
    mkdirSync(notes);
    stack.env["BENCH_USAGE"] = notes;
    stack.env["NODE_OPTIONS"] = [MEASURE, ...contender.preload]
      .map((path) => `--require ${JSON.stringify(path)}`)
      .join(" ");
    emulator.clearRequests();
    const began = performance.now();
    const ended = await stack.cli([...what.split(" "), ...(what.startsWith("preview") ? [] : SILENTLY)]);
    const seconds = (performance.now() - began) / 1000;
    succeeded(ended);
    const used = readdirSync(notes).map((name) =>
      usage.parse(JSON.parse(readFileSync(join(notes, name), "utf8"))),
    );
    return {
      seconds,
      requests: emulator.requests.length,
      writes: writes(emulator).length,
      cpuSeconds: used.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      peakMb: Math.max(...used.map(({ peakMb }) => peakMb)),
      providers: used.length,
    };
  }

  /** Bytes of the stack's state for each resource. */
  async stateBytes(): Promise<number> {
    return Buffer.byteLength(await this.stack.stateFile()) / this.count;
  }

  async close(): Promise<void> {
    await this.stack.close();
    await this.emulator.close();
  }
}

function succeeded(run: Ended): void {
  if (run.code !== 0) throw new Error(`an operation of the benchmark failed:\n${run.output.slice(-4000)}`);
}
