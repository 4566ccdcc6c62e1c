import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DrivenStack } from "../soak/driven";
import { type Emulator, startEmulator, writes } from "../support/emulator";
import type { Declared } from "../support/stack";

/*
 * The provider dies at the very moment at which the service has done something, before any answer: what the next run
 * makes of it, with the program as it was or edited meanwhile.
 */
let emulator: Emulator;
let folder: string;
let driver: DrivenStack;
beforeEach(async () => {
  emulator = await startEmulator();
  folder = mkdtempSync(join(tmpdir(), "interrupted-"));
  driver = new DrivenStack(folder, emulator);
});
afterEach(async () => {
  await emulator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Files in which something is written down that is still under way. */
function notes(of: "intents" | "updates"): string[] {
  const path = join(folder, ".pulumi-posthog", of);
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
}

/** Applies the program until the service's data fulfil the condition; then the process is dead. */
async function dieWhen(program: readonly Declared[], isDone: () => boolean): Promise<void> {
  const { code, output } = await driver.run("up", program, (child) => {
    emulator.store.onChange(() => {
      if (isDone()) child.kill("SIGKILL");
    });
  });
  emulator.store.onChange(() => undefined);
  if (code !== null) throw new Error(`nothing happened that it should die of: ${output}`);
}

/** Applies the program to its end, and then finds nothing to do and nothing to remember. */
async function heal(program: readonly Declared[]): Promise<string> {
  const up = await driver.run("up", program);
  expect(up).toEqual(expect.objectContaining({ code: 0 }));
  emulator.clearRequests();
  expect(await driver.run("preview", program)).toEqual(expect.objectContaining({ code: 0 }));
  expect(writes(emulator)).toEqual([]);
  expect(notes("intents")).toEqual([]);
  return up.output;
}

/** What a request takes that is still at work when the next run looks what came of it. */
const SLOW_MS = 3000;
/** What was written down has been sent by then. */
const ON_ITS_WAY_MS = 500;

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
  const { backfills } = emulator.store;
  const program = [lake, backfill()];
  await dieWhen(program, () => backfills.size === 1);
  expect(await heal(program)).toContain("took over the backfill");
  expect(backfills.size).toBe(1);
});

test("a backfill whose range was changed meanwhile is another one", async () => {
  const { backfills } = emulator.store;
  await dieWhen([lake, backfill()], () => backfills.size === 1);
  await heal([lake, backfill({ endAt: "2026-01-02T00:00:00Z" })]);
  expect(backfills.size).toBe(2);
});

const batch = (...invites: (readonly [string, string])[]): Declared => ({
  class: "InviteBatch",
  name: "team",
  args: { invites: invites.map(([who, level]) => ({ targetEmail: `${who}@example.org`, level })) },
});
const invited = (): string[] =>
  emulator.store.invites
    .all()
    .map(({ target_email: email, level }) => `${email.split("@")[0] ?? ""} ${String(level)}`)
    .sort();

test("a batch of invites that was sent is not sent again", async () => {
  const program = [batch(["ada", "member"], ["grace", "admin"])];
  await dieWhen(program, () => emulator.store.invites.size === 2);
  const ids = emulator.store.invites.all().map(({ id }) => id);
  await heal(program);
  expect(emulator.store.invites.all().map(({ id }) => id)).toEqual(ids);
});

test("of a batch that was sent and then edited, nobody has two invites and nobody one too many", async () => {
  await dieWhen(
    [batch(["ada", "member"], ["grace", "admin"], ["joan", "member"])],
    () => emulator.store.invites.size === 3,
  );
  await heal([batch(["ada", "admin"], ["joan", "member"], ["mary", "member"])]);
  expect(invited()).toEqual(["ada 8", "joan 1", "mary 1"]);
});

test("an invite that somebody else sent to the same address stays", async () => {
  emulator.store.invites.insert({
    id: "00000000-0000-4000-8000-000000000001",
    organization_id: emulator.environment.POSTHOG_ORGANIZATION_ID,
    target_email: "grace@example.org",
    first_name: "",
    emailing_attempt_made: true,
    level: 15,
    created_by_id: null,
    created_at: new Date().toISOString(),
    updated_at: new Date().toISOString(),
    message: null,
    private_project_access: [],
    expired: false,
  });
  await dieWhen([batch(["ada", "member"], ["grace", "admin"])], () => emulator.store.invites.size === 3);
  await heal([batch(["ada", "member"])]);
  expect(invited()).toEqual(["ada 1", "grace 15"]);
});

