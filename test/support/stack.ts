import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Declared, Program } from "./declared";
import { engineSearchPath, enginePath, ROOT } from "./engine";
import { createStack, PASSPHRASE } from "./fresh";
import { type Events, parseEvents, type Step, withoutLastWords } from "./events";
import { type Ended, spawned } from "./spawned";

export type { Declared } from "./declared";
export type { Diagnostic, Side, Step } from "./events";
/** Workspaces stand inside the package, so that their programs find it by its own name. */
const WORKSPACES = join(ROOT, ".local", "test");
const LAZY = join(__dirname, "lazy.cjs");
const PROJECT = "posthog-test";
const STACK = "test";
const OPERATION_TIMEOUT_MS = 180_000;

/** A finished operation of the Pulumi CLI; a non-zero `code` is for the test to judge. */
export interface Run extends Ended, Events {
  /** The steps that are not `same`: what a person would call the changes. */
  readonly changed: readonly Step[];
  /** The step of the resource of that name; throws where there is none. */
  step(name: string): Step;
  /** Messages of severity `error`, as one text. */
  readonly errors: string;
}

/** An operation that runs. */
export interface Running {
  /** Process id of the CLI. */
  readonly pid: number;
  readonly done: Promise<Run>;
  /** Signals the CLI alone (`SIGKILL` unless said otherwise); the provider finishes the call that it is in. */
  kill(signal?: NodeJS.Signals): void;
  /** Ends the CLI, the program and the provider at once: a machine that loses power. */
  killAll(): void;
  /** What it printed so far. */
  soFar(): string;
}

/** Operations on a stack. */
export type Operation = "preview" | "up" | "refresh" | "destroy";

/**
 * Flags of an operation, in camelCase: `{ expectNoChanges: true, refresh: true, diff: true, target: [urn] }` becomes
 * `--expect-no-changes --refresh --diff --target URN`. `up`, `refresh` and `destroy` skip their preview unless
 * `skipPreview` is false.
 */
export type Flags = Readonly<Record<string, boolean | string | number | readonly string[] | undefined>>;

export interface StackOptions {
  /** Its `environment` is given to every operation. */
  readonly emulator?: { readonly environment: Readonly<Record<string, string>> };
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: Readonly<Record<string, string | { readonly secret: string }>>;
  /** A JavaScript program instead of declared resources. */
  readonly program?: string;
  /** Module whose classes `declare` declares; this package unless given. */
  readonly module?: string;
  /** Longest time of one operation; by default far above what one takes on a busy machine. */
  readonly timeoutMs?: number;
}

const checkpoint = z.object({
  version: z.number(),
  deployment: z.looseObject({
    resources: z
      .array(
        z.looseObject({
          urn: z.string(),
          type: z.string(),
          id: z.string().optional(),
          inputs: z.record(z.string(), z.unknown()).optional(),
          outputs: z.record(z.string(), z.unknown()).optional(),
          initErrors: z.array(z.string()).optional(),
        }),
      )
      .default([]),
  }),
});

/** What `pulumi stack export` prints. */
export type StateFile = z.infer<typeof checkpoint>;

/** An empty stack in a workspace of its own, on a file backend. Close it in `afterEach`. */
export async function openStack(options: StackOptions = {}): Promise<Stack> {
  const folder = join(WORKSPACES, randomBytes(6).toString("hex"));
  await mkdir(join(folder, "backend"), { recursive: true });
  const project = {
    name: PROJECT,
    main: "index.cjs",
    runtime: { name: "nodejs", options: { typescript: false } },
  };
  await writeFile(join(folder, "Pulumi.yaml"), JSON.stringify(project));
  const stack = new Stack(folder, options);
  stack.declare([]);
  if (options.program !== undefined) stack.program(options.program);
  await createStack(folder, () => stack.cli(["stack", "init", STACK], { check: true }));
  if (options.config) await stack.setAllConfig(options.config);
  return stack;
}

/** A stack driven through the real CLI, one process an operation, as a person would. */
export class Stack {
  /** Environment of the operations; change it between them. */
  readonly env: Record<string, string | undefined>;
  private readonly running = new Set<Running>();
  private readonly killed: (() => void)[] = [];
  private count = 0;

  constructor(
    /** The workspace: Pulumi.yaml, the program, the backend. */
    readonly folder: string,
    private readonly options: StackOptions,
  ) {
    this.env = {
      ...plainEnvironment(),
      ...this.ownEnvironment(),
      ...options.emulator?.environment,
      ...options.env,
    };
  }

  /** Replaces the program by these resources (in this order) and stack outputs. */
  declare(resources: readonly Declared[], outputs: Readonly<Record<string, unknown>> = {}): void {
    const program: Program = { module: this.options.module ?? "pulumi-posthog", resources, outputs };
    writeFileSync(join(this.folder, "program.json"), JSON.stringify(program));
    writeFileSync(join(this.folder, "index.cjs"), readFileSync(join(__dirname, "program.cjs"), "utf8"));
  }

  /** Replaces the program by a CommonJS text. */
  program(text: string): void {
    writeFileSync(join(this.folder, "index.cjs"), text);
  }

  preview(flags?: Flags): Promise<Run> {
    return this.start("preview", flags).done;
  }
  up(flags?: Flags): Promise<Run> {
    return this.start("up", flags).done;
  }
  refresh(flags?: Flags): Promise<Run> {
    return this.start("refresh", flags).done;
  }
  destroy(flags?: Flags): Promise<Run> {
    return this.start("destroy", flags).done;
  }

