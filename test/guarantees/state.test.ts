import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { startEmulator, writes, type Emulator } from "../support/emulator";
import { ROOT } from "../support/engine";
import { openStack, type Declared, type Run, type Stack, type Step } from "../support/stack";

const FIXTURES = join(__dirname, "..", "fixtures");
/** Written once by the build of that version with `WRITE_FIXTURE=1 npx jest test/guarantees/state`, then frozen. */
const STATE = join(FIXTURES, "state-0.1.json");
const SERVICE = join(FIXTURES, "state-0.1.emulator.json");

const fixture = z.object({ host: z.string(), apiKey: z.string(), state: z.json() });

/** What every state holds, for years: this line may never change. */
const provider = (type: string): string =>
  'exports.handler=()=>require("module").createRequire(process.cwd()+"/package.json")' +
  `("pulumi-posthog/runtime").provider("${type}");`;

/** One of each kind, with every sort of argument. */
const everything: Declared[] = [
  {
    class: "Dashboard",
    name: "growth",
    args: {
      name: "Growth",
      description: "What new users do in their first week.",
      tags: ["Weekly", "team:growth"],
      pinned: true,
      restrictionLevel: "collaborators",
      filters: { date_from: "-7d", properties: null },
      deleteInsights: true,
    },
  },
  { class: "Organization", name: "research", args: { name: "Acme Research", enforce2fa: true } },
  {
    class: "BatchExport",
    name: "lake",
    args: {
      name: "Events to the lake",
      interval: "hour",
      paused: true,
      startAt: "2026-01-31T02:00:00+02:00",
      hogqlQuery: "SELECT event FROM events",
      destination: {
        type: "S3",
        config: {
          bucketName: "lake",
          region: "eu-central-1",
          prefix: "posthog/",
          awsAccessKeyId: "hush-id",
          awsSecretAccessKey: "hush-key",
        },
      },
    },
  },
  {
    class: "Domain",
    name: "company",
    args: { domain: "example.com", ssoEnforcement: "saml", samlEntityId: "acme", samlAcsUrl: "" },
  },
  {
    class: "Invite",
    name: "margaret",
    args: {
      targetEmail: "margaret@Example.com",
      level: "member",
      privateProjectAccess: [],
      message: "Hello",
    },
  },
  { class: "Member", name: "ada", args: { email: "ada@example.com", level: "admin" } },
  {
    class: "PipelineDestination",
    name: "sender",
    args: { url: "https://github.com/acme/sender?private_token=hush-token", description: "Sends." },
  },
  { class: "FrontendApp", name: "banner", args: { pluginType: "source", name: "Banner", publicJobs: {} } },
  { class: "ImportApp", name: "stripe", args: { pluginType: "source", name: "Stripe" } },
];

let emulator: Emulator;
let stack: Stack;
afterEach(async () => {
  await stack.close();
  await emulator.close();
});

describe("the size and form of a state", () => {
  beforeEach(async () => {
    emulator = await startEmulator();
    stack = await openStack({ emulator });
  });

  test("a Dashboard of the quickstart takes at most 4 KB of an export", async () => {
    const quickstart = await readFile(join(ROOT, "examples", "quickstart", "index.ts"), "utf8");
    const args = {
      name: "Growth",
      description: "What new users do in their first week.",
      tags: ["team:growth", "weekly"],
      pinned: true,
    };
    for (const value of Object.values(args).flat()) expect(quickstart).toContain(String(value));
    const dashboard = (name: string): Declared => ({ class: "Dashboard", name, args });
    stack.declare([dashboard("growth")]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const one = await stack.exportText();
    stack.declare([dashboard("growth"), dashboard("grown2")]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const two = await stack.exportText();
    const bytes = Buffer.byteLength(two) - Buffer.byteLength(one);
    expect(bytes).toBeGreaterThan(500);
    expect(bytes).toBeLessThanOrEqual(4096);
    // Nor does it grow by being refreshed.
    expect(await stack.refresh()).toMatchObject({ code: 0 });
    expect(Buffer.byteLength(await stack.exportText())).toBeLessThanOrEqual(Buffer.byteLength(two) + 200);
  });

  test("every resource holds the same one line that loads the installed package", async () => {
    stack.declare(everything);
    expect(await stack.up()).toMatchObject({ code: 0, errors: "" });
    const resources = (await stack.export()).deployment.resources.filter(({ type }) =>
      type.includes("posthog:"),
    );
    expect(resources).toHaveLength(9);
    for (const { type, inputs, outputs } of resources) {
      const line = provider(type.split(":").at(-1) ?? "");
      expect([inputs?.["__provider"], outputs?.["__provider"]]).toEqual([line, line]);
    }
    if (process.env["WRITE_FIXTURE"] !== undefined && !existsSync(STATE)) await writeFixture();
  });
});

/** Freezes the stack and the service that it was applied to. */
async function writeFixture(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "state-fixture-"));
  const data = join(folder, "emulator.json");
  const kept = await startEmulator({ data });
  const frozen = await openStack({ emulator: kept });
  frozen.declare(everything);
  expect(await frozen.up()).toMatchObject({ code: 0 });
  const written = {
    host: kept.url,
    apiKey: kept.environment.POSTHOG_API_KEY,
    // Without where the programs stood.
    state: JSON.parse(await frozen.exportText({ showSecrets: true }), (key, value: unknown) =>
      /^(sourcePosition|stackTrace)$/.test(key) ? undefined : value,
    ) as unknown, // Looked at below.
  };
  await writeFile(STATE, `${JSON.stringify(fixture.parse(written), null, 2)}\n`);
  await frozen.close();
  await kept.close();
  await copyFile(data, SERVICE);
  await rm(folder, { recursive: true });
}

