import { openStack, type Run, type Stack, type Step } from "../../support/stack";
import { type Sent } from "../cases";
import { ask, openWorld, settled, type World } from "../world";
import { type Instance, program, type Serving, type Station } from "./instances";
import { creationOf, removalOf } from "./requests";

/** One stack with an object for each argument of each kind, and the emulator that it is made in. */
export class Life {
  private opened: { readonly world: World; readonly stack: Stack } | undefined;

  async open(): Promise<void> {
    const world = await openWorld();
    const { POSTHOG_HOST: host, POSTHOG_API_KEY: apiKey } = world.emulator.environment;
    const projectId = String(world.values["project"]);
    const connections = { first: { host, apiKey, projectId }, second: { host, apiKey, projectId } };
    const config = { "posthog:connections": { secret: JSON.stringify(connections) } };
    this.opened = { world, stack: await openStack({ emulator: world.emulator, config }) };
  }

  async close(): Promise<void> {
    await this.opened?.stack.close();
    await this.opened?.world.emulator.close();
  }

  get world(): World {
    if (!this.opened) throw new Error("the life has not begun");
    return this.opened.world;
  }
  get stack(): Stack {
    if (!this.opened) throw new Error("the life has not begun");
    return this.opened.stack;
  }
  get emulator(): World["emulator"] {
    return this.world.emulator;
  }

  /** Runs one operation before the tests of a group; they share its run and the requests that it made. */
  running(operation: () => Promise<Run>): { readonly run: Run } {
    const shared: { run?: Run } = {};
    beforeAll(async () => {
      this.emulator.clearRequests();
      shared.run = await operation();
    });
    return {
      get run() {
        if (!shared.run) throw new Error("the operation did not run");
        return shared.run;
      },
    };
  }

  declare(station: Station, lift?: (value: unknown) => unknown): void {
    this.stack.declare(program(this.world, station, lift));
  }

  /** Ids in the stack's state, by logical name. */
  async ids(): Promise<ReadonlyMap<string, string>> {
    const { deployment } = await this.stack.export();
    return new Map(deployment.resources.map(({ urn, id }) => [urn.split("::").at(-1) ?? "", id ?? ""]));
  }

  /** Requests of someone else to an object of the configured organization and project. */
  async byHand({ kind }: Pick<Instance, "kind">, id: string, sent: readonly Sent[]): Promise<void> {
    const path = kind.path
      .replace("$organization", String(this.world.values["organization"]))
      .replace("$project", String(this.world.values["project"]));
    for (const [method, action, body] of sent) {
      const answer = await ask(this.emulator, method, `${path}${id}/${action}`, settled(this.world, body));
      if (answer.status >= 300)
        throw new Error(`${method} ${path}${id}/: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }

  /** What an update to the first or second value sends. */
  effectOf({ tested }: Serving, index: 0 | 1): readonly Sent[] {
    const { update, field, sent, first, second } = tested;
    if (update === "nothing" || update === "replacement") return [];
    if (update !== "patch") return update;
    const body = { [field]: (sent ?? [first, second])[index] };
    return [["PATCH", "", settled(this.world, body, { secrets: true })]];
  }

  /** The text by which the POST of an instance is known. */
  markerOf({ kind, slug, tested }: Serving, index: 0 | 1): string {
    const own = tested.argument === kind.marker;
    const value = own ? (tested.sent ?? [tested.first, tested.second])[index] : kind.base(slug)[kind.marker];
    return String(settled(this.world, value));
  }

  /** A replacement, and which of its two halves came first: in the engine's events and in the requests. */
  expectReplacement(run: Run, instance: Serving, station: "second" | "taken out"): void {
    const { name, kind, tested } = instance;
    const oldFirst = (tested.order ?? kind.order) === "old first";
    const made = step(run, instance, "create-replacement");
    const removed = step(run, instance, "delete-replaced");
    expect(made.status).toBe("done");
    expect(run.steps.indexOf(removed) < run.steps.indexOf(made)).toBe(oldFirst);
    const old = removed.old?.id ?? "";
    const removal = removalOf(this.emulator, kind, old);
    // The interface cannot delete import apps: they are released, with a warning.
    const warnings = run.diagnostics.filter(({ message }) =>
      message.startsWith(`warning: ${kind.kind} "${name}"`),
    );
    if (kind.kind === "ImportApp") expect([removal, warnings.length]).toEqual([undefined, 1]);
    else expect(removal?.status).toBeLessThan(300);
    if (kind.kind === "Member") return;
    expect(made.new?.id).not.toBe(old);
    if (station === "taken out" && tested.argument === kind.marker) return;
    const creation = creationOf(this.emulator, kind, this.markerOf(instance, 1));
    expect(creation?.status).toBeLessThan(300);
    if (!creation || !removal) return;
    const { requests } = this.emulator;
    expect(requests.indexOf(removal) < requests.indexOf(creation)).toBe(oldFirst);
  }
}

/** The step of a resource that has one of these operations. */
export function step(run: Run, { name }: { readonly name: string }, ...ops: string[]): Step {
  const found = run.steps.find((one) => one.name === name && ops.includes(one.op));
  const others = run.steps.filter((one) => one.name === name).map(({ op }) => op);
  if (!found) throw new Error(`${name}: no step ${ops.join(" or ")}, but ${others.join(", ") || "none"}`);
  return found;
}

/** Exit code and errors of a run, for a comparison that shows what went wrong. */
export function ending({ code, errors }: Run): readonly [number, string] {
  return [code, errors];
}

export const WELL = [0, ""];
