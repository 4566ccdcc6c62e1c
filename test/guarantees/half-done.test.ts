import { startEmulator, writes, type Emulator } from "../support/emulator";
import { openStack, type Declared, type Stack } from "../support/stack";

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await startEmulator();
  stack = await openStack({ emulator });
});
afterEach(async () => {
  await stack.close();
  await emulator.close();
});

const lake = (args: Record<string, unknown> = {}): Declared => ({
  class: "BatchExport",
  name: "lake",
  args: {
    name: "Lake",
    interval: "hour",
    paused: true,
    destination: {
      type: "S3",
      config: {
        bucketName: "lake",
        region: "eu-central-1",
        prefix: "",
        awsAccessKeyId: "hush-id",
        awsSecretAccessKey: "hush-key",
      },
    },
    ...args,
  },
});
const template = {
  template_name: "Traffic",
  dashboard_description: "Who comes.",
  dashboard_filters: {},
  tiles: [{ type: "TEXT", body: "Hello", color: null, layouts: {} }],
};
const traffic: Declared = {
  class: "Dashboard",
  name: "traffic",
  args: { template, name: "Our traffic", tags: ["web"] },
};

/** What the emulator was asked to change, without the ids. */
function changes(): string[] {
  return writes(emulator).map(
    ({ method, path }) =>
      `${method} ${path
        .split("/")
        .slice(4)
        .join("/")
        .replace(/\/[0-9a-f-]+\//, "/:id/")}`,
  );
}

const FINISHING = ["PATCH dashboards/:id/", "POST batch_exports/:id/pause/"];

async function halfMade(): Promise<void> {
  emulator.faults.add("POST /pause/$ 500; PATCH /dashboards/* 400");
  stack.declare([lake(), traffic]);
  const up = await stack.up({ continueOnError: true });
  expect(up.code).not.toBe(0);
  expect(up.errors).toMatch(/BatchExport "lake" \([-0-9a-f]+\) exists and is half done: .*answered 500/);
  expect(up.errors).toMatch(/Dashboard "traffic" \(\d+\) exists and is half done: .*answered 400/);
  expect(up.errors).toContain("The next pulumi up finishes it");
  const { resources } = (await stack.export()).deployment;
  expect(resources.filter(({ initErrors }) => initErrors !== undefined)).toHaveLength(2);
  for (const text of [await stack.stateFile(), up.output]) expect(text).not.toContain("hush-");
  emulator.faults.clear();
  emulator.clearRequests();
}

function expectWhole(): void {
  expect(emulator.store.batchExports.all()).toMatchObject([{ name: "Lake", paused: true, deleted: false }]);
  expect(emulator.store.dashboards.all()).toMatchObject([
    { name: "Our traffic", tags: ["web"], deleted: false },
  ]);
}

test("made by half, and the next up finishes it", async () => {
  await halfMade();
  const finished = await stack.up({ diff: true });
  expect(finished).toMatchObject({ code: 0, changes: { update: 2 } });
  expect(changes().sort()).toEqual(FINISHING);
  expectWhole();
  expect(finished.output).not.toContain("hush-");
});

test("made by half, refreshed, and the next up finishes it", async () => {
  await halfMade();
  const refreshed = await stack.refresh();
  expect([refreshed.code, refreshed.errors]).toEqual([0, ""]);
  expect(await stack.stateFile()).not.toContain("hush-");
  expect(changes()).toEqual([]);
  expect(await stack.preview()).toMatchObject({ code: 0, changes: { update: 2 } });
  expect(await stack.up()).toMatchObject({ code: 0, changes: { update: 2 } });
  expect(changes().sort()).toEqual(FINISHING);
  expectWhole();
  expect(await stack.preview({ refresh: true, expectNoChanges: true })).toMatchObject({ code: 0 });
});

test.each([
  ["at once", false],
  ["after a refresh", true],
])("made by half, destroy removes it %s", async (_, refresh) => {
  await halfMade();
  if (refresh) expect(await stack.refresh()).toMatchObject({ code: 0 });
  const destroyed = await stack.destroy();
  expect([destroyed.code, destroyed.errors]).toEqual([0, ""]);
  expect(changes().sort()).toEqual(["DELETE batch_exports/:id/", "PATCH dashboards/:id/"]);
  expect(emulator.store.batchExports.all()).toMatchObject([{ deleted: true }]);
  expect(emulator.store.dashboards.all()).toMatchObject([{ deleted: true }]);
});

test("an update that was done by half is finished after a refresh, and so is one that unpauses", async () => {
  stack.declare([lake({ paused: false })]);
  expect(await stack.up()).toMatchObject({ code: 0 });

  emulator.faults.add("POST /pause/$ 500; POST /unpause/$ 500");
  stack.declare([lake({ name: "Renamed" })]);
  const paused = await stack.up();
  expect(paused.code).not.toBe(0);
  expect(paused.errors).toMatch(/half done/);
  emulator.faults.clear();
  expect(await stack.refresh()).toMatchObject({ code: 0 });
  emulator.clearRequests();
  expect(await stack.up()).toMatchObject({ code: 0, changes: { update: 1 } });
  expect(changes()).toEqual(["POST batch_exports/:id/pause/"]);
  expect(emulator.store.batchExports.all()).toMatchObject([{ name: "Renamed", paused: true }]);

  emulator.faults.add("POST /unpause/$ 500");
  stack.declare([lake({ name: "Renamed", interval: "day", paused: false })]);
  expect((await stack.up()).code).not.toBe(0);
  emulator.faults.clear();
  emulator.clearRequests();
  expect(await stack.up({ refresh: true })).toMatchObject({ code: 0 });
  expect(changes()).toEqual(["POST batch_exports/:id/unpause/"]);
  expect(emulator.store.batchExports.all()).toMatchObject([{ interval: "day", paused: false }]);
  expect(await stack.up({ expectNoChanges: true })).toMatchObject({ code: 0 });
});

test.each([
  ["at once", false],
  ["after a refresh", true],
])(
  "made by half, what is left to do is taken out of the program %s, and nothing is left",
  async (_, refresh) => {
    await halfMade();
    if (refresh) expect(await stack.refresh()).toMatchObject({ code: 0 });
    const { paused: __, ...args } = lake().args ?? {};
    stack.declare([{ ...lake(), args }, traffic]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(emulator.store.batchExports.all()).toMatchObject([
      { name: "Lake", paused: false, deleted: false },
    ]);
    expect(await stack.preview({ refresh: true, expectNoChanges: true })).toMatchObject({ code: 0 });
  },
);
