import { type Run, openStack, type Stack, type Step } from "../support/stack";
import { writes } from "../support/emulator";
import { kinds, type Sent } from "./cases";
import { DOOMED, instances, program, serving, type Serving, type Station, valueAt } from "./instances";
import { creationOf, removalOf, sentTo } from "./requests";
import { ask, openWorld, settled, type World } from "./world";

/*
 * The whole life of every kind, through the real engine: one object for each argument, all in one stack, so that
 * each operation of the engine is run once and looked at from every side.
 */

let world: World;
let stack: Stack;

beforeAll(async () => {
  world = await openWorld();
  const { POSTHOG_HOST: host, POSTHOG_API_KEY: apiKey } = world.emulator.environment;
  const projectId = String(world.values["project"]);
  const connections = { first: { host, apiKey, projectId }, second: { host, apiKey, projectId } };
  stack = await openStack({
    emulator: world.emulator,
    config: { "posthog:connections": { secret: JSON.stringify(connections) } },
  });
});
afterAll(async () => {
  await stack.close();
  await world.emulator.close();
});

/** Runs one operation before the tests of a group; they share its run and the requests that it made. */
function running(operation: () => Promise<Run>): { readonly run: Run } {
  const shared: { run?: Run } = {};
  beforeAll(async () => {
    world.emulator.clearRequests();
    shared.run = await operation();
  });
  return {
    get run() {
      if (!shared.run) throw new Error("the operation did not run");
      return shared.run;
    },
  };
}

function declare(station: Station, lift?: (value: unknown) => unknown): void {
  stack.declare(program(world, station, lift));
}

/** The resource's id after an operation. */
function idOf(run: Run, { name }: { readonly name: string }): string {
  const ids = run.steps.filter((step) => step.name === name).map((step) => step.new?.id || step.old?.id);
  return ids.filter(Boolean).at(-1) ?? "";
}

function step(run: Run, { name }: { readonly name: string }, ...ops: string[]): Step {
  const found = run.steps.find((one) => one.name === name && ops.includes(one.op));
  const others = run.steps.filter((one) => one.name === name).map(({ op }) => op);
  if (!found) throw new Error(`${name}: no step ${ops.join(" or ")}, but ${others.join(", ") || "none"}`);
  return found;
}

function effectOf(instance: Serving, index: 0 | 1): readonly Sent[] {
  const { update, field, sent, first, second } = instance.tested;
  if (update === "nothing" || update === "replacement") return [];
  if (update !== "patch") return update;
  const body = { [field]: (sent ?? [first, second])[index] };
  return [["PATCH", "", settled(world, body, { secrets: true })]];
}

function markerOf({ kind, slug, tested }: Serving, index: 0 | 1): string {
  const own = tested.argument === kind.marker;
  const value = own ? (tested.sent ?? [tested.first, tested.second])[index] : kind.base(slug)[kind.marker];
  return String(settled(world, value));
}

/** A replacement, and which of its two halves came first: in the engine's events and in the requests. */
function expectReplacement(run: Run, instance: Serving, station: "second" | "taken out"): void {
  const { name, kind, tested } = instance;
  const order = tested.order ?? kind.order;
  const made = step(run, instance, "create-replacement");
  const removed = step(run, instance, "delete-replaced");
  expect(made.status).toBe("done");
  expect(run.steps.indexOf(removed) < run.steps.indexOf(made)).toBe(order === "old first");
  const old = removed.old?.id ?? "";
  if (kind.kind !== "Member") expect(made.new?.id).not.toBe(old);
  const removal = removalOf(world.emulator, kind, old);
  expect([name, removal?.status ?? 0]).toEqual([name, kind.kind === "ImportApp" ? 0 : expect.any(Number)]);
  if (kind.kind === "Member" || (station === "taken out" && tested.argument === kind.marker)) return;
  const creation = creationOf(world.emulator, kind, markerOf(instance, 1));
  expect(creation?.status).toBeLessThan(300);
  if (!creation || !removal) return;
  const requests = world.emulator.requests;
  expect(requests.indexOf(removal) < requests.indexOf(creation)).toBe(order === "old first");
}

