import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator, writes, type Emulator } from "../support/emulator";
import { DrivenStack, type DriverOperation, type Victim, type Where } from "./driven";
import { RandomProgram } from "./programs";
import { BEFORE_MOVE_MS, movesOf, Random } from "./random";
import { countFaults, faultActions, type SoakResult } from "./result";
import { filesBelow, judge, judgeNothing, leaks, leftBehind, type Problem } from "./verdict";
import { World } from "./world";

const FAULTS = faultActions(60);

/** One random program by the provider alone, killed at random moments, until it is left to end. */
export async function soakProvider(seed: number, where: Where = "process"): Promise<SoakResult> {
  const random = new Random(seed);
  const emulator = await startEmulator({ seed, latency: random.whole(0, 30) });
  const folder = mkdtempSync(join(tmpdir(), "soak-"));
  try {
    return await new ProviderRun(seed, random, emulator, folder, where).go();
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await emulator.close();
  }
}

class ProviderRun {
  private operations = 0;
  private kills = 0;
  private failures = 0;
  private readonly faults: Record<string, number> = {};
  private readonly problems: Problem[] = [];
  private readonly world: World;
  private readonly driver: DrivenStack;
  private readonly program: RandomProgram;
  private readonly said: string[] = [];
  private readonly kinds = new Set<string>();

  constructor(
    private readonly seed: number,
    private readonly random: Random,
    private readonly emulator: Emulator,
    private readonly folder: string,
    private readonly where: Where,
  ) {
    this.world = new World(emulator, folder);
    this.driver = new DrivenStack(folder, emulator, "organization/soak/first", where);
    this.program = new RandomProgram(random, this.world, { least: 3, most: 14 }, movesOf(seed));
  }

  async go(): Promise<SoakResult> {
    const { program, random, world, emulator, folder } = this;
    const began = Date.now();
    const before = world.lists();
    const rounds = random.chance(0.7) ? 1 : 2;
    for (let round = 1; round <= rounds; round++) {
      if (round > 1) program.edit();
      for (let crashes = random.whole(1, 2); crashes > 0; crashes--) {
        await this.roughly(random.chance(0.15) ? "refresh" : "up");
        // What an edit makes another object of was nobody's yet: only changes in place, while something is unsettled.
        if (random.chance(0.3)) program.touch();
      }
      await this.calmly("up");
      program.applied();
    }
    this.problems.push(...judge(world, before, program, this.driver.managed(), "after up"));
    for (let moves = movesOf(this.seed)?.whole(1, 3) ?? 0; moves > 0; moves--) {
      await sleep(BEFORE_MOVE_MS);
      program.move();
      for (let crashes = random.whole(0, 2); crashes > 0; crashes--) {
        await this.roughly(random.chance(0.15) ? "refresh" : random.chance(0.3) ? "fresh" : "up");
        if (random.chance(0.3)) program.moveMembers();
      }
      await this.calmly(random.chance(0.3) ? "fresh" : "up");
      program.applied();
      this.problems.push(...judge(world, before, program, this.driver.managed(), "after a move"));
    }
    emulator.clearRequests();
    await this.calmly("preview");
    for (const { method, path } of writes(emulator))
      this.problems.push({ failing: "not empty", what: `the preview writes: ${method} ${path}` });
    this.problems.push(...leftBehind(folder));
    if (random.chance(0.5)) {
      await this.roughly("destroy");
      await this.calmly("destroy");
      this.problems.push(...judgeNothing(world, before, program, this.driver.managed()));
    }
    const printed = this.said.map((text) => ({ name: "output", text }));
    const files = filesBelow(join(folder, ".pulumi-posthog"), /^$/);
    this.problems.push(...leaks([...printed, ...files], emulator.environment.POSTHOG_API_KEY));
    if (emulator.unknownRoutes.length > 0)
      this.problems.push({ failing: "unknown route", what: emulator.unknownRoutes.join() });
    return {
      seed: this.seed,
      form: this.where === "inside" ? "inside" : "provider",
      resources: program.declared().length,
      kinds: [...this.kinds],
      operations: this.operations,
      kills: this.kills,
      faults: this.faults,
      failures: this.failures,
      problems: this.problems,
      seconds: Math.round((Date.now() - began) / 1000),
    };
  }

  /** An operation that is killed at a random moment, mostly among faults. */
  private async roughly(operation: DriverOperation): Promise<void> {
    const { emulator, random } = this;
    if (random.chance(0.6))
      emulator.faults.add(FAULTS.map((fault) => `* * ${fault} ${random.whole(0, 4)}%`).join("; "));
    if ((await this.run(operation, random.chance(0.8) ? random.whole(0, 250) : undefined)).code === 1)
      this.failures++;
    await countFaults(emulator, this.faults);
    emulator.faults.clear();
  }

  /** The same without faults: this one has to succeed. */
  private async calmly(operation: DriverOperation): Promise<void> {
    const { code, output } = await this.run(operation);
    if (code === 0) return;
    const what = `${operation} without faults ended with ${String(code)}: ${output}`;
    this.problems.push({ failing: code === 2 ? "not empty" : "failed", what });
  }

  private async run(
    operation: DriverOperation,
    killAfterMs?: number,
  ): Promise<{ code: number | null; output: string }> {
    const { program, emulator } = this;
    for (const label of program.labels()) this.kinds.add(label);
    this.operations++;
    const kill = async (child: Victim): Promise<void> => {
      let isOver = false;
      const ended = new Promise<void>((resolve) => {
        child.once("exit", () => {
          isOver = true;
          resolve();
        });
      });
      const isAlive = (): boolean => !isOver && child.exitCode === null;
      emulator.clearRequests();
      // From the first request on, so that the start of the process is not most of what is killed.
      while (emulator.requests.length === 0 && isAlive()) await sleep(2);
      const left = new AbortController();
      const pause = sleep(killAfterMs, undefined, { signal: left.signal }).catch(() => undefined);
      await Promise.race([pause, ended]);
      left.abort();
      if (isAlive() && child.kill("SIGKILL")) this.kills++;
    };
    const run = await this.driver.run(
      operation,
      program.declared(),
      killAfterMs === undefined ? undefined : kill,
    );
    this.said.push(run.output);
    return run;
  }
}