  /** Starts an operation and does not wait for it: for tests that kill one. */
  start(operation: Operation, flags: Flags = {}): Running {
    const log = join(this.folder, `events-${++this.count}.jsonl`);
    const preset: Flags = operation === "preview" ? {} : { yes: true, skipPreview: true };
    const args = [operation, "--event-log", log, ...toArguments({ ...preset, ...flags })];
    const child = this.spawn(args);
    const running: Running = {
      pid: child.pid,
      kill: (signal) => {
        this.killed.push(child.sweep);
        child.kill(signal);
      },
      killAll: child.killAll,
      soFar: child.soFar,
      done: child.done
        .then((ended) => toRun(ended, existsSync(log) ? readFileSync(log, "utf8") : ""))
        .finally(() => this.running.delete(running)),
    };
    this.running.add(running);
    return running;
  }

  /** Runs any other command of the CLI, such as `["state", "delete", urn]`. */
  async cli(
    args: readonly string[],
    { input, check = false }: { input?: string; check?: boolean } = {},
  ): Promise<Ended> {
    const ended = await this.spawn(args, input).done;
    if (check && ended.code !== 0)
      throw new Error(`pulumi ${args.join(" ")} ended with ${ended.code}:\n${ended.output}`);
    return ended;
  }

  /** What `pulumi stack export` prints. */
  async exportText(flags: Flags = {}): Promise<string> {
    return (await this.cli(["stack", "export", ...toArguments(flags)], { check: true })).stdout;
  }
  async export(flags: Flags = {}): Promise<StateFile> {
    return checkpoint.parse(JSON.parse(await this.exportText(flags)));
  }
  async importState(state: StateFile | string): Promise<void> {
    const input = typeof state === "string" ? state : JSON.stringify(state);
    await this.cli(["stack", "import"], { input, check: true });
  }
  /** The bytes of the backend's state file. */
  async stateFile(): Promise<string> {
    return readFile(this.statePath, "utf8");
  }
  /** The backend's state file. */
  get statePath(): string {
    return join(this.folder, "backend", ".pulumi", "stacks", PROJECT, `${STACK}.json`);
  }
  /** The stack's outputs, secrets as `"[secret]"`. */
  async outputs(flags: Flags = {}): Promise<Record<string, unknown>> {
    const { stdout } = await this.cli(["stack", "output", "--json", ...toArguments(flags)], { check: true });
    return z.record(z.string(), z.unknown()).parse(JSON.parse(stdout));
  }

  async setConfig(key: string, value: string, { secret = false }: { secret?: boolean } = {}): Promise<void> {
    await this.setAllConfig({ [key]: secret ? { secret: value } : value });
  }
  async setAllConfig(values: NonNullable<StackOptions["config"]>): Promise<void> {
    const args = Object.entries(values).flatMap(([key, value]) =>
      typeof value === "string" ? ["--plaintext", `${key}=${value}`] : ["--secret", `${key}=${value.secret}`],
    );
    if (args.length > 0) await this.cli(["config", "set-all", ...args], { check: true });
  }
  async removeConfig(key: string): Promise<void> {
    await this.cli(["config", "rm", key], { check: true });
  }
  /** Lifts the lock that a killed operation left. */
  async cancel(): Promise<void> {
    await this.cli(["cancel", "--yes"], { check: true });
  }

  /** Ends what still runs and removes the workspace. */
  async close(): Promise<void> {
    for (const running of this.running) running.killAll();
    for (const sweep of this.killed) sweep();
    await Promise.all([...this.running].map((running) => running.done));
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  private spawn(args: readonly string[], input?: string) {
    const stack = args[0] === "stack" && args[1] === "init" ? [] : ["--stack", STACK];
    const common = ["--non-interactive", "--color", "never"];
    return spawned(enginePath(), [...args, ...(args[0] === "cancel" ? [STACK] : stack), ...common], {
      cwd: this.folder,
      env: this.env,
      timeoutMs: this.options.timeoutMs ?? OPERATION_TIMEOUT_MS,
      ...(input === undefined ? {} : { input }),
    });
  }

  private ownEnvironment(): Record<string, string> {
    return {
      PATH: engineSearchPath(),
      PULUMI_BACKEND_URL: `file://${join(this.folder, "backend")}`,
      PULUMI_HOME: join(this.folder, "home"),
      PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
      PULUMI_DEBUG_COMMANDS: "true", // brings --event-log
      TEST_PROGRAM: "javascript",
      NODE_OPTIONS: `--require ${JSON.stringify(LAZY)}`,
    };
  }
}

/** The environment of the tests without what would reach into a stack: a developer's own accounts and keys. */
function plainEnvironment(): Record<string, string | undefined> {
  const foreign = /^(POSTHOG_|PULUMI_|NODE_OPTIONS$|AWS_|JEST_|NODE_ENV$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function toArguments(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    if (Array.isArray(value)) return value.flatMap((one: string) => [flag, one]);
    return [flag, String(value)];
  });
}

function toRun(ended: Ended, log: string): Run {
  const events = parseEvents(log);
  return {
    ...ended,
    ...events,
    changed: events.steps.filter(({ op }) => op !== "same"),
    errors: withoutLastWords(
      events.diagnostics
        .filter(({ severity }) => severity === "error" || severity === "info#err")
        .map(({ message }) => message)
        .join("\n"),
    ),
    step(name) {
      const found = events.steps.find(
        (step) => step.name === name && !/^(create-replacement|delete-replaced)$/.test(step.op),
      );
      if (!found)
        throw new Error(
          `no step for ${name}; there are: ${events.steps.map((s) => `${s.op} ${s.name}`).join(", ")}`,
        );
      return found;
    },
  };
}
