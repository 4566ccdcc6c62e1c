import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { enginePath, ROOT } from "../support/engine";
import type { Operation, Run, Stack } from "../support/stack";

/** The ready pack. */
export const EXAMPLE = join(ROOT, "examples", "policy-pack");

const policyEvent = z.object({
  policyEvent: z
    .object({
      resourceUrn: z.string().optional(),
      message: z.string(),
      policyName: z.string(),
      enforcementLevel: z.string(),
    })
    .optional(),
});

/** A violation that the engine reported. */
export interface Violation {
  readonly policy: string;
  /** Logical name of the resource; the stack's where it is the whole stack's. */
  readonly name: string;
  readonly level: string;
  /** Description of the policy, then what is wrong. */
  readonly message: string;
}

/** An operation under a policy pack. */
export interface Judged {
  readonly run: Run;
  readonly violations: readonly Violation[];
}

/** A pack beside the program of a stack, installed as `npm install` would. */
export class Pack {
  /** What `--policy-pack` is given. */
  readonly path: string;
  private count = 0;

  /** A copy of the ready pack; `index` replaces its `index.ts` by JavaScript, which starts sooner. */
  constructor(
    private readonly stack: Stack,
    index?: string,
  ) {
    const folder = join(stack.folder, "policies");
    cpSync(EXAMPLE, folder, { recursive: true });
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules", "pulumi-posthog"));
    if (index !== undefined) {
      cpSync(join(folder, "index.ts"), join(folder, "unused.txt"));
      const manifest = { name: "posthog-policies", version: "1.0.0", main: "index.js" };
      writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
      writeFileSync(join(folder, "index.js"), index);
    }
    // The engine runs an executable as it runs a pack.
    this.path = hostRunsPacks() ? folder : join(folder, "run");
  }

  /** Runs an operation under the pack, with a configuration of it where one is given. */
  async judge(operation: Operation, config?: Readonly<Record<string, unknown>>): Promise<Judged> {
    const log = join(this.stack.folder, `policy-events-${++this.count}.jsonl`);
    // Not named as the pack's folder is: loading that folder, Node would take this file instead.
    const configFile = join(this.stack.folder, "settings.json");
    if (config !== undefined) writeFileSync(configFile, JSON.stringify(config));
    const run = await this.stack.start(operation, {
      policyPack: this.path,
      ...(config === undefined ? {} : { policyPackConfig: configFile }),
      eventLog: log,
    }).done;
    return { run, violations: violationsIn(readFileSync(log, "utf8")) };
  }
}

function violationsIn(log: string): Violation[] {
  return log
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => policyEvent.parse(JSON.parse(line)).policyEvent ?? [])
    .map(({ resourceUrn = "", message, policyName, enforcementLevel }) => ({
      policy: policyName,
      name: resourceUrn.split("::").pop() ?? "",
      level: enforcementLevel,
      message,
    }));
}

/** Language hosts from before policy packs were their work, such as the one that is built from Go modules. */
export function hostRunsPacks(): boolean {
  return readFileSync(join(dirname(enginePath()), "pulumi-language-nodejs")).includes("cmd/run-policy-pack");
}
