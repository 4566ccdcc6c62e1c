import { changes, said, Scene, well } from "./scene";

let scene: Scene;
afterEach(() => scene.close());

const template = {
  template_name: "Draft",
  dashboard_description: "",
  dashboard_filters: {},
  tiles: [{ type: "TEXT", body: "a note", layouts: {} }],
};
const boards = [
  { class: "Dashboard", name: "draft", args: { template } },
  { class: "Dashboard", name: "board", args: { name: "Board" } },
];
const move = (tileId: number, args: Record<string, unknown> = {}) => ({
  class: "DashboardTileMove",
  name: "note",
  args: { dashboardId: { $ref: "draft.id" }, tileId, toDashboardId: { $ref: "board.id" }, ...args },
});

/** Makes both dashboards; the number of the one tile. */
async function drafted(): Promise<number> {
  await scene.up(boards);
  return scene.emulator.store.tiles.all()[0]?.id ?? 0;
}

const place = () => String(scene.emulator.store.tiles.all()[0]?.dashboard_id);

describe("DashboardTileMove", () => {
  test("moves once, moves again when it changes, and moves nothing back", async () => {
    scene = await Scene.open();
    const tile = await drafted();
    const [draft, board] = [await scene.id("draft"), await scene.id("board")];
    scene.stack.declare([...boards, move(tile)]);
    expect(changes(await scene.run((stack) => stack.preview()))).toEqual(["create note"]);
    expect(scene.sent()).toEqual([]);

    await scene.up([...boards, move(tile)]);
    expect(scene.sent()).toEqual([
      ["PATCH", `dashboards/${draft}/move_tile/`, { tile: { id: tile }, toDashboard: Number(board) }],
    ]);
    expect(place()).toBe(board);
    await scene.expectNothingToDo();

    const back = move(tile, { dashboardId: { $ref: "board.id" }, toDashboardId: { $ref: "draft.id" } });
    const again = await scene.up([...boards, back]);
    expect(again.step("note").op).toBe("replace");
    expect(place()).toBe(draft);

    await scene.up(boards);
    expect(scene.sent()).toEqual([]);
    expect(place()).toBe(draft);
  });
});

test.each(["reset-after", "500-after"])(
  "DashboardTileMove, the answer lost by %s: moved once",
  async (fault) => {
    scene = await Scene.open({ shapes: "upstream" });
    const tile = await drafted();
    scene.emulator.faults.add(`PATCH /move_tile/$ ${fault} x1`);
    await scene.up([...boards, move(tile)]);
    expect(place()).toBe(await scene.id("board"));
    await scene.expectNothingToDo();
  },
);

test("DashboardTileMove with a key that has scopes: says what to do, and finds the move that a person made", async () => {
  scene = await Scene.open();
  const tile = await drafted();
  scene.stack.env["POSTHOG_API_KEY"] = scene.emulator.createKey({ scopes: ["*"] });
  scene.stack.declare([...boards, move(tile)]);
  well(await scene.stack.preview());
  const refused = await scene.again();
  expect(refused.errors).toContain('creating DashboardTileMove "note"');
  expect(refused.errors).toContain("PostHog closes this action to every API key with scopes");

  await scene.ask("PATCH", `dashboards/${await scene.id("draft")}/move_tile/`, {
    tile: { id: tile },
    toDashboard: Number(await scene.id("board")),
  });
  expect(said(well(await scene.again()))).toContain(`tile ${String(tile)} is on dashboard`);
  await scene.expectNothingToDo();
});

test("DashboardTileMove refuses what cannot be", async () => {
  scene = await Scene.open();
  const args = { dashboardId: 4, tileId: 1, toDashboardId: "4" };
  scene.stack.declare([{ class: "DashboardTileMove", name: "nowhere", args: { ...args, adoptId: "1" } }]);
  const bad = await scene.stack.preview();
  expect(bad.errors).toContain("toDashboardId: must be another dashboard than dashboardId");
  expect(bad.errors).toContain("adoptId: a move is an action and no object that could be adopted");

  scene.stack.declare([
    { class: "DashboardTileMove", name: "bad", args: { ...args, tileId: -1, toDashboardId: 5 } },
  ]);
  expect((await scene.stack.preview()).errors).toContain("tileId: must be more than 0 (got -1)");

  scene.stack.declare([{ class: "DashboardTileMove", name: "theirs", get: { id: "4/1/5" } }]);
  expect((await scene.stack.preview()).errors).toContain("DashboardTileMove cannot be looked up with get");

  scene.stack.declare([...boards, move(999)]);
  const missing = await scene.stack.up();
  expect(missing.errors).toMatch(/creating DashboardTileMove "note".*move_tile/);
});