describe("a preview of objects that do not exist, every argument unknown", () => {
  const shared = running(() => {
    declare("first", (value) => ({ $unknown: value }));
    return stack.preview();
  });
  it("succeeds", () => expect(shared.run).toMatchObject({ code: 0, changes: { create: instances.length } }));
  it("writes nothing", () => expect(writes(world.emulator)).toEqual([]));
});

describe("a preview of objects that do not exist", () => {
  const shared = running(() => {
    declare("first");
    return stack.preview();
  });
  it("succeeds", () => expect(shared.run).toMatchObject({ code: 0, changes: { create: instances.length } }));
  it("writes nothing", () => expect(writes(world.emulator)).toEqual([]));
});

describe("the first up", () => {
  const shared = running(async () => {
    const run = await stack.up();
    await verifyDomains(run);
    return run;
  });
  it("succeeds", () => expect([shared.run.code, shared.run.errors]).toEqual([0, ""]));
  it.each(serving(() => true))("makes %s as it is declared", (_, instance) => {
    const { kind, tested } = instance;
    expect(step(shared.run, instance, "create").status).toBe("done");
    if (kind.kind === "Member") return;
    const creation = creationOf(world.emulator, kind, markerOf(instance, 0));
    expect(creation?.status).toBeLessThan(300);
    const body = creation?.body as Record<string, unknown>; // a POST of these kinds carries an object
    if (tested.creation === "unsent") expect(body).not.toHaveProperty([tested.field]);
    else if (tested.creation === "path")
      expect(creation?.path).toContain(String(settled(world, tested.first)));
    else {
      const expected = settled(world, (tested.sent ?? [tested.first])[0], { secrets: true });
      expect(body[tested.field]).toEqual(expected);
    }
  });
  it.each(serving((_, kind) => kind.kind === "Member"))(
    "takes over %s at the declared level",
    (_, instance) => {
      const level = instance.tested.argument === "level" ? 8 : 1;
      const id = idOf(shared.run, instance);
      expect(sentTo(world.emulator, instance.kind, id)).toEqual(
        level === 1 ? [] : [["PATCH", "", { level }]],
      );
    },
  );

  /** Someone else proves the domains whose arguments the service refuses before that. */
  async function verifyDomains(run: Run): Promise<void> {
    for (const [, one] of serving(({ argument }) =>
      /^(jitProvisioningEnabled|ssoEnforcement)$/.test(argument),
    )) {
      const { outputs } = step(run, one, "create").new ?? {};
      world.emulator.setDns(String(outputs?.["dnsRecordName"]), String(outputs?.["dnsRecordValue"]));
      await byHand(one, idOf(run, one), [["POST", "verify/"]]);
    }
  }
});

/** Requests of someone else to an object of the configured organization and project. */
async function byHand({ kind }: { readonly kind: Serving["kind"] }, id: string, sent: readonly Sent[]) {
  const path = kind.path
    .replace("$organization", String(world.values["organization"]))
    .replace("$project", String(world.values["project"]));
  for (const [method, action, body] of sent) {
    const answer = await ask(world.emulator, method, `${path}${id}/${action}`, settled(world, body));
    if (answer.status >= 300)
      throw new Error(`${kind.kind} ${method} ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}

describe("the second up", () => {
  const shared = running(() => stack.up({ expectNoChanges: true }));
  it("succeeds", () => expect([shared.run.code, shared.run.errors]).toEqual([0, ""]));
  it("changes nothing", () => expect(shared.run.changed).toEqual([]));
  it("writes nothing", () => expect(writes(world.emulator)).toEqual([]));
});

describe("an up with a refresh before it", () => {
  const shared = running(() => stack.up({ refresh: true, expectNoChanges: true }));
  it("succeeds", () => expect([shared.run.code, shared.run.errors]).toEqual([0, ""]));
  it("writes nothing", () => expect(writes(world.emulator)).toEqual([]));
  it.each(serving(() => true))("finds %s as it was declared", (_, instance) => {
    for (const one of shared.run.steps.filter(({ name }) => name === instance.name))
      expect(one.diffs).toEqual([]);
  });
});
