import { startEmulator, writes, type Emulator } from "../support/emulator";
import { openStack, type Declared, type Run, type Stack } from "../support/stack";
import { startRelay, type Relay } from "./relay";

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
});
async function closed<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
  const opened = await opening;
  closing.push(opened);
  return opened;
}

const program = (turn = 0): Declared[] => [
  { class: "Dashboard", name: "growth", args: { name: "Growth", description: `Turn ${turn}` } },
  { class: "Domain", name: "company", args: { domain: "example.com", samlEntityId: `turn-${turn}` } },
];

function expectFine(run: Run, changes: Record<string, number>): void {
  expect([run.code, run.errors]).toEqual([0, ""]);
  expect(run.changes).toEqual(changes);
}

/** Names and ids of what the state holds. */
async function held(stack: Stack): Promise<string[]> {
  const { resources } = (await stack.export()).deployment;
  return resources
    .filter(({ type }) => type.includes("posthog:"))
    .map(({ urn, id }) => `${urn.split("::").at(-1)} ${id}`);
}

/** A new key, and the old ones no longer work. */
function rotate(emulator: Emulator): string {
  const key = emulator.createKey();
  for (const old of emulator.store.keys.all()) if (old.value !== key) emulator.store.keys.delete(old.id);
  return key;
}

describe("a key that is rotated", () => {
  test("by environment: everything goes on", async () => {
    const emulator = await closed(startEmulator());
    const stack = await closed(openStack({ emulator }));
    stack.declare(program());
    expectFine(await stack.up(), { create: 2 });

    const rotateHere = (): void => void (stack.env["POSTHOG_API_KEY"] = rotate(emulator));
    rotateHere();
    expectFine(await stack.preview({ refresh: true, expectNoChanges: true }), { same: 4 });
    rotateHere();
    expect(await stack.refresh()).toMatchObject({ code: 0, errors: "" });
    expect(await stack.refresh({ runProgram: true })).toMatchObject({ code: 0, errors: "" });
    stack.declare(program(1));
    rotateHere();
    expectFine(await stack.up(), { update: 2 });
    rotateHere();
    expectFine(await stack.destroy(), { delete: 2 });
  });

  test("by configuration: preview and up go on, the others say what to run", async () => {
    const emulator = await closed(startEmulator());
    const { POSTHOG_API_KEY: first, ...env } = emulator.environment;
    const stack = await closed(openStack({ env, config: { "posthog:apiKey": { secret: first } } }));
    stack.declare(program());
    expectFine(await stack.up(), { create: 2 });
    const before = await held(stack);

    await stack.setConfig("posthog:apiKey", rotate(emulator), { secret: true });
    expectFine(await stack.preview(), { same: 2 });
    for (const refused of [
      await stack.refresh(),
      await stack.destroy(),
      await stack.preview({ refresh: true }),
    ]) {
      expect(refused.code).not.toBe(0);
      expect(refused.errors).toMatch(/answered 401/);
      expect(refused.errors).toMatch(/pulumi up or pulumi refresh --run-program/);
      expect(refused.output).not.toContain(first);
    }
    expect(await held(stack)).toEqual(before);
    expect(await stack.refresh({ runProgram: true })).toMatchObject({ code: 0, errors: "" });

    await stack.setConfig("posthog:apiKey", rotate(emulator), { secret: true });
    stack.declare(program(1));
    expectFine(await stack.up(), { update: 2 });
    expect(await stack.refresh()).toMatchObject({ code: 0, errors: "" });
    expectFine(await stack.destroy(), { delete: 2 });
  });
});

