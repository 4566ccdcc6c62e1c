import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import { crashing, endOrphans } from "../faults/crash";
import { type Emulator, startEmulator } from "../support/emulator";
import { openStack, type Operation, type Stack } from "../support/stack";
import { KINDS, RandomProgram, SECRETS } from "./programs";
import { Random } from "./random";

/** What one random program went through. */
export interface SoakResult {
  readonly seed: number;
  readonly resources: number;
  readonly operations: number;
  readonly kills: number;
  /** How often each fault struck. */
  readonly faults: Record<string, number>;
  /** Operations that faults made fail: the next one has to heal what they left. */
  readonly failures: number;
  /** What was wrong at the end; empty for a run that is as it should be. */
  readonly problems: readonly string[];
  readonly seconds: number;
}

const ACTIONS = [
  "429:retry-after=1",
  "500",
  "503",
  "500-after",
  "reset-before",
  "reset-after",
  "truncate",
  "html",
  "slow=80",
] as const;

const struck = z.object({
  faults: z.array(
    z.object({
      struck: z.number(),
      fault: z.object({
        action: z.looseObject({
          kind: z.string(),
          status: z.number().optional(),
          after: z.boolean().optional(),
        }),
      }),
    }),
  ),
});

/** One random program with random edits, faults and kills, and then everything that has to hold without them. */
export async function soak(seed: number): Promise<SoakResult> {
  const began = Date.now();
  const random = new Random(seed);
  const emulator = await startEmulator({ seed, latency: 10 });
  const stack = await openStack({ emulator });
  try {
    const run = new SoakRun(seed, random, emulator, stack);
    await run.go();
    return { ...run.result(), seconds: Math.round((Date.now() - began) / 1000) };
  } finally {
    endOrphans();
    await stack.close();
    await emulator.close();
  }
}

class SoakRun {
  private operations = 0;
  private kills = 0;
  private failures = 0;
  private readonly faults: Record<string, number> = {};
  private readonly problems: string[] = [];
  private readonly program: RandomProgram;
  private readonly said: string[] = [];

  constructor(
    private readonly seed: number,
    private readonly random: Random,
    private readonly emulator: Emulator,
    private readonly stack: Stack,
  ) {
    this.program = new RandomProgram(random);
  }

  async go(): Promise<void> {
    const before = new Map(KINDS.map((kind) => [kind, kind.count(this.emulator)]));
    const rounds = this.random.whole(1, 2);
    for (let round = 0; round <= rounds; round++) {
      // What an interrupted run has made for a resource that is then taken out of the program is nobody's any more.
      if (round > 0) this.program.edit();
      await this.roughly("up");
      if (this.random.chance(0.4)) {
        this.program.touch();
        await this.roughly(this.random.chance(0.3) ? "refresh" : "up");
      }
      await this.calmly("up");
    }
    this.compare(this.program.expected(before), "after up");
    await this.nothingLeft();
    await this.roughly("destroy");
    await this.calmly("destroy");
    const nothing = new Map(KINDS.map((kind) => [String(kind.count), before.get(kind) ?? 0]));
    this.compare(nothing, "after destroy");
    this.searchSecrets();
  }

  result(): Omit<SoakResult, "seconds"> {
    const { seed, operations, kills, failures, faults, problems } = this;
    return { seed, resources: this.program.declared().length, operations, kills, failures, faults, problems };
  }

  /** An operation among faults, killed now and then. */
  private async roughly(operation: Operation): Promise<void> {
    this.stack.declare(this.program.declared());
    const rules = ACTIONS.map((action) => `* * ${action} ${this.random.whole(0, 5)}%`);
    this.emulator.faults.add(rules.join("; "));
    this.operations++;
    if (this.random.chance(0.6)) {
      this.kills++;
      const crash = {
        victim: this.random.pick(["cli", "provider"] as const),
        requests: this.random.whole(1, 25),
        milliseconds: this.random.whole(0, 40),
      };
      const { output } = await crashing(this.stack, this.emulator, operation, crash);
      this.said.push(output);
    } else {
      const { code, output } = await this.stack.start(operation).done;
      this.said.push(output);
      if (code !== 0) this.failures++;
    }
    await this.countFaults();
    this.emulator.faults.clear();
  }

  /** The same without faults: this one has to succeed. */
  private async calmly(operation: Operation): Promise<void> {
    this.stack.declare(this.program.declared());
    this.operations++;
    // A person who sees failures refreshes; a destroy needs none.
    const { code, output } = await this.stack.start(operation).done;
    this.said.push(output);
    if (code !== 0) this.problems.push(`${operation} without faults failed: ${lastLines(output)}`);
  }

  private compare(expected: ReadonlyMap<string, number>, when: string): void {
    for (const kind of KINDS) {
      const wanted = expected.get(String(kind.count));
      const found = kind.count(this.emulator);
      if (found !== wanted)
        this.problems.push(`${when}: ${String(found)} of ${kind.class}, not ${String(wanted)}`);
    }
  }

  private async nothingLeft(): Promise<void> {
    const { code, output } = await this.stack.preview({ refresh: true, expectNoChanges: true, diff: true });
    this.operations++;
    this.said.push(output);
    if (code !== 0) this.problems.push(`the next preview is not empty: ${lastLines(output)}`);
  }

  private searchSecrets(): void {
    const secrets = [...SECRETS, this.emulator.environment.POSTHOG_API_KEY];
    const printed = this.said.map((text) => ({ name: "output", text }));
    const texts = [...printed, ...filesBelow(this.stack.folder, /program\.json$|[\\/]home[\\/]/)];
    for (const secret of secrets) {
      const places = texts.filter(({ text }) => text.includes(secret)).map(({ name }) => name);
      if (places.length > 0)
        this.problems.push(`${secret.slice(0, 9)}… stands in clear in ${places.join(", ")}`);
    }
  }

  private async countFaults(): Promise<void> {
    const answer = await fetch(new URL("/_emulator/faults", this.emulator.url));
    for (const { fault, struck: times } of struck.parse(await answer.json()).faults) {
      const { kind, status, after } = fault.action;
      const name = `${kind}${status === undefined ? "" : `-${String(status)}`}${after === undefined ? "" : after ? "-after" : "-before"}`;
      if (times > 0) this.faults[name] = (this.faults[name] ?? 0) + times;
    }
  }
}

function lastLines(output: string): string {
  return output.trim().split("\n").slice(-40).join("\n");
}

/** Every file below a folder, except where the path says that it may hold what it likes. */
function filesBelow(folder: string, except: RegExp): { name: string; text: string }[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && !except.test(path)
      ? [{ name: relative(folder, path), text: withoutDebugging(readFileSync(path, "utf8")) }]
      : [];
  });
}

/** The event log, which nobody gets who does not ask for it, holds the engine's own debugging, all in clear. */
function withoutDebugging(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/"diagnosticEvent":.*"severity":"debug"/.test(line))
    .join("\n");
}
