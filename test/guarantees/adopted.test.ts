import type { Declared } from "../support/stack";
import { changes, said, Scene } from "../resources/scene";

/* What was adopted is like everything else afterwards, with its `adoptId` left in the program or not. */

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.open();
});
afterEach(() => scene.close());

const body = (name: string) => ({ name, interval: "day", destination: { type: "NoOp", config: {} } });
const there = async (name = "Lake"): Promise<string> => {
  const made = await scene.ask("POST", "batch_exports/", body(name));
  return (made as { id: string }).id;
};
const lake = (adoptId: string, args = {}): Declared => ({
  class: "BatchExport",
  name: "lake",
  args: { ...body("Lake"), adoptId, ...args },
});
const exports = () => scene.emulator.store.batchExports.filter(({ deleted }) => !deleted).map(({ id }) => id);

test("what somebody deletes is made anew, twice, as without adoptId", async () => {
  const id = await there();
  await scene.up([lake(id)]);
  for (let time = 1; time <= 2; time++) {
    scene.emulator.store.batchExports.delete(await scene.id("lake"));
    const preview = await scene.stack.preview({ refresh: true, expectNoChanges: true });
    expect(preview.code).not.toBe(0);
    expect(preview.output).toContain("no changes were expected");
    expect(said(preview)).toContain(
      `BatchExport "lake": its object was deleted outside, and so a new one is made; take adoptId (${id}) out`,
    );
    const up = await scene.run((stack) => stack.up({ refresh: true }));
    expect(changes(up)).toContain("create lake");
    expect(exports()).toEqual([await scene.id("lake")]);
    await scene.expectNothingToDo();
  }
});

test("where adoptId names another one by now, that is taken over", async () => {
  const id = await there();
  await scene.up([lake(id)]);
  scene.emulator.store.batchExports.delete(id);
  const other = await there("Other");
  await scene.up([lake(other)], { refresh: true });
  expect(await scene.id("lake")).toBe(other);
  expect(scene.sent()).toEqual([["PATCH", `batch_exports/${other}/`, { name: "Lake" }]]);
});

test("an adoptId that never named anything stays an error", async () => {
  const wrong = "0190a1b2-0000-7000-8000-000000000000";
  scene.stack.declare([lake(wrong)]);
  const preview = await scene.stack.preview({ refresh: true });
  expect(preview.errors).toContain(`adopting ${wrong} as BatchExport "lake": there is no such object`);
});

test("hundreds are taken over in a few lines, and each that changes is named", async () => {
  const many = 60;
  const { store } = scene.emulator;
  const first = await scene.ask("POST", "dashboards/", { name: "Board" });
  const board = store.dashboards.require((first as { id: number }).id);
  const boards = Array.from({ length: many }, () =>
    store.dashboards.insert({ ...board, id: store.dashboards.nextId() }),
  );
  scene.stack.declare(
    boards.map(({ id }, index): Declared => ({
      class: "Dashboard",
      name: `board-${index}`,
      args: { name: index % 20 === 19 ? "Renamed" : "Board", adoptId: String(id) },
    })),
  );
  const lines = (run: Awaited<ReturnType<typeof scene.again>>): string[] =>
    said(run)
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => /take[ns]? over/.test(line));
  // One after the other: an up beside the preview would rename what the preview is to find with its old name.
  for (const run of [() => scene.stack.preview(), () => scene.again()]) {
    const told = lines(await run());
    expect(told.filter((line) => line.includes("as it is, without a change"))).toHaveLength(20);
    expect(told.filter((line) => line.includes('changes name: "Board" → "Renamed"'))).toHaveLength(3);
    expect(told).toContain("50 resources so far are taken over as they are, without a change");
    // One says that they are counted, and up to ten tell a number because it was quiet.
    expect(told.length).toBeLessThanOrEqual(20 + 3 + 1 + 1 + 10);
  }
});
