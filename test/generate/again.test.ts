import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../package/built";
import { openAccount, type Account } from "./account";
import { ProgramFolder } from "./folder";

let account: Account;
let folder: ProgramFolder;
beforeAll(ensureBuilt);
beforeEach(async () => {
  account = await openAccount({ members: 2 });
  await add("Growth");
  await add("Sales");
  folder = new ProgramFolder(account.emulator);
  await generate();
});
afterEach(async () => {
  folder.close();
  await account.emulator.close();
});

async function add(name: string, body: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  return await account.ask("POST", `${account.project}dashboards/`, { name, ...body });
}

async function generate(...flags: string[]): Promise<string> {
  const ended = await folder.generate(flags);
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  return ended.stdout;
}

function edit(file: string, change: (text: string) => string): void {
  const before = folder.read(file);
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(join(folder.path, file), after);
}

function rename(id: number, name: string): void {
  const { dashboards } = account.emulator.store;
  dashboards.update(dashboards.require(id), { name });
}

test("what nobody edited is updated; names stay, whatever an object is called by now", async () => {
  rename(1, "Growth of the year");
  await add("Marketing");
  const said = await generate();
  expect(said).toMatch(/^wrote dashboards\.ts, README\.md in/m);
  const text = folder.read("dashboards.ts");
  expect(text).toMatch(
    /export const growth = new posthog\.Dashboard\(\s+"growth",\s+\{[^}]*name: "Growth of the year"/,
  );
  expect(text).toContain('name: "Marketing"');
  expect(folder.compilerErrors()).toEqual([]);
});

test("an edited file keeps every letter, and gets what is new at its end", async () => {
  edit("dashboards.ts", (text) => text.replace('name: "Sales"', 'name: "Sales and more", pinned: true'));
  const edited = folder.read("dashboards.ts");
  rename(1, "Renamed in PostHog");
  await add("Marketing");
  const said = await generate();
  expect(said).toContain("kept dashboards.ts, which was edited, and added 1 new at its end");
  const text = folder.read("dashboards.ts");
  expect(text.startsWith(edited.trimEnd())).toBe(true);
  expect(text.slice(edited.length)).toMatch(/export const marketing = new posthog\.Dashboard\(/);
  expect(text).not.toContain("Renamed in PostHog");
  expect(folder.compilerErrors()).toEqual([]);
  // The third run has nothing left to add.
  expect(await generate()).toMatch(/kept as they are: dashboards\.ts/);
  expect(folder.read("dashboards.ts")).toBe(text);
});

test("what was taken out of the program does not come back", async () => {
  edit("dashboards.ts", (text) => text.slice(0, text.indexOf("export const sales")));
  await generate();
  expect(folder.resources()).not.toContain("Dashboard sales");
  rmSync(join(folder.path, "people.ts"));
  const said = await generate();
  expect(said).toMatch(/kept as they are: .*people\.ts/);
  expect(existsSync(join(folder.path, "people.ts"))).toBe(false);
  expect(folder.read("index.ts")).not.toContain("people");
  expect(folder.compilerErrors()).toEqual([]);
});

test("where an edited file no longer exports a name, others get its id", async () => {
  const board = await add("Board", { restriction_level: 37 });
  const alan = account.emulator.store.users.find(({ email }) => email === "alan@example.com");
  edit("people.ts", (text) => text.replace("export const alan =", "export const turing ="));
  await account.ask("POST", `${account.project}dashboards/${String(board["id"])}/collaborators/`, {
    user_uuid: alan?.uuid,
    level: 37,
  });
  await generate();
  const text = folder.read("dashboards.ts");
  expect(text).toContain(`userUuid: "${alan?.uuid ?? ""}"`);
  expect(text).toContain("dashboardId: board.id");
  expect(folder.compilerErrors()).toEqual([]);
});

test("a formatter that ran over it is no edit", async () => {
  edit("dashboards.ts", (text) => text.replaceAll("\n", "\r\n").replaceAll("  ", "    "));
  rename(1, "Renamed in PostHog");
  await generate();
  expect(folder.read("dashboards.ts")).toContain("Renamed in PostHog");
});

test("the style of the folder is followed", async () => {
  writeFileSync(join(folder.path, ".prettierrc.json"), JSON.stringify({ singleQuote: true, semi: false }));
  await generate();
  expect(folder.read("dashboards.ts")).toContain("name: 'Growth',");
});

test("--force writes everything anew, but never the stack's own configuration", async () => {
  edit("dashboards.ts", (text) => text.replace('name: "Growth"', 'name: "Edited"'));
  edit("Pulumi.test.yaml", (text) => `${text}encryptionsalt: kept\n`);
  await generate("--force");
  expect(folder.read("dashboards.ts")).not.toContain("Edited");
  expect(folder.read("Pulumi.test.yaml")).toContain("encryptionsalt: kept");
});

test("files that it did not write are named, and nothing is written", async () => {
  rmSync(join(folder.path, "pulumi-posthog.generated.json"));
  const before = folder.files();
  rename(1, "Renamed in PostHog");
  const ended = await folder.generate();
  expect(ended.code).toBe(3);
  expect(ended.stderr).toMatch(/holds files that generate did not write: .*dashboards\.ts.*--out.*--force/);
  expect(folder.files()).toEqual(before);
});

test("a broken manifest is named", async () => {
  writeFileSync(join(folder.path, "pulumi-posthog.generated.json"), "{");
  const ended = await folder.generate();
  expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining("version control")]);
});