describe("a host that has moved", () => {
  /** The same service at two addresses. */
  async function moving(): Promise<{ emulator: Emulator; old: Relay }> {
    const emulator = await closed(startEmulator());
    return { emulator, old: await closed(startRelay(emulator, {})) };
  }

  test("by environment: everything goes on", async () => {
    const { emulator, old } = await moving();
    const stack = await closed(openStack({ env: old.environment }));
    stack.declare(program());
    expectFine(await stack.up(), { create: 2 });
    await old.leave();
    Object.assign(stack.env, emulator.environment);
    expectFine(await stack.preview({ refresh: true, expectNoChanges: true }), { same: 4 });
    // Not refreshed since: the state still names the old host.
    stack.declare(program(1));
    expectFine(await stack.up(), { update: 2 });
    expect(await stack.refresh({ runProgram: true })).toMatchObject({ code: 0, errors: "" });
    expectFine(await stack.destroy(), { delete: 2 });
    expect(emulator.store.domains.all()).toEqual([]);
  });

  test("by configuration: the host that is gone is named with what to run", async () => {
    const { emulator, old } = await moving();
    const { POSTHOG_HOST: _, ...env } = emulator.environment;
    const stack = await closed(openStack({ env, config: { "posthog:host": old.url } }));
    stack.declare(program());
    expectFine(await stack.up(), { create: 2 });
    const before = await held(stack);
    await old.leave();
    await stack.setConfig("posthog:host", emulator.url);
    for (const refused of [await stack.refresh(), await stack.destroy()]) {
      expect(refused.code).not.toBe(0);
      expect(refused.errors).toContain(`${old.url} cannot be reached`);
      expect(refused.errors).toMatch(/pulumi up or pulumi refresh --run-program/);
    }
    expect(await held(stack)).toEqual(before);
    expect(await stack.refresh({ runProgram: true })).toMatchObject({ code: 0, errors: "" });
    expectFine(await stack.up(), { same: 2 });
    expectFine(await stack.destroy(), { delete: 2 });
  });
});

describe("a host that is another", () => {
  test.each([
    ["with nothing of ours", 0],
    ["with other objects under our ids", 3],
  ])("%s: no state is emptied, and nothing there is touched", async (_, others) => {
    const emulator = await closed(startEmulator());
    const stack = await closed(openStack({ emulator }));
    stack.declare(program());
    expectFine(await stack.up(), { create: 2 });
    const before = await held(stack);

    // Everything has the same ids here but what is made later.
    const other = await closed(startEmulator({ now: () => new Date(Date.now() + 3_600_000) }));
    const theirs = await closed(openStack({ emulator: other }));
    theirs.declare(
      Array.from({ length: others }, (__, index) => ({
        class: "Dashboard",
        name: `theirs-${index}`,
        args: { name: `Theirs ${index}` },
      })),
    );
    expect(await theirs.up()).toMatchObject({ code: 0 });
    other.clearRequests();

    Object.assign(stack.env, other.environment);
    stack.declare(program(1));
    for (const refused of [
      await stack.refresh(),
      await stack.preview({ refresh: true }),
      await stack.up({ continueOnError: true }),
      await stack.destroy({ continueOnError: true }),
    ]) {
      expect(refused.code).not.toBe(0);
      expect(refused.errors).toContain(`was made on ${emulator.url}`);
      expect(refused.errors).toContain("posthog:host (POSTHOG_HOST)");
    }
    expect(await held(stack)).toEqual(before);
    expect(writes(other).filter(({ status }) => status < 400)).toEqual([]);
    expect(other.store.dashboards.all().filter(({ deleted }) => deleted)).toEqual([]);

    Object.assign(stack.env, emulator.environment);
    expectFine(await stack.up(), { update: 2 });
    expectFine(await stack.destroy(), { delete: 2 });
  });
});

