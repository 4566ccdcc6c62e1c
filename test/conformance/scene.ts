import type { EmulatorOptions } from "../../src/emulator";
import { openStack, type Run, type Stack, type StackOptions, type Step } from "../support/stack";
import { writes } from "../support/emulator";
import type { AdoptableCases, Kept, KindCases, Sent } from "./cases";
import { ask, made, openWorld, settled, type World } from "./world";

/** One operation, looked at by several tests. */
export interface Shared {
  readonly run: Run;
  /** The requests of the operation that could change something. */
  readonly writes: World["emulator"]["requests"];
}

/** An emulator and a stack that the tests of a file share. */
export class Scene {
  private opened: { readonly world: World; readonly stack: Stack } | undefined;

  constructor(
    private readonly options: (world: World) => StackOptions = () => ({}),
    private readonly emulated: EmulatorOptions = {},
  ) {}

  async open(): Promise<void> {
    const world = await openWorld(this.emulated);
    const stack = await openStack({ emulator: world.emulator, ...this.options(world) });
    this.opened = { world, stack };
  }

  async close(): Promise<void> {
    await this.opened?.stack.close();
    await this.opened?.world.close();
  }

  get world(): World {
    if (!this.opened) throw new Error("the scene is not open");
    return this.opened.world;
  }
  get stack(): Stack {
    if (!this.opened) throw new Error("the scene is not open");
    return this.opened.stack;
  }
  get emulator(): World["emulator"] {
    return this.world.emulator;
  }
  /** What a name of the world stands for, as text. */
  named(name: string): string {
    return String(settled(this.world, { $world: name }));
  }

  /** Runs one operation before the tests of a group; they share its run and the requests that it made. */
  running(operation: () => Promise<Run>): Shared {
    const shared: { run?: Run; writes: Shared["writes"] } = { writes: [] };
    beforeAll(async () => {
      this.emulator.clearRequests();
      shared.run = await operation();
      shared.writes = writes(this.emulator);
    });
    return {
      get writes() {
        return shared.writes;
      },
      get run() {
        if (!shared.run) throw new Error("the operation did not run");
        return shared.run;
      },
    };
  }

  /** Ids in the stack's state, by logical name. */
  async ids(): Promise<ReadonlyMap<string, string>> {
    const { deployment } = await this.stack.export();
    return new Map(deployment.resources.map(({ urn, id }) => [urn.split("::").at(-1) ?? "", id ?? ""]));
  }

  /** What the stack's state has, by logical name. */
  async kept(): Promise<ReadonlyMap<string, Kept>> {
    const { deployment } = await this.stack.export();
    return new Map(
      deployment.resources.map(({ urn, id = "", inputs = {}, outputs = {} }) => [
        urn.split("::").at(-1) ?? "",
        { id, inputs, outputs },
      ]),
    );
  }

  /** Path of a kind's collection in the configured organization and project. */
  path({ path }: Pick<KindCases, "path">): string {
    return path.replace(/\$(\w+)/g, (_, name: string) => this.named(name));
  }

  /** What someone else has of a kind: made now, or there already; its id. */
  async someoneHas({ path, existing }: AdoptableCases, name: string): Promise<string> {
    const there = settled(this.world, existing.made(name));
    return String(
      typeof there === "object" ? (await made(this.emulator, this.path({ path }), there))["id"] : there,
    );
  }

  /** Requests of someone else to an object of the configured organization and project. */
  async byHand(kind: Pick<KindCases, "path">, id: string, sent: readonly Sent[]): Promise<void> {
    for (const [method, action, body] of sent) {
      const path = `${this.path(kind)}${id}/${action}`;
      const answer = await ask(this.emulator, method, path, settled(this.world, body));
      if (answer.status >= 300)
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }
}

/** A scene that is open during the tests of a file. */
export function openScene(emulated?: EmulatorOptions): Scene {
  const scene = new Scene(() => ({}), emulated);
  beforeAll(() => scene.open());
  afterAll(() => scene.close());
  return scene;
}

/** The step of a resource that has one of these operations. */
export function step(run: Run, { name }: { readonly name: string }, ...ops: string[]): Step {
  const found = run.steps.find((one) => one.name === name && ops.includes(one.op));
  const others = run.steps.filter((one) => one.name === name).map(({ op }) => op);
  if (!found) throw new Error(`${name}: no step ${ops.join(" or ")}, but ${others.join(", ") || "none"}`);
  return found;
}

/** The arguments that a step names as different; hidden keys are not shown to anybody. */
export function named({ diffs }: Step): string[] {
  return diffs.filter((name) => !name.startsWith("__"));
}

/** Exit code and errors of a run, for a comparison that shows what went wrong. */
export function ending({ code, errors }: Run): readonly [number, string] {
  return [code, errors];
}

/** How a run ends well. */
export const WELL = [0, ""] as const;

/** What a run said about a resource in lines that begin with `warning:`. */
export function warnings(run: Run, kind: string, name: string): string[] {
  const start = `warning: ${kind} "${name}"`;
  return run.diagnostics.map(({ message }) => message).filter((message) => message.startsWith(start));
}
