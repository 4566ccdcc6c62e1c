import { changes, Scene, SHAPES, well } from "./scene";

let scene: Scene;
afterEach(() => scene.close());

const HOUR_MS = 3_600_000;

/** PostHog backfills at the project's route only; the interface document shows the organization's. */
function scoped(shapes: string): Record<string, unknown> {
  return shapes === "upstream" ? { projectId: scene.project } : {};
}
const lake = (shapes: string) => ({
  class: "BatchExport",
  name: "lake",
  args: { ...scoped(shapes), name: "Lake", interval: "hour", destination: { type: "NoOp", config: {} } },
});
const backfill = (shapes: string, args: Record<string, unknown> = {}) => ({
  class: "BatchExportBackfill",
  name: "past",
  args: {
    ...scoped(shapes),
    batchExportId: { $ref: "lake.id" },
    startAt: "2026-01-01T00:00:00Z",
    endAt: "2026-01-01T03:00:00Z",
    ...args,
  },
});

describe.each(SHAPES)("BatchExportBackfill, answers as %s", (shapes) => {
  test("runs once, again for another range or trigger, and undoes nothing", async () => {
    scene = await Scene.open({ shapes });
    scene.stack.declare([lake(shapes), backfill(shapes)]);
    expect(changes(await scene.run((stack) => stack.preview()))).toContain("create past");
    expect(scene.sent()).toEqual([]);

    await scene.up([lake(shapes), backfill(shapes)]);
    const id = await scene.id("lake");
    const path = `batch_exports/${id}/backfill/`;
    const body = { start_at: "2026-01-01T00:00:00Z", end_at: "2026-01-01T03:00:00Z" };
    expect(scene.sent()).toContainEqual(["POST", path, body]);
    expect(await scene.id("past")).toContain(`${id}-Backfill-2026-01-01T00:00:00`);
    const { latestRuns, backfillId } = await scene.outputs("past");
    expect(latestRuns).toHaveLength(3);
    expect(latestRuns).toContainEqual(
      expect.objectContaining({ status: "Completed", dataIntervalStart: "2026-01-01T00:00:00Z" }),
    );
    expect(typeof backfillId).toBe(shapes === "upstream" ? "string" : "undefined");
    await scene.expectNothingToDo();

    // The same moments in another notation are the same range.
    const same = { startAt: "2026-01-01T01:00:00+01:00", endAt: "2026-01-01T03:00:00.000Z" };
    expect(changes(await scene.up([lake(shapes), backfill(shapes, same)]))).toEqual([]);
    expect(scene.sent()).toEqual([]);

    const longer = { endAt: "2026-01-02T00:00:00Z" };
    await scene.up([lake(shapes), backfill(shapes, longer)]);
    expect(scene.sent()).toEqual([["POST", path, { ...body, end_at: longer.endAt }]]);
    expect((await scene.outputs("past"))["latestRuns"]).toHaveLength(10);

    const triggered = await scene.up([lake(shapes), backfill(shapes, { ...longer, trigger: "again" })]);
    expect(triggered.step("past").replaceReasons).toEqual(["trigger"]);
    expect(scene.sent()).toEqual([["POST", path, { ...body, end_at: longer.endAt }]]);
    await scene.up([lake(shapes)]);
    expect(scene.sent()).toEqual([]);
    expect(scene.emulator.store.backfills.all()).toHaveLength(3);
  });
});

test.each(["reset-after", "reset-before"])(
  "BatchExportBackfill, the answer lost by %s: run once",
  async (fault) => {
    scene = await Scene.open({ shapes: "upstream" });
    await scene.up([lake("upstream")]);
    scene.emulator.faults.add(`POST /backfill/$ ${fault} x1`);
    await scene.up([lake("upstream"), backfill("upstream")]);
    expect(scene.emulator.store.backfills.all()).toHaveLength(1);
    await scene.expectNothingToDo();
  },
);

test("BatchExportBackfill refuses at preview what the service would refuse", async () => {
  scene = await Scene.open();
  await scene.up([lake("documented")]);
  const refused = async (args: Record<string, unknown>) => {
    scene.stack.declare([lake("documented"), backfill("documented", args)]);
    const run = await scene.run(async (stack) => ({ ...(await stack.preview()), code: 0 }));
    expect(scene.sent()).toEqual([]);
    return run.errors;
  };
  expect(await refused({ startAt: "2026-01-01T00:00:00" })).toContain(
    "startAt: must be an ISO 8601 time with a zone",
  );
  expect(await refused({ endAt: "2026-01-01T00:00:00Z" })).toContain("endAt: must be after startAt");
  const far = new Date(Date.now() + 3 * HOUR_MS).toISOString();
  expect(await refused({ endAt: far })).toContain("at most one interval of the export (hour) in the future");
  expect(await refused({ batchExportId: "lake" })).toContain("batchExportId: must be a UUID");
  expect(await refused({ adoptId: "x" })).toContain("adoptId: a backfill is an action");

  // Within one interval it is as good as now.
  await scene.up([
    lake("documented"),
    backfill("documented", { endAt: new Date(Date.now() + HOUR_MS / 2).toISOString() }),
  ]);
  await scene.expectNothingToDo();
});

test("BatchExportBackfill at the organization's route of PostHog says that a project is needed", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  await scene.up([lake("upstream")]);
  const { projectId: _, ...args } = backfill("upstream").args as Record<string, unknown>;
  scene.stack.declare([lake("upstream"), { ...backfill("upstream"), args }]);
  const run = await scene.stack.up();
  expect(run.errors).toContain('creating BatchExportBackfill "past"');
  expect(run.errors).toContain("give the BatchExportBackfill a projectId");
});

test("BatchExportBackfill is gone with its export, and looked up by its id", async () => {
  scene = await Scene.open();
  await scene.up([lake("documented"), backfill("documented")]);
  const id = await scene.id("past");
  scene.stack.declare([{ class: "BatchExportBackfill", name: "theirs", get: { id } }]);
  well(await scene.stack.up());
  expect((await scene.outputs("theirs"))["latestRuns"]).toHaveLength(3);

  await scene.up([lake("documented"), backfill("documented")]);
  await scene.ask("DELETE", `batch_exports/${await scene.id("lake")}/`);
  expect(changes(await scene.run((stack) => stack.refresh()))).toContain("delete past");
  expect(changes(await scene.again())).toEqual(["create lake", "create past"]);
});
