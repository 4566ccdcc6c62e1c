import { z } from "zod";
import { startEmulator, writes, type Emulator } from "../support/emulator";
import { openStack, type Declared, type Run, type Stack } from "../support/stack";
import type { EmulatorOptions } from "../../src/emulator";

/** Answers as the interface document shows them, and as the service gives them. */
export const SHAPES = ["documented", "upstream"] as const;

/** A request as these tests write it: the path below the project or organization. */
export type Sent = readonly [method: string, path: string, body?: unknown];

/** An emulator and a stack for one test, with someone else's hands. */
export class Scene {
  private constructor(
    readonly emulator: Emulator,
    readonly stack: Stack,
  ) {}

  static async open(
    options: EmulatorOptions & { env?: Record<string, string>; scopes?: string[] } = {},
  ): Promise<Scene> {
    const { env, scopes, ...rest } = options;
    const emulator = await startEmulator(rest);
    const key = scopes === undefined ? {} : { POSTHOG_API_KEY: emulator.createKey({ scopes }) };
    return new Scene(emulator, await openStack({ emulator, env: { ...key, ...env } }));
  }

  async close(): Promise<void> {
    await this.stack.close();
    await this.emulator.close();
  }

  get organization(): string {
    return this.emulator.environment.POSTHOG_ORGANIZATION_ID;
  }
  get project(): string {
    return this.emulator.environment.POSTHOG_PROJECT_ID;
  }

  /** Declares resources, runs `up` and fails where that fails. */
  async up(resources: readonly Declared[], flags = {}): Promise<Run> {
    this.stack.declare(resources);
    return well(await this.again(flags));
  }

  /** `up` of the same program; the requests of before are forgotten. */
  again(flags = {}): Promise<Run> {
    this.emulator.clearRequests();
    return this.stack.up(flags);
  }

  /** Runs an operation after forgetting the requests of before, and fails where it fails. */
  async run(operation: (stack: Stack) => Promise<Run>): Promise<Run> {
    this.emulator.clearRequests();
    return well(await operation(this.stack));
  }

  /** `up` with a refresh before it changes nothing and writes nothing. */
  async expectNothingToDo(): Promise<void> {
    await this.run((stack) => stack.up({ refresh: true, expectNoChanges: true }));
    expect(this.sent()).toEqual([]);
  }

  /** The requests since the last operation began that could change something. */
  sent(): Sent[] {
    return writes(this.emulator).map(({ method, path, body }) => {
      const below = path.replace(/^\/api\/(?:projects|organizations)\/[^/]+\//, "");
      return body === undefined ? [method, below] : [method, below, body];
    });
  }

  /** A request of someone else, below the project or organization. */
  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const parent = path.startsWith("dashboards")
      ? `projects/${this.project}`
      : `organizations/${this.organization}`;
    const response = await fetch(`${this.emulator.url}/api/${parent}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.emulator.environment.POSTHOG_API_KEY}`,
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** The state's outputs of a resource. */
  async outputs(name: string): Promise<Record<string, unknown>> {
    return (await this.resource(name)).outputs ?? {};
  }
  /** The id of a resource in the state. */
  async id(name: string): Promise<string> {
    return (await this.resource(name)).id ?? "";
  }

  private async resource(name: string) {
    const { checkpoint } = stateFile.parse(JSON.parse(await this.stack.stateFile()));
    const found = checkpoint.latest.resources.find(({ urn }) => urn.endsWith(`::${name}`));
    if (found === undefined) throw new Error(`the state has no ${name}`);
    return found;
  }
}

const stateFile = z.looseObject({
  checkpoint: z.looseObject({
    latest: z.looseObject({
      resources: z
        .array(
          z.looseObject({
            urn: z.string(),
            id: z.string().optional(),
            outputs: z.record(z.string(), z.unknown()).optional(),
          }),
        )
        .default([]),
    }),
  }),
});

/** The run, if it went well; else an error with what it printed. */
export function well(run: Run): Run {
  if (run.code !== 0) throw new Error(`ended with ${String(run.code)}:\n${run.output}\n${run.errors}`);
  return run;
}

/** The operations of a run that changed something, as `update name`. */
export function changes(run: Run): string[] {
  return run.changed.map(({ op, name }) => `${op} ${name}`);
}

/** Lines that the provider printed. */
export function said(run: Run): string {
  return run.diagnostics.map(({ message }) => message).join("\n");
}