test("a project or organization that is gone, and a host that is down, empty no state", async () => {
  const emulator = await closed(startEmulator());
  const stack = await closed(openStack({ emulator }));
  stack.declare(program());
  expectFine(await stack.up(), { create: 2 });
  const before = await held(stack);
  stack.declare(program(1));

  const { projects, organizations } = emulator.store;
  const [project] = projects.all();
  const [organization] = organizations.all();
  if (!project || !organization) throw new Error("the emulator has no project");
  const attempts = async (): Promise<Run[]> => [
    await stack.refresh(),
    await stack.up({ continueOnError: true }),
    await stack.destroy({ continueOnError: true }),
  ];

  // Another key's view: the project and the organization are there, but not for this one.
  const stranger = emulator.createKey({
    organizations: ["018f3d2c-0000-4000-8000-000000000000"],
    scopes: ["*"],
  });
  stack.env["POSTHOG_API_KEY"] = stranger;
  for (const refused of await attempts()) {
    expect(refused.code).not.toBe(0);
    expect(refused.errors).toMatch(/answered 403/);
  }
  expect(await held(stack)).toEqual(before);
  stack.env["POSTHOG_API_KEY"] = emulator.environment.POSTHOG_API_KEY;

  projects.delete(project.id);
  const withoutProject = await attempts();
  for (const refused of withoutProject) {
    expect(refused.code).not.toBe(0);
    expect(refused.errors).toMatch(/posthog:projectId/);
  }
  projects.insert(project);
  // The domain's organization was there all the time: destroy removed it.
  expect(await held(stack)).toEqual(before.filter((one) => one.startsWith("growth")));

  stack.env["POSTHOG_HOST"] = "http://127.0.0.1:9";
  for (const refused of await attempts()) {
    expect(refused.code).not.toBe(0);
    expect(refused.errors).toContain("http://127.0.0.1:9 cannot be reached");
  }
  expect(await held(stack)).toEqual(before.filter((one) => one.startsWith("growth")));
});

test("named connections: each object lives on its own host, also after their keys are rotated", async () => {
  const us = await closed(startEmulator());
  const eu = await closed(startEmulator({ seed: 2 }));
  const entry = (emulator: Emulator, apiKey: string): object => ({
    apiKey,
    host: emulator.url,
    projectId: emulator.environment.POSTHOG_PROJECT_ID,
    organizationId: emulator.environment.POSTHOG_ORGANIZATION_ID,
  });
  const connections = (euKey: string): string =>
    JSON.stringify({ us: entry(us, us.environment.POSTHOG_API_KEY), eu: entry(eu, euKey) });
  const { POSTHOG_API_KEY: __, ...env } = us.environment;
  const stack = await closed(
    openStack({
      env,
      config: { "posthog:connections": { secret: connections(eu.environment.POSTHOG_API_KEY) } },
    }),
  );
  const both = (turn: number): Declared[] =>
    ["us", "eu"].flatMap((connection) =>
      program(turn).map((one) => ({
        ...one,
        name: `${one.name}-${connection}`,
        args: { ...one.args, connection },
      })),
    );
  stack.declare(both(0));
  expectFine(await stack.up(), { create: 4 });
  for (const emulator of [us, eu]) {
    expect(emulator.store.dashboards.all()).toHaveLength(1);
    expect(emulator.store.domains.all()).toHaveLength(1);
    expect(emulator.requests.filter(({ status }) => status === 401)).toEqual([]);
  }
  expectFine(await stack.preview({ refresh: true, expectNoChanges: true }), { same: 8 });

  await stack.setConfig("posthog:connections", connections(rotate(eu)), { secret: true });
  const refused = await stack.refresh();
  expect(refused.code).not.toBe(0);
  expect(refused.errors).toContain(`${eu.url} does not accept the key`);
  stack.declare(both(1));
  expectFine(await stack.up(), { update: 4 });
  expect(await stack.refresh()).toMatchObject({ code: 0, errors: "" });
  expectFine(await stack.destroy(), { delete: 4 });
  for (const emulator of [us, eu]) {
    expect(emulator.store.dashboards.all()).toMatchObject([{ deleted: true }]);
    expect(emulator.store.domains.all()).toEqual([]);
  }
  // Keys travel to their own host alone.
  expect(us.requests.filter(({ status }) => status === 401)).toEqual([]);
});