test("who was being invited anew by another resource has one invite afterwards", async () => {
  const both = batch(["ada", "member"], ["grace", "member"]);
  await heal([both]);
  const grace: Declared = {
    class: "TeamMember",
    name: "grace",
    args: { email: "grace@example.org", level: "admin" },
  };
  // The batch's own invite to her is taken back only after the run has died.
  const without: Declared = { ...batch(["ada", "member"]), opts: { dependsOn: ["grace"] } };
  await dieWhen([grace, without], () => invited().includes("grace 8"));
  expect(invited()).toEqual(["ada 1", "grace 1", "grace 8"]);
  await heal([grace, without]);
  expect(invited()).toEqual(["ada 1", "grace 8"]);
});

test("an update of a batch that was taken back in the program is taken back at the service", async () => {
  const before = [batch(["ada", "member"])];
  await heal(before);
  await dieWhen([batch(["ada", "member"], ["grace", "member"])], () => invited().includes("grace 1"));
  await heal(before);
  expect(invited()).toEqual(["ada 1"]);
});

test("what cannot become what the program says now is removed, where its own answer had named it", async () => {
  const { plugins } = emulator.store;
  const app = (pluginType: string): Declared => ({
    class: "FrontendApp",
    name: "app",
    args: { pluginType, name: "Banner", source: { "index.ts": "export {};" } },
  });
  await dieWhen([app("source")], () => plugins.find(({ source }) => "index.ts" in source) !== undefined);
  expect(await heal([app("inline")])).toContain("it was deleted, and a new one is made");
  expect(plugins.all().map((row) => row.plugin_type)).toEqual(["inline"]);
});

test("what was made in a project that the program has left meanwhile is named", async () => {
  const { dashboards, projects } = emulator.store;
  const [here, there] = projects.all().map(({ id }) => String(id));
  const board = (projectId: string | undefined): Declared => ({
    class: "Dashboard",
    name: "board",
    args: { projectId, name: "Board" },
  });
  const made = () => dashboards.filter(({ name }) => name === "Board");
  await dieWhen([board(here)], () => made().length === 1);
  const said = await heal([board(there)]);
  expect(said).toContain(`may have made something for it at /api/projects/${here ?? ""}/dashboards/`);
  expect(made().map(({ project_id: project }) => String(project))).toEqual([here, there]);
});