test("another account's program is left alone", async () => {
  const other = await openAccount();
  try {
    const ended = await folder.generate([], other.emulator.environment);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(/holds a program of .*--out/);
  } finally {
    await other.emulator.close();
  }
});

test("a narrower selection takes nothing out of the program", async () => {
  const before = folder.resources();
  await add("Marketing");
  await generate("--kind", "Member");
  expect(folder.resources()).toEqual(before);
  await generate("--kind", "Dashboard", "--name", "mark*");
  expect(folder.resources().sort()).toEqual([...before, "Dashboard marketing"].sort());
});

test("what the key may not read this time stays in the program", async () => {
  const people = folder.read("people.ts");
  await add("Marketing");
  const scopes = ["organization:read", "dashboard:read", "batch_export:read", "plugin:read"];
  const ended = await folder.generate([], { POSTHOG_API_KEY: account.emulator.createKey({ scopes }) });
  expect(ended.code).toBe(0);
  expect(folder.read("people.ts")).toBe(people);
  expect(folder.read("dashboards.ts")).toContain("Marketing");
  expect(folder.read("index.ts")).toContain('import "./people";');
  expect(folder.read("README.md")).toMatch(/Every `Member`: .*organization\\?_member:read/);
  expect(await generate()).not.toContain("kept");
});

test.each([
  ["a kind", ["--kind", "Dashbord"], /there is no kind Dashbord to generate; there are: Organization,/],
  ["a project", ["--project", "Prod"], /has no project Prod; it has: 1 \(Default project\), 2 \(Staging\)/],
  ["a stack's name", ["--stack", "a b"], /--stack/],
])("%s that there is not", async (_, flags, message) => {
  const ended = await folder.generate(flags);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(message);
});

test.each([
  ["a wrong key", { POSTHOG_API_KEY: "phx_wrong0123456789" }, 1, /answered 401/],
  ["no key", { POSTHOG_API_KEY: "" }, 2, /POSTHOG_API_KEY/],
  ["a host that is down", { POSTHOG_HOST: "http://127.0.0.1:9" }, 3, /holds a program of/],
])("%s: nothing is written", async (_, env, code, message) => {
  const before = folder.files();
  const ended = await folder.generate([], env);
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(message)]);
  expect(ended.output).not.toContain("phx_wrong");
  expect(folder.files()).toEqual(before);
});

test("a service that fails half-way writes nothing", async () => {
  account.emulator.faults.add("GET /members/ 500");
  const before = folder.files();
  rename(1, "Renamed in PostHog");
  const ended = await folder.generate();
  expect(ended.code).toBe(1);
  expect(folder.files()).toEqual(before);
});

test("a part of it, by kind, name, tag and project", async () => {
  await add("Marketing", { tags: ["team:m"] });
  await account.ask("POST", "/api/projects/2/dashboards/", { name: "Elsewhere", tags: ["team:m"] });
  const parts: [string[], string[]][] = [
    [
      ["--kind", "member"],
      ["Member grace", "Member ada", "Member alan"],
    ],
    [["--name", "*ALES*"], ["Dashboard sales"]],
    [
      ["--tag", "Team:M"],
      ["Dashboard elsewhere", "Dashboard marketing"],
    ],
    [["--tag", "team:m", "--project", "staging"], ["Dashboard elsewhere"]],
  ];
  for (const [flags, expected] of parts) {
    const part = new ProgramFolder(account.emulator);
    try {
      const ended = await part.generate(flags);
      expect([ended.code, ended.stderr]).toEqual([0, ""]);
      expect(part.resources().sort()).toEqual(expected.sort());
      expect(part.compilerErrors()).toEqual([]);
    } finally {
      part.close();
    }
  }
});

test("--defaults declares what is at its default, --no-protect protects nothing", async () => {
  await generate("--defaults", "--no-protect");
  expect(folder.read("dashboards.ts")).toMatch(/pinned: false,[^}]*restrictionLevel: "everyone"/);
  expect(readFileSync(join(folder.path, "organization.ts"), "utf8")).not.toContain("protect: true");
  expect(folder.compilerErrors()).toEqual([]);
});
