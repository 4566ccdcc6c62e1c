import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { readyPack } from "../policy/lists";
import { Pack } from "../policy/pack";
import type { Emulator } from "../support/emulator";
import { enginePath, ROOT } from "../support/engine";
import { installCommand } from "../support/installed";
import { type Ended, spawned } from "../support/spawned";
import { Stack } from "../support/stack";
import { transpiled } from "../support/transpiled";

/** The repository that the example is. */
export const EXAMPLE = join(ROOT, "examples", "gitops");
export const STACKS = ["dev", "staging", "production"] as const;
const JOB_TIMEOUT_MS = 300_000;

const steps = z.array(
  z.looseObject({
    run: z.string().optional(),
    uses: z.string().optional(),
    if: z.string().optional(),
    env: z.record(z.string(), z.string()).default({}),
  }),
);
const workflow = z.looseObject({
  jobs: z.record(z.string(), z.looseObject({ uses: z.string().optional(), steps: steps.default([]) })),
});
const composite = z.looseObject({ runs: z.looseObject({ steps }) });
const gitLabJob = z.looseObject({
  extends: z.string().optional(),
  script: z.array(z.string()).optional(),
  variables: z.record(z.string(), z.string()).default({}),
});

/** A command line of a job with the environment that the job gives it, expressions as they stand. */
export interface Command {
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
  readonly condition: string | undefined;
}

/** The command lines of a GitHub workflow, job after job; those of the local action come where it is used. */
export function gitHubCommands(name: string): Command[] {
  const { jobs } = workflow.parse(read(".github", "workflows", `${name}.yml`));
  const setup = composite.parse(read(".github", "actions", "setup", "action.yml")).runs.steps;
  return Object.values(jobs)
    .flatMap((job) => job.steps)
    .flatMap((step) => (step.uses === "./.github/actions/setup" ? setup : [step]))
    .flatMap(({ run, env, if: condition }) => (run === undefined ? [] : [{ run, env, condition }]));
}

/** The command lines of a job of GitLab. */
export function gitLabCommands(name: string): Command[] {
  const file = z.record(z.string(), z.unknown()).parse(read(".gitlab-ci.yml"));
  const before = z.looseObject({ before_script: z.array(z.string()) }).parse(file["default"]).before_script;
  const job = gitLabJob.parse(file[name]);
  const base = job.extends === undefined ? undefined : gitLabJob.parse(file[job.extends]);
  const script = job.script ?? base?.script ?? [];
  const env = { ...base?.variables, ...job.variables };
  return [...before, ...script].map((run) => ({ run, env, condition: undefined }));
}

/** The names of all jobs of GitLab. */
export function gitLabJobs(): string[] {
  const file = z.record(z.string(), z.unknown()).parse(read(".gitlab-ci.yml"));
  return Object.keys(file).filter((name) => !["default", "stages"].includes(name) && !name.startsWith("."));
}

function read(...path: string[]): unknown {
  return parse(readFileSync(join(EXAMPLE, ...path), "utf8"));
}

/** A clone of the example's repository as a runner has it after its packages were installed. */
export class Workspace {
  readonly folder = join(ROOT, ".local", "test", randomBytes(6).toString("hex"));
  /** Environment of every job. */
  readonly env: Record<string, string | undefined>;

  constructor(emulator: Emulator) {
    cpSync(EXAMPLE, this.folder, { recursive: true });
    mkdirSync(join(this.folder, "backend"));
    const modules = join(this.folder, "node_modules");
    mkdirSync(modules);
    symlinkSync(ROOT, join(modules, "pulumi-posthog"));
    installCommand(this.folder);
    // Compiled here, since a type check at every operation would take longer than all else; `npm run lint` does it.
    writeFileSync(join(this.folder, "index.js"), transpiled(readFileSync(join(EXAMPLE, "index.ts"), "utf8")));
    rmSync(join(this.folder, "index.ts"));
    const project = readFileSync(join(EXAMPLE, "Pulumi.yaml"), "utf8");
    writeFileSync(join(this.folder, "Pulumi.yaml"), project.replace("index.ts", "index.js"));
    const stack = new Stack(this.folder, {});
    const pack = new Pack(stack, readyPack());
    this.env = { ...stack.env, ...emulator.environment, PULUMI_POLICY_PACK: pack.path };
    // Where it differs by environment, the program's configuration says it.
    this.env["POSTHOG_PROJECT_ID"] = undefined;
    this.env["LAKE_ACCESS_KEY_ID"] = "hush-id";
    this.env["LAKE_SECRET_ACCESS_KEY"] = "hush-key";
  }

  /** Makes the stacks, as a person does once. */
  async init(): Promise<void> {
    for (const stack of STACKS) {
      const ended = await spawned(enginePath(), ["stack", "init", stack, "--non-interactive"], {
        cwd: this.folder,
        env: this.env,
        timeoutMs: JOB_TIMEOUT_MS,
      }).done;
      if (ended.code !== 0) throw new Error(ended.output);
    }
  }

  /** Runs a command line as a runner does, with the environment of its job alone beside that of the machine. */
  run(line: string, env: Readonly<Record<string, string>>): Promise<Ended> {
    const given = { ...this.env, ...env };
    return spawned("bash", ["-e", "-o", "pipefail", "-c", line], {
      cwd: this.folder,
      env: given,
      timeoutMs: JOB_TIMEOUT_MS,
    }).done;
  }

  /** Changes the program, as a merged change does. */
  edit(from: string, to: string): void {
    const path = join(this.folder, "index.js");
    const text = readFileSync(path, "utf8");
    if (!text.includes(from)) throw new Error(`the program does not hold ${from}`);
    writeFileSync(path, text.replace(from, to));
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
