import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { VARIABLES } from "../../src/client/naming";
import { ensureBuilt } from "../package/built";
import { Pack } from "../policy/pack";
import { startEmulator, type Emulator, writes } from "../support/emulator";
import { ROOT } from "../support/engine";
import { spawned } from "../support/spawned";
import { openStack, type Stack } from "../support/stack";
import { transpiled } from "../support/transpiled";
import { snippets } from "./readme";

const manifest = z
  .object({
    name: z.string(),
    bin: z.record(z.string(), z.string()),
    scripts: z.record(z.string(), z.string()),
    engines: z.object({ node: z.string() }),
    peerDependencies: z.record(z.string(), z.string()),
    peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })),
  })
  .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));

/** The command lines of README, without their comments. */
const lines = snippets()
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.trim().split("\n"))
  .map((line) => line.replace(/ +#.*$/, ""));

let emulator: Emulator;
let stack: Stack;
beforeAll(ensureBuilt);
beforeEach(async () => {
  emulator = await startEmulator();
  stack = await openStack({ emulator });
});
afterEach(async () => {
  await stack.close();
  await emulator.close();
});

const dashboard = { class: "Dashboard", name: "growth", args: { name: "Growth" } } as const;

/** What shows that a command does what README says of it. Those of npm itself are tested in test/scripts. */
const shown: Readonly<Record<string, () => Promise<void> | void>> = {
  "npm start": () => isScript("start"),
  "npm test": () => isScript("test"),
  "POSTHOG_HOST=https://eu.posthog.com POSTHOG_API_KEY=phx_... POSTHOG_PROJECT_ID=1 npm start"() {
    for (const variable of ["POSTHOG_HOST", "POSTHOG_API_KEY", "POSTHOG_PROJECT_ID"])
      expect(Object.values(VARIABLES)).toContain(variable);
    isScript("start");
  },
  "npm install pulumi-posthog @pulumi/pulumi typescript@5"() {
    const peers = Object.keys(manifest.peerDependencies);
    const needed = peers.filter((peer) => manifest.peerDependenciesMeta[peer]?.optional !== true);
    expect([manifest.name, ...needed]).toEqual(["pulumi-posthog", "@pulumi/pulumi"]);
  },
  // Every stack of the tests is made by it; here it makes a second one.
  async "pulumi stack init dev"() {
    await run("pulumi stack init dev");
    expect((await stack.cli(["stack", "ls"], { check: true })).stdout).toMatch(/^dev/m);
  },
  "pulumi config set --secret awsAccessKeyId": () => isAsked("awsAccessKeyId"),
  "pulumi config set --secret awsSecretAccessKey": () => isAsked("awsSecretAccessKey"),
  async "pulumi preview"() {
    stack.declare([dashboard]);
    expect((await run("pulumi preview")).stdout).toContain("+ 2 to create");
    expect(writes(emulator)).toEqual([]);
  },
  async "pulumi up"() {
    stack.declare([dashboard]);
    // Nobody is there to say yes.
    await run("pulumi up --yes");
    expect(writes(emulator)).toHaveLength(1);
  },
  async "pulumi config set --secret posthog:apiKey"() {
    stack.env["POSTHOG_API_KEY"] = undefined;
    stack.declare([dashboard]);
    expect((await stack.preview()).errors).toContain("pulumi config set --secret posthog:apiKey");
    await run("pulumi config set --secret posthog:apiKey", emulator.environment.POSTHOG_API_KEY);
    expect(await stack.preview()).toMatchObject({ code: 0, changes: { create: 1 } });
    expect(readFileSync(join(stack.folder, "Pulumi.test.yaml"), "utf8")).not.toContain(
      emulator.environment.POSTHOG_API_KEY,
    );
  },
  async "pulumi config set posthog:projectId 1"() {
    stack.env["POSTHOG_PROJECT_ID"] = undefined;
    stack.declare([dashboard]);
    expect((await stack.preview()).errors).toContain("posthog:projectId");
    await run("pulumi config set posthog:projectId 1");
    expect(await stack.preview()).toMatchObject({ code: 0, changes: { create: 1 } });
  },
  async "pulumi preview --policy-pack policies"() {
    const [snippet] = snippets().filter(
      ({ place, language }) => language === "typescript" && place === "Guard it by policy 1",
    );
    const pack = new Pack(stack, transpiled(snippet?.text ?? ""));
    stack.declare([
      { class: "Invite", name: "ada", args: { targetEmail: "ada@example.com" } },
      { class: "Dashboard", name: "nobodys", args: { name: "Nobody's" } },
    ]);
    const fine = await pack.judge("preview");
    expect(fine.run.code).toBe(0);
    expect(fine.violations).toMatchObject([{ policy: "posthog-dashboard-owner", level: "advisory" }]);
    stack.declare([{ class: "Invite", name: "eve", args: { targetEmail: "eve@example.org" } }]);
    expect((await pack.judge("preview")).run.code).not.toBe(0);
  },
  "npm ci": () => expect(existsSync(join(ROOT, "package-lock.json"))).toBe(true),
  async "pulumi preview --diff"() {
    stack.declare([dashboard]);
    expect((await run("pulumi preview --diff")).stdout).toMatch(/name *: "Growth"/);
    expect(writes(emulator)).toEqual([]);
  },
  async "pulumi up --yes"() {
    stack.declare([dashboard]);
    await run("pulumi up --yes");
    expect(writes(emulator)).toHaveLength(1);
  },
  async "pulumi preview --refresh --expect-no-changes"() {
    stack.declare([dashboard]);
    await run("pulumi up --yes");
    await run("pulumi preview --refresh --expect-no-changes");
    const { dashboards } = emulator.store;
    dashboards.update(dashboards.require(1), { name: "Changed by hand" });
    const found = await stack.cli(["preview", "--refresh", "--expect-no-changes"]);
    expect(found.code).not.toBe(0);
  },
  async "npx pulumi-posthog emulator"() {
    const served = spawned(process.execPath, [bin(), "emulator"], {
      cwd: stack.folder,
      env: process.env,
      timeoutMs: 300_000,
    });
    while (!served.soFar().includes("POSTHOG_PROJECT_API_KEY"))
      await new Promise((resolve) => setTimeout(resolve, 20));
    const environment = Object.fromEntries(
      [...served.soFar().matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
    );
    Object.assign(stack.env, environment);
    stack.declare([dashboard]);
    expect(await stack.up()).toMatchObject({ code: 0, changes: { create: 1 } });
    const page = await fetch(environment["POSTHOG_HOST"] ?? "");
    expect(await page.text()).toContain("<html");
    served.kill("SIGTERM");
    expect(await served.done).toMatchObject({ code: 0 });
  },
  async "npx pulumi-posthog generate --out posthog"() {
    const written = spawned(process.execPath, [bin(), "generate", "--out", "posthog"], {
      cwd: stack.folder,
      env: { ...process.env, ...emulator.environment },
      timeoutMs: 300_000,
    });
    expect(await written.done).toMatchObject({ code: 0 });
    expect(readFileSync(join(stack.folder, "posthog", "people.ts"), "utf8")).toContain("new posthog.Member(");
    expect(writes(emulator)).toEqual([]);
  },
  async "npx pulumi-posthog doctor"() {
    const said = spawned(process.execPath, [bin(), "doctor"], {
      cwd: stack.folder,
      env: { ...process.env, ...stack.env },
      timeoutMs: 300_000,
    });
    expect(await said.done).toMatchObject({ code: 0, stdout: expect.stringContaining("as it should be") });
    expect(writes(emulator)).toEqual([]);
  },
  "npx pulumi-posthog import exports --mapping mixpanel --dry-run"() {
    mkdirSync(join(stack.folder, "exports"));
    const event = {
      event: "Page View",
      properties: { time: Date.UTC(2023, 4, 1) / 1000, distinct_id: "ada" },
    };
    writeFileSync(join(stack.folder, "exports", "2023.ndjson"), `${JSON.stringify(event)}\n`);
    const args = ["import", "exports", "--mapping", "mixpanel", "--dry-run"];
    const said = execFileSync(process.execPath, [bin(), ...args], {
      cwd: stack.folder,
      env: { ...process.env, ...emulator.environment },
      encoding: "utf8",
    });
    expect(said).toMatch(/1 event/);
    expect(emulator.requests).toEqual([]);
  },
};

test("every command line has a test", () => {
  expect([...new Set(lines)].sort()).toEqual(Object.keys(shown).sort());
});

test.each(Object.entries(shown))("%s", async (_, show) => {
  await show();
});

test("the oldest Node that README names is the one that package.json asks for", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  expect(readme).toContain(`Node ${manifest.engines.node.replace(">=", "")} or newer`);
});

/** The first program asks for it, and a person is told so where it is missing. */
async function isAsked(key: string): Promise<void> {
  const [snippet] = snippets().filter(
    ({ place, language }) => language === "typescript" && place === "A program of your own 1",
  );
  stack.program(transpiled(snippet?.text ?? ""));
  const keys = ["awsAccessKeyId", "awsSecretAccessKey"];
  for (const other of keys.filter((one) => one !== key))
    await run(`pulumi config set --secret ${other}`, "hushed");
  expect((await stack.preview()).errors).toContain(`posthog-test:${key}`);
  await run(`pulumi config set --secret ${key}`, "hushed");
  expect(await stack.preview()).toMatchObject({ code: 0 });
}

test("what README gives as Pulumi.yaml is one", () => {
  const [snippet] = snippets().filter(({ language }) => language === "yaml");
  expect(parse(snippet?.text ?? "")).toEqual({ name: "analytics", runtime: "nodejs" });
});

function isScript(name: string): void {
  expect(Object.keys(manifest.scripts)).toContain(name);
}

function bin(): string {
  return join(ROOT, manifest.bin["pulumi-posthog"] ?? "");
}

/** Runs a line of README in the stack, as it stands there. */
async function run(line: string, input?: string) {
  const [, ...args] = line.split(" ");
  return await stack.cli(args, { check: true, ...(input === undefined ? {} : { input }) });
}