test("of two stacks in one folder, neither takes over what the other has made", async () => {
  const { dashboards } = emulator.store;
  const program: Declared[] = [{ class: "Dashboard", name: "board", args: { name: "Board" } }];
  const made = () => dashboards.filter(({ name }) => name === "Board");
  emulator.faults.add("POST /dashboards/$ 500 x1");
  // The first stack dies before its object comes to exist; the second one makes the same, and its state has it.
  const { code } = await driver.run("up", program, async (child) => {
    while (emulator.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill("SIGKILL");
  });
  expect(code).toBeNull();
  expect(made()).toEqual([]);
  emulator.faults.clear();
  const second = new DrivenStack(folder, emulator, "organization/soak/second");
  expect((await second.run("up", program)).code).toBe(0);
  expect((await second.run("preview", program)).code).toBe(0);
  expect((await driver.run("up", program)).code).toBe(0);
  expect(made()).toHaveLength(2);
  expect((await second.run("preview", program)).code).toBe(0);
  expect((await driver.run("preview", program)).code).toBe(0);
});

test("what the service does only after the next run has begun is not done twice", async () => {
  const { dashboards, invites, backfills } = emulator.store;
  const program: Declared[] = [
    { class: "Dashboard", name: "board", args: { name: "Board" } },
    batch(["ada", "member"]),
    lake,
    backfill(),
  ];
  const paths = ["/dashboards/", "/invites/bulk/", "/backfill/"];
  for (const path of paths) emulator.faults.add(`POST ${path}$ slow=${SLOW_MS} x1`);
  const made = (): number[] => [
    dashboards.filter(({ name }) => name === "Board").length,
    invites.size,
    backfills.size,
  ];
  const { code } = await driver.run("up", program, async (child) => {
    while (!paths.every((path) => written().includes(`${path}"`))) await sleep(5);
    await sleep(ON_ITS_WAY_MS);
    child.kill("SIGKILL");
  });
  expect(code).toBeNull();
  expect(made()).toEqual([0, 0, 0]);
  await heal(program);
  await sleep(SLOW_MS);
  expect(made()).toEqual([1, 1, 1]);
});

test("nor is what a killed run had been waiting for so long that its last word is old", async () => {
  const { dashboards } = emulator.store;
  const program: Declared[] = [{ class: "Dashboard", name: "board", args: { name: "Board" } }];
  emulator.faults.add(`POST /dashboards/$ slow=${SLOW_MS} x1`);
  await driver.run("up", program, async (child) => {
    while (!written().includes('/dashboards/"')) await sleep(5);
    await sleep(ON_ITS_WAY_MS);
    child.kill("SIGKILL");
  });
  // As if it had been sent a minute before the kill.
  const before = new Date(Date.now() - 60_000);
  for (const file of notes("intents")) utimesSync(file, before, before);
  await heal(program);
  await sleep(SLOW_MS);
  expect(dashboards.filter(({ name }) => name === "Board")).toHaveLength(1);
});

/** What the provider has written down of what it is about to make. */
function written(): string {
  return notes("intents")
    .map((file) => readFileSync(file, "utf8"))
    .join("");
}

const board = (args: Record<string, unknown>, called = "board"): Declared => ({
  class: "Dashboard",
  name: called,
  args: { name: "Board", ...args },
  opts: { aliases: [{ name: "board" }] },
});
const row = () => emulator.store.dashboards.find(({ name }) => name === "Board");

test.each([
  ["by its name", "board"],
  ["by another name", "panel"],
])("an update that was taken back in the program is taken back at the service, %s", async (_, name) => {
  await heal([board({ description: "before" })]);
  await dieWhen([board({ description: "after", pinned: true })], () => row()?.description === "after");
  // Neither the state nor the program knows of what the service holds by now.
  await heal([board({ description: "before" }, name)]);
  expect(row()).toEqual(expect.objectContaining({ description: "before", pinned: false }));
  expect(notes("updates")).toEqual([]);
});

test("what an update that was cut off has left is forgotten with its object, whatever name that has by then", async () => {
  const ada = emulator.addMember({ email: "ada@people.example" });
  emulator.addMember({ email: "joan@people.example" });
  const member = (name: string, email: string, level: string): Declared => ({
    class: "TeamMember",
    name,
    args: { email, level },
    opts: { aliases: [{ name: "first" }] },
  });
  const levelOf = () => emulator.store.memberships.find(({ user_id: id }) => id === ada.user.id)?.level;
  await heal([member("first", "ada@people.example", "member")]);
  await dieWhen([member("second", "ada@people.example", "admin")], () => levelOf() === 8);
  expect(notes("updates")).toHaveLength(1);
  // The resource is about somebody else from now on.
  await heal([member("second", "joan@people.example", "member")]);
  expect(notes("updates")).toEqual([]);

  await heal([board({})]);
  await dieWhen([board({ description: "after" }, "panel")], () => row()?.description === "after");
  expect(notes("updates")).toHaveLength(1);
  await heal([]);
  expect(notes("updates")).toEqual([]);
});

test("what an update that was cut off has left is forgotten where its object was deleted outside", async () => {
  const { domains } = emulator.store;
  const domain = (samlEntityId: string): Declared => ({
    class: "Domain",
    name: "main",
    args: { domain: "example.org", samlEntityId },
  });
  const stored = () => domains.find((one) => one.domain === "example.org");
  await heal([domain("before")]);
  await dieWhen([domain("after")], () => stored()?.saml_entity_id === "after");
  expect(notes("updates")).toHaveLength(1);
  domains.delete(stored()?.id ?? "");
  expect((await driver.run("refresh", [domain("after")])).code).toBe(0);
  expect(notes("updates")).toEqual([]);
});
