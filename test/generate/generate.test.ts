import { ensureBuilt } from "../package/built";
import { writes } from "../support/emulator";
import type { Run, Stack } from "../support/stack";
import type { Ended } from "../support/spawned";
import { fill, HUSHED, openAccount, type Account } from "./account";
import { ProgramFolder } from "./folder";

let account: Account;
let folder: ProgramFolder;
let stack: Stack;
let first: Ended;

beforeAll(async () => {
  ensureBuilt();
  account = await openAccount();
  await fill(account);
  folder = new ProgramFolder(account.emulator);
  first = await folder.generate();
});
afterAll(async () => {
  await stack?.close();
  folder.close();
  await account.emulator.close();
});

test("reads, and changes nothing in PostHog", () => {
  expect([first.code, first.stderr]).toEqual([0, ""]);
  expect(writes(account.emulator)).toEqual([]);
  expect(account.emulator.unknownRoutes).toEqual([]);
});

test("tells how far it is, without a terminal in lines", () => {
  expect(first.stdout).toMatch(/^read 17 of 17 Dashboard$/m);
  expect(first.stdout).not.toContain("\u001b");
});

test("writes every object of every kind that has a list", () => {
  const { store } = account.emulator;
  const count = (type: string): number =>
    folder.resources().filter((one) => one.startsWith(`${type} `)).length;
  expect({
    Organization: count("Organization"),
    Dashboard: count("Dashboard"),
    DashboardCollaborator: count("DashboardCollaborator"),
    BatchExport: count("BatchExport"),
    Domain: count("Domain"),
    DomainVerification: count("DomainVerification"),
    Member: count("Member"),
    Invite: count("Invite"),
    PipelineDestination: count("PipelineDestination"),
    FrontendApp: count("FrontendApp"),
    ImportApp: count("ImportApp"),
  }).toEqual({
    Organization: 1,
    Dashboard: store.dashboards.size,
    DashboardCollaborator: 2,
    BatchExport: 5,
    Domain: 2,
    DomainVerification: 1,
    Member: 7,
    Invite: 2,
    PipelineDestination: 1,
    FrontendApp: 1,
    ImportApp: 1,
  });
});

test("says what it left out, and why", () => {
  const readme = folder.read("README.md");
  expect(readme).toMatch(/`Invite` late@elsewhere\.example: expired/);
  expect(readme).toMatch(/`hogqlQuery` of `BatchExport`/);
  expect(first.stdout).toMatch(/left out; README\.md says what and why/);
});

test("refers to other resources instead of copying their ids", () => {
  const dashboards = folder.read("dashboards.ts");
  expect(dashboards).toContain('import * as people from "./people";');
  expect(dashboards).toMatch(/dashboardId: board\.id,\s+userUuid: people\.alan\.id,/);
  expect(folder.read("domains.ts")).toMatch(/domainId: exampleCom\.id,/);
  expect(dashboards).toMatch(/projectId: stagingProject,/);
});

test("no secret and no key is in what it writes and says", () => {
  const all = [...Object.values(folder.files()), first.output].join("\n");
  for (const hushed of [...HUSHED, account.emulator.environment.POSTHOG_API_KEY])
    expect(all).not.toContain(hushed);
  expect(folder.read("exports.ts")).toContain(
    'awsSecretAccessKey: config.requireSecret("lakeAwsSecretAccessKey")',
  );
  expect(folder.secretsToSet()).toContain("lakeAwsSecretAccessKey");
  for (const key of folder.secretsToSet())
    expect(first.stdout).toContain(`pulumi config set --secret ${key}`);
});

test("compiles at the strictest", () => {
  expect(folder.compilerErrors()).toEqual([]);
});

test("is formatted, and lints clean at the strictest", () => {
  expect(folder.lintErrors()).toEqual([]);
});

test("without a key it says where it takes one from", async () => {
  const refused = await folder.generate([], { POSTHOG_API_KEY: undefined });
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/no PostHog key.*\n.*from the environment alone\n$/),
  ]);
});

test("run again it writes the same, to the letter", async () => {
  const before = folder.files();
  const again = await folder.generate();
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("was up to date")]);
  expect(folder.files()).toEqual(before);
});

describe("pulumi up", () => {
  let up: Run;
  beforeAll(async () => {
    stack = await folder.stack();
    account.emulator.clearRequests();
  });

  test("preview says that everything is taken over as it is", async () => {
    const preview = await stack.preview();
    expect([preview.code, preview.errors]).toEqual([0, ""]);
    const said = preview.diagnostics.map(({ message }) => message).join("\n");
    // The first twenty, whichever they are, are named.
    expect(said.match(/^\w+ "[^"]+" takes over \S+ as it is, without a change$/gm)).toHaveLength(20);
    expect(said).toContain("more are taken over as they are");
    expect(said).not.toContain("and changes");
    expect(writes(account.emulator)).toEqual([]);
  });

  test("and names each of a few, those with secrets, too", async () => {
    const few = new ProgramFolder(account.emulator);
    try {
      expect((await few.generate(["--kind", "BatchExport"])).code).toBe(0);
      const { diagnostics } = await (await few.stack()).preview();
      const said = diagnostics.map(({ message }) => message).join("\n");
      expect(said).toMatch(/BatchExport "lake" takes over \S+ as it is, without a change/);
      expect(said).not.toContain("and changes");
    } finally {
      few.close();
    }
  });

  test("takes everything over with zero writes", async () => {
    up = await stack.up();
    expect([up.code, up.errors]).toEqual([0, ""]);
    expect(writes(account.emulator)).toEqual([]);
    const created = up.changed.filter(({ op, name }) => op === "create" && !name.startsWith("posthog-"));
    expect(created).toHaveLength(folder.resources().length);
  });

  test("nothing is left to change", async () => {
    const preview = await stack.preview({ refresh: true, expectNoChanges: true });
    expect([preview.code, preview.errors]).toEqual([0, ""]);
    expect(preview.changed).toEqual([]);
    expect(writes(account.emulator)).toEqual([]);
  });

  test("what people set by hand later is found", async () => {
    const { dashboards } = account.emulator.store;
    dashboards.update(dashboards.require(1), { name: "Renamed by hand" });
    const preview = await stack.preview({ refresh: true, expectNoChanges: true });
    expect(preview.code).not.toBe(0);
    dashboards.update(dashboards.require(1), { name: "Growth" });
  });

  test("nothing that matters is destroyed by accident", async () => {
    const destroyed = await stack.destroy();
    expect(destroyed.code).not.toBe(0);
    expect(destroyed.output).toContain("protected");
    // An invite passes by itself, and is not protected.
    expect(writes(account.emulator).filter(({ path }) => !path.includes("/invites/"))).toEqual([]);
  });
});
