import { utimesSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DrivenStack } from "../soak/driven";
import type { Declared } from "../support/stack";
import { KilledRuns } from "./killed-runs";

/*
 * The provider dies at the very moment at which the service has made something, before any answer: what the next run
 * makes of it, with the program as it was or edited meanwhile.
 */
let runs: KilledRuns;
beforeEach(async () => {
  runs = await KilledRuns.open();
});
afterEach(() => runs.close());

/** What a request takes that is still at work when the next run looks what came of it. */
const SLOW_MS = 3000;

const board: Declared = { class: "Dashboard", name: "board", args: { name: "Board" } };
const batch: Declared = {
  class: "InviteBatch",
  name: "team",
  args: { invites: [{ targetEmail: "ada@example.org", level: "member" }] },
};
const lake: Declared = {
  class: "BatchExport",
  name: "lake",
  args: { name: "Lake", interval: "hour", destination: { type: "NoOp", config: {} } },
};
const backfill = (args: Record<string, unknown> = {}): Declared => ({
  class: "BatchExportBackfill",
  name: "past",
  args: {
    batchExportId: { $ref: "lake.id" },
    startAt: "2026-01-01T00:00:00Z",
    endAt: "2026-01-01T03:00:00Z",
    ...args,
  },
});

test("a backfill that was started is not started again", async () => {
  const { backfills } = runs.emulator.store;
  const program = [lake, backfill()];
  await runs.dieWhen(program, () => backfills.size === 1);
  expect(await runs.heal(program)).toContain("took over the backfill");
  expect(backfills.size).toBe(1);
});

test("a backfill whose range was changed meanwhile is another one", async () => {
  const { backfills } = runs.emulator.store;
  await runs.dieWhen([lake, backfill()], () => backfills.size === 1);
  await runs.heal([lake, backfill({ endAt: "2026-01-02T00:00:00Z" })]);
  expect(backfills.size).toBe(2);
});

test("what cannot become what the program says now is removed, where its own answer had named it", async () => {
  const { plugins } = runs.emulator.store;
  const app = (pluginType: string): Declared => ({
    class: "FrontendApp",
    name: "app",
    args: { pluginType, name: "Banner", source: { "index.ts": "export {};" } },
  });
  await runs.dieWhen([app("source")], () => plugins.find(({ source }) => "index.ts" in source) !== undefined);
  expect(await runs.heal([app("inline")])).toContain("it was deleted, and a new one is made");
  expect(plugins.all().map((row) => row.plugin_type)).toEqual(["inline"]);
});

test("what was made in a project that the program has left meanwhile is named", async () => {
  const { dashboards, projects } = runs.emulator.store;
  const [here, there] = projects.all().map(({ id }) => String(id));
  const boardIn = (projectId: string | undefined): Declared => ({
    class: "Dashboard",
    name: "board",
    args: { projectId, name: "Board" },
  });
  const made = () => dashboards.filter(({ name }) => name === "Board");
  await runs.dieWhen([boardIn(here)], () => made().length === 1);
  const said = await runs.heal([boardIn(there)]);
  expect(said).toContain(`may have made something for it at /api/projects/${here ?? ""}/dashboards/`);
  expect(made().map(({ project_id: project }) => String(project))).toEqual([here, there]);
});

test("of two stacks in one folder, neither takes over what the other has made", async () => {
  const { dashboards } = runs.emulator.store;
  const made = () => dashboards.filter(({ name }) => name === "Board");
  runs.emulator.faults.add("POST /dashboards/$ 500 x1");
  // The first stack dies before its object comes to exist; the second one makes the same, and its state has it.
  const { code } = await runs.driver.run("up", [board], async (child) => {
    while (runs.emulator.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill("SIGKILL");
  });
  expect(code).toBeNull();
  expect(made()).toEqual([]);
  runs.emulator.faults.clear();
  const second = new DrivenStack(runs.folder, runs.emulator, "organization/soak/second");
  expect((await second.run("up", [board])).code).toBe(0);
  expect((await second.run("preview", [board])).code).toBe(0);
  expect((await runs.driver.run("up", [board])).code).toBe(0);
  expect(made()).toHaveLength(2);
  expect((await second.run("preview", [board])).code).toBe(0);
  expect((await runs.driver.run("preview", [board])).code).toBe(0);
});

test("what the service does only after the next run has begun is not done twice", async () => {
  const { dashboards, invites, backfills } = runs.emulator.store;
  const program = [board, batch, lake, backfill()];
  const paths = ["/dashboards/", "/invites/bulk/", "/backfill/"];
  for (const path of paths) runs.emulator.faults.add(`POST ${path}$ slow=${SLOW_MS} x1`);
  const made = (): number[] => [
    dashboards.filter(({ name }) => name === "Board").length,
    invites.size,
    backfills.size,
  ];
  await runs.dieOnceSent(program, paths);
  expect(made()).toEqual([0, 0, 0]);
  await runs.heal(program);
  await sleep(SLOW_MS);
  expect(made()).toEqual([1, 1, 1]);
});

test("nor is what a killed run had been waiting for so long that its last word is old", async () => {
  const { dashboards } = runs.emulator.store;
  runs.emulator.faults.add(`POST /dashboards/$ slow=${SLOW_MS} x1`);
  await runs.dieOnceSent([board], ["/dashboards/"]);
  // As if it had been sent a minute before the kill.
  const before = new Date(Date.now() - 60_000);
  for (const file of runs.notes("intents")) utimesSync(file, before, before);
  await runs.heal([board]);
  await sleep(SLOW_MS);
  expect(dashboards.filter(({ name }) => name === "Board")).toHaveLength(1);
});
