import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { crashing, endOrphans } from "../faults/crash";
import { startEmulator } from "../support/emulator";
import { openStack, type Flags, type Operation, type Run, type Stack } from "../support/stack";
import type { Managed } from "./kind";
import { RandomProgram } from "./programs";
import { BEFORE_MOVE_MS, movesOf, Random } from "./random";
import { countFaults, faultActions, type SoakResult } from "./result";
import { filesBelow, judge, judgeNothing, leaks, leftBehind, type Problem } from "./verdict";
import { World } from "./world";

const ACTIONS = faultActions(80);

const stateFile = z.object({
  checkpoint: z.object({
    latest: z.object({
      resources: z
        .array(
          z.looseObject({
            urn: z.string(),
            type: z.string(),
            id: z.string().default(""),
            outputs: z.record(z.string(), z.unknown()).default({}),
          }),
        )
        .default([]),
    }),
  }),
});

/** One random program through the real engine, and then everything that has to hold without faults and kills. */
export async function soakEngine(seed: number): Promise<SoakResult> {
  const random = new Random(seed);
  const emulator = await startEmulator({ seed, latency: random.whole(0, 20) });
  const stack = await openStack({ emulator });
  try {
    return await new EngineRun(seed, random, stack, new World(emulator, stack.folder)).go();
  } finally {
    endOrphans(stack);
    await stack.close();
    await emulator.close();
  }
}

class EngineRun {
  private operations = 0;
  private kills = 0;
  private failures = 0;
  private readonly faults: Record<string, number> = {};
  private readonly problems: Problem[] = [];
  private readonly program: RandomProgram;
  private readonly said: string[] = [];
  private readonly kinds = new Set<string>();

  constructor(
    private readonly seed: number,
    private readonly random: Random,
    private readonly stack: Stack,
    private readonly world: World,
  ) {
    this.program = new RandomProgram(random, world, { least: 3, most: 12 }, movesOf(seed));
  }

  async go(): Promise<SoakResult> {
    const began = Date.now();
    const { program, random, world, stack } = this;
    const before = world.lists();
    const rounds = random.chance(0.6) ? 1 : 2;
    for (let round = 1; round <= rounds; round++) {
      // What an interrupted run has made for a resource that is then taken out of the program is nobody's any more.
      if (round > 1) program.edit();
      await this.roughly("up");
      if (random.chance(0.3)) {
        program.touch();
        await this.roughly(random.chance(0.3) ? "refresh" : "up");
      }
      await this.calmly("up");
      program.applied();
    }
    this.problems.push(...judge(world, before, program, await this.managed(), "after up"));
    for (let moves = movesOf(this.seed)?.whole(1, 2) ?? 0; moves > 0; moves--) {
      await sleep(BEFORE_MOVE_MS);
      program.move();
      for (let crashes = random.whole(0, 2); crashes > 0; crashes--) {
        await this.roughly(random.chance(0.15) ? "refresh" : "up");
        if (random.chance(0.3)) program.moveMembers();
      }
      await this.calmly("up", { refresh: random.chance(0.3) });
      program.applied();
      this.problems.push(...judge(world, before, program, await this.managed(), "after a move"));
    }
    await this.nothingLeft();
    this.problems.push(...leftBehind(stack.folder));
    if (random.chance(0.5)) {
      await this.roughly("destroy");
      await this.calmly("destroy");
      this.problems.push(...judgeNothing(world, before, program, await this.managed()));
    }
    this.searchSecrets();
    const { unknownRoutes } = world.emulator;
    if (unknownRoutes.length > 0)
      this.problems.push({ failing: "unknown route", what: unknownRoutes.join() });
    const { seed, operations, kills, failures, faults, problems } = this;
    const seconds = Math.round((Date.now() - began) / 1000);
    return {
      seed,
      form: "engine",
      resources: program.declared().length,
      kinds: [...this.kinds],
      operations,
      kills,
      faults,
      failures,
      problems,
      seconds,
    };
  }

  /** An operation among faults that may be killed: what comes of it is for the next one to heal. */
  private async roughly(operation: Operation): Promise<void> {
    const { emulator } = this.world;
    this.declare();
    const rules = ACTIONS.map((action) => `* * ${action} ${this.random.whole(0, 5)}%`);
    emulator.faults.add(rules.join("; "));
    if (this.random.chance(0.65)) {
      this.kills++;
      const crash = {
        victim: this.random.pick(["cli", "provider"] as const),
        requests: this.random.whole(1, 25),
        milliseconds: this.random.whole(0, 40),
      };
      await crashing(this.stack, emulator, operation, crash).then((run) => this.note(run));
    } else {
      const run = this.note(await this.stack.start(operation).done);
      if (run.code !== 0) this.failures++;
    }
    await countFaults(emulator, this.faults);
    emulator.faults.clear();
  }

  /** The same without faults: this one has to succeed. */
  private async calmly(operation: Operation, flags: Flags = {}): Promise<void> {
    this.declare();
    const { code, output } = this.note(await this.stack.start(operation, flags).done);
    if (code !== 0)
      this.problems.push({ failing: "failed", what: `${operation} without faults: ${lastLines(output)}` });
  }

  private async nothingLeft(): Promise<void> {
    const run = await this.stack.preview({ refresh: true, expectNoChanges: true, diff: true });
    const { code, output } = this.note(run);
    if (code !== 0) this.problems.push({ failing: "not empty", what: lastLines(output) });
  }

  private declare(): void {
    for (const label of this.program.labels()) this.kinds.add(label);
    this.stack.declare(this.program.declared());
  }

  private note(run: Run): Run {
    this.operations++;
    this.said.push(run.output);
    return run;
  }

  private async managed(): Promise<Managed[]> {
    const text = await this.stack.stateFile();
    const { resources } = stateFile.parse(JSON.parse(text)).checkpoint.latest;
    return resources
      .filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/"))
      .map(({ urn, type, id, outputs }) => ({
        name: urn.split("::").at(-1) ?? "",
        class: type.split(":").at(-1) ?? "",
        id,
        outputs,
      }));
  }

  private searchSecrets(): void {
    const files = filesBelow(this.stack.folder, /^program\.json$|^home[\\/]/).map(({ name, text }) => ({
      name,
      text: /^events-\d+\.jsonl$/.test(name) ? withoutDebugging(text) : text,
    }));
    const printed = this.said.map((text) => ({ name: "output", text }));
    this.problems.push(...leaks([...files, ...printed], this.world.emulator.environment.POSTHOG_API_KEY));
  }
}

function lastLines(output: string): string {
  return output.trim().split("\n").slice(-40).join("\n");
}

/** The event log, which nobody gets who does not ask for it, holds the engine's own debugging, all in clear. */
function withoutDebugging(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/"diagnosticEvent":.*"severity":"debug"/.test(line))
    .join("\n");
}
