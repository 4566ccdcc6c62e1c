import { execFileSync } from "node:child_process";
import { lstat, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { z } from "zod";
import { startEmulator, type Emulator, writes } from "../support/emulator";
import type { Stack } from "../support/stack";
import { spawned } from "../support/spawned";
import { ensureBuilt } from "./built";
import { Editor, NODE16, type Setting } from "./editor";
import { Installed } from "./install";

// Whole installations and the engine without what the other tests preload: minutes on a busy machine.
jest.setTimeout(600_000);

let installed: Installed;
let emulator: Emulator;
let stack: Stack | undefined;

beforeAll(async () => {
  ensureBuilt();
  installed = await Installed.make();
});
afterAll(() => installed.close());
beforeEach(async () => {
  emulator = await startEmulator();
});
afterEach(async () => {
  await stack?.close();
  stack = undefined;
  await emulator.close();
});

test("the tarball holds what is used, and nothing else", () => {
  const paths = installed.tarball.files.map(({ path }) => path);
  expect(paths.filter((path) => !path.startsWith("dist/")).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "package.json",
  ]);
  expect(paths.filter((path) => path.startsWith("dist/") && !/\.(js|d\.ts|wasm)$/.test(path))).toEqual([]);
  for (const entry of ["index", "runtime", "policy/index", "emulator/index", "cli/main"])
    expect(paths).toEqual(expect.arrayContaining([`dist/${entry}.js`, `dist/${entry}.d.ts`]));
});

test("it is a real copy, with its command, beside its declared dependencies alone", async () => {
  const own = join(installed.fresh, "node_modules", "pulumi-posthog");
  expect((await lstat(own)).isSymbolicLink()).toBe(false);
  const { dependencies, peerDependencies } = z
    .object({
      dependencies: z.record(z.string(), z.string()),
      peerDependencies: z.record(z.string(), z.string()),
    })
    .parse(JSON.parse(await readFile(join(own, "package.json"), "utf8")));
  const loaded = loadedPackages(installed.fresh, [
    "pulumi-posthog",
    "pulumi-posthog/runtime",
    "pulumi-posthog/emulator",
    "pulumi-posthog/policy",
  ]);
  const declared = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  expect(declared).toEqual(expect.arrayContaining(loaded));
  // Loading the command loads nothing that is missing either.
  const help = execFileSync(join(installed.fresh, "node_modules", ".bin", "pulumi-posthog"), ["--help"], {
    encoding: "utf8",
  });
  expect(help).toContain("emulator");
});

/** Packages that the modules of this package itself require, once all of these entries are loaded. */
function loadedPackages(folder: string, entries: readonly string[]): string[] {
  const script = `
    for (const entry of ${JSON.stringify(entries)}) require(entry);
    const named = (path) => /.*node_modules[\\\\/]((?:@[^\\\\/]+[\\\\/])?[^\\\\/]+)/.exec(path)?.[1].replace("\\\\", "/");
    const own = Object.values(require.cache).filter(({ id }) => named(id) === "pulumi-posthog");
    console.log(JSON.stringify([...new Set(own.flatMap(({ children }) => children.map(({ id }) => named(id))))]));`;
  const text = execFileSync(process.execPath, ["-e", script], { cwd: folder, encoding: "utf8" });
  return z
    .array(z.string())
    .parse(JSON.parse(text))
    .filter((name) => name !== "pulumi-posthog");
}

const TYPESCRIPT = `import * as pulumi from "@pulumi/pulumi";
import * as posthog from "pulumi-posthog";

const config = new pulumi.Config();
const growth = new posthog.Dashboard("growth", { name: "Growth", tags: ["team:growth"] });
const lake = new posthog.BatchExport("lake", {
  name: "Lake",
  interval: "hour",
  destination: {
    type: "S3",
    config: {
      bucketName: pulumi.interpolate\`lake-\${growth.id}\`,
      region: "eu-central-1",
      prefix: "",
      awsAccessKeyId: config.requireSecret("keyId"),
      awsSecretAccessKey: config.requireSecret("key"),
    },
  },
});
const acme: posthog.Organization = posthog.Organization.get("acme", "@current");
export const tags: pulumi.Output<string[] | undefined> = growth.tags;
export const outputs = { dashboard: growth.id, lake: lake.id, acme: acme.name };
`;