test("a state that an earlier build wrote is read: refresh, up without a change, destroy", async () => {
  const folder = await mkdtemp(join(tmpdir(), "state-fixture-"));
  const data = join(folder, "emulator.json");
  await copyFile(SERVICE, data);
  const { host, apiKey, state } = fixture.parse(JSON.parse(await readFile(STATE, "utf8")));
  // The service's clock stands still, for its invites would have expired.
  const [made = ""] = /"created_at":\s*"([^"]+)"/.exec(await readFile(data, "utf8"))?.slice(1) ?? [];
  emulator = await startEmulator({ data, now: () => new Date(made) });
  expect(emulator.environment.POSTHOG_API_KEY).toBe(apiKey);
  stack = await openStack({ emulator });
  await stack.importState(JSON.stringify(state).replaceAll(host, emulator.url));
  stack.declare(everything);

  const refreshed = await stack.refresh({ expectNoChanges: true });
  expect([refreshed.code, refreshed.errors, refreshed.changes]).toEqual([0, "", { same: 9 }]);
  const up = await stack.up({ expectNoChanges: true });
  expect([up.code, up.errors, up.changed]).toEqual([0, "", []]);
  expect(writes(emulator)).toEqual([]);
  expect(await stack.stateFile()).not.toContain("hush-");

  const destroyed = await stack.destroy();
  expect([destroyed.code, destroyed.errors, destroyed.changes]).toEqual([0, "", { delete: 9 }]);
  await emulator.save();
  await rm(folder, { recursive: true });
});

/** The same program with our resource and with `pulumi.dynamic.Resource` around the same provider. */
const twins = (args: object): string => `
  const pulumi = require("@pulumi/pulumi");
  const posthog = require("pulumi-posthog");
  class Theirs extends pulumi.dynamic.Resource {
    constructor(name, args) {
      const load = () =>
        require("module").createRequire(process.cwd() + "/package.json")("pulumi-posthog/runtime").provider("Dashboard");
      super({
        configure: (request) => load().configure(request),
        check: (olds, news) => load().check(olds, news),
        diff: (id, olds, news) => load().diff(id, olds, news),
        create: (inputs) => load().create(inputs),
        read: (id, props) => load().read(id, props),
        update: (id, olds, news) => load().update(id, olds, news),
        delete: (id, props) => load().delete(id, props),
      }, name, { createdAt: undefined, ...args, __resource: name }, {}, "posthog", "Dashboard");
    }
  }
  const args = ${JSON.stringify(args)};
  const ours = new posthog.Dashboard("ours", args);
  const theirs = new Theirs("theirs", args);
  exports.made = pulumi.all([ours.createdAt, theirs.createdAt]).apply((all) => all.map((at) => typeof at));
`;

test("the one line behaves as pulumi.dynamic.Resource does", async () => {
  emulator = await startEmulator({ projects: 2 });
  stack = await openStack({ emulator });
  const seen = (steps: readonly Step[], name: string): unknown =>
    steps
      .filter((step) => step.name === name)
      .map(({ op, status, diffs, replaceReasons, new: after }) => ({
        op,
        status,
        replaceReasons,
        diffs: diffs.filter((diff) => !diff.startsWith("__")),
        inputs: Object.fromEntries(
          Object.entries(after?.inputs ?? {}).filter(([key]) => !key.startsWith("__")),
        ),
      }));
  const expectTwins = ({ code, errors, steps }: Run, op: string): void => {
    expect([code, errors]).toEqual([0, ""]);
    expect(seen(steps, "ours")).toEqual(seen(steps, "theirs"));
    expect(steps.filter((step) => step.name === "ours").map((step) => step.op)).toContain(op);
  };

  stack.program(twins({ name: "Growth", tags: ["a"] }));
  expectTwins(await stack.preview(), "create");
  expectTwins(await stack.up(), "create");
  expect(await stack.outputs()).toEqual({ made: ["string", "string"] });
  expectTwins(await stack.up(), "same");
  stack.program(twins({ name: "Growth, renamed", tags: ["a"] }));
  expectTwins(await stack.preview({ diff: true }), "update");
  expectTwins(await stack.up(), "update");
  for (const row of emulator.store.dashboards.all())
    emulator.store.dashboards.update(row, { tags: ["drift"] });
  expectTwins(await stack.refresh(), "update");
  stack.program(twins({ name: "Growth, renamed", tags: ["a"], projectId: "2" }));
  expectTwins(await stack.up(), "replace");
  expectTwins(await stack.destroy(), "delete");
});