const settings: [string, Setting][] = [
  ["node16", NODE16],
  ["bundler", { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
  ["commonjs", { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 }],
];

test.each(settings)(
  "a fresh TypeScript program type-checks, the package's own declarations included (%s)",
  (_, setting) => {
    const editor = new Editor(TYPESCRIPT, setting, installed.fresh);
    expect(editor.errors()).toEqual([]);
    const { files, errors } = editor.declarationErrors();
    expect(files).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  },
);

test("a fresh TypeScript program lives from preview to destroy", async () => {
  const compilerOptions = { target: "ES2022", module: "node16", moduleResolution: "node16", strict: true };
  stack = await installed.program(
    "typescript",
    {
      main: "index.ts",
      files: {
        "index.ts": TYPESCRIPT,
        "tsconfig.json": JSON.stringify({ compilerOptions, files: ["index.ts"] }),
      },
    },
    {
      emulator,
      config: { "posthog-test:keyId": { secret: "hush-id" }, "posthog-test:key": { secret: "hush-key" } },
    },
  );
  await life(stack, { created: 2, read: 1 }, (state) => {
    // Line 5 of the program, column as TypeScript has it.
    expect(state).toContain('"sourcePosition": "project:///index.ts#5,');
    expect(state).not.toMatch(/sourcePosition.*pulumi-posthog/);
  });
});

const ESM = `import * as pulumi from "@pulumi/pulumi";
import { Dashboard, Organization } from "pulumi-posthog";
import { startEmulator } from "pulumi-posthog/emulator";

if (typeof startEmulator !== "function") throw new Error("no emulator");
const growth = new Dashboard("growth", { name: "Growth", tags: pulumi.output(["team:growth"]) });
await new Promise((resolve) => setTimeout(resolve, 1));
export const dashboard = growth.id;
export const acme = Organization.get("acme", "@current").name;
`;

test("a fresh ES module program lives from preview to destroy", async () => {
  stack = await installed.program(
    "esm",
    { main: "index.js", esm: true, files: { "index.js": ESM } },
    { emulator },
  );
  await life(stack, { created: 1, read: 1 });
});

/** The operations of a stack, with what each of them does to the service. */
async function life(
  of: Stack,
  { created, read }: { created: number; read: number },
  look: (state: string) => void = () => undefined,
): Promise<void> {
  const preview = await of.preview();
  expect(preview).toMatchObject({ code: 0, changes: { create: created, read } });
  expect(writes(emulator)).toEqual([]);
  expect(await of.up()).toMatchObject({ code: 0, changes: { create: created, read } });
  expect(writes(emulator)).toHaveLength(created);
  expect(await of.refresh({ expectNoChanges: true })).toMatchObject({ code: 0 });
  expect(await of.preview({ expectNoChanges: true })).toMatchObject({ code: 0 });
  const state = await of.exportText();
  expect(state).not.toMatch(/hush-/);
  look(state);
  expect(await of.destroy()).toMatchObject({ code: 0, changes: { delete: created } });
  expect(emulator.unknownRoutes).toEqual([]);
}

test("npx pulumi-posthog emulator serves, prints what to set, and ends on SIGTERM", async () => {
  const bin = join(installed.fresh, "node_modules", ".bin", "pulumi-posthog");
  expect(await readdir(join(installed.fresh, "node_modules", ".bin"))).toContain("pulumi-posthog");
  const served = spawned(bin, ["emulator"], { cwd: installed.fresh, env: process.env, timeoutMs: 300_000 });
  while (!served.soFar().includes("POSTHOG_PROJECT_API_KEY"))
    await new Promise((resolve) => setTimeout(resolve, 20));
  const [first = "", ...exports] = served.soFar().trimEnd().split("\n");
  const environment = Object.fromEntries(exports.map((line) => line.replace("export ", "").split("=")));
  expect(first).toBe(`listening on ${environment["POSTHOG_HOST"]}`);
  const answer = await fetch(`${environment["POSTHOG_HOST"]}/api/organizations/@current/`, {
    headers: { authorization: `Bearer ${environment["POSTHOG_API_KEY"]}` },
  });
  expect(await answer.json()).toMatchObject({ id: environment["POSTHOG_ORGANIZATION_ID"] });
  served.kill("SIGTERM");
  expect(await served.done).toMatchObject({ code: 0, stderr: "" });
});
