import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { ensureBuilt } from "../package/built";
import { startEmulator, writes, type Emulator } from "../support/emulator";
import { engineSearchPath, ROOT } from "../support/engine";
import { spawned, type Ended } from "../support/spawned";
import { openStack, type Stack } from "../support/stack";

const report = z.strictObject({
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      check: z.string(),
      status: z.enum(["ok", "warning", "failed", "skipped"]),
      said: z.string(),
      remedy: z.string().nullable(),
    }),
  ),
});
type Report = z.infer<typeof report>;
type Environment = Readonly<Record<string, string | undefined>>;

let emulator: Emulator;
let folder: string;
let server: Server | undefined;
let stack: Stack | undefined;
beforeAll(ensureBuilt);
beforeEach(async () => {
  emulator = await startEmulator();
  folder = mkdtempSync(join(tmpdir(), "doctor-"));
});
afterEach(async () => {
  await stack?.close();
  stack = undefined;
  server?.close();
  server?.closeAllConnections();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
  await emulator.close();
});

/** Secrets of a test: whatever happens, the command prints none of them. */
function hushed(env: Environment): string[] {
  return [env["POSTHOG_API_KEY"], env["POSTHOG_PROJECT_API_KEY"]]
    .filter((key) => key !== undefined && key.length > 8)
    .map(String);
}

async function doctor(args: readonly string[], changed: Environment = {}, cwd = folder): Promise<Ended> {
  const foreign = /^(POSTHOG_|PULUMI_)/;
  const plain = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const env = { ...Object.fromEntries(plain), PATH: engineSearchPath(), ...emulator.environment, ...changed };
  const command = [join(ROOT, "dist", "cli", "main.js"), "doctor", ...args];
  const ended = await spawned(process.execPath, command, { cwd, env, timeoutMs: 120_000 }).done;
  for (const key of hushed(env)) expect(ended.output).not.toContain(key);
  expect(writes(emulator)).toEqual([]);
  return ended;
}

async function examined(args: readonly string[], changed: Environment = {}, cwd = folder) {
  const ended = await doctor(["--json", ...args], changed, cwd);
  const parsed = report.parse(JSON.parse(ended.stdout));
  expect(ended.code).toBe(parsed.ok ? 0 : 1);
  return { code: ended.code, ...parsed };
}

function found({ checks }: Report, check: string, status = "failed"): string {
  return checks
    .filter((one) => one.check === check && one.status === status)
    .map(({ said, remedy }) => `${said} → ${remedy ?? ""}`)
    .join("\n");
}

test("everything as it should be", async () => {
  const ended = await doctor([]);
  expect(ended.stdout).toMatch(/^ok +node: Node /m);
  expect(ended.stdout).toMatch(/^ok +engine: Pulumi /m);
  expect(ended.stdout).toMatch(/^ok +access: .* takes the key$/m);
  expect(ended.stdout).toMatch(/^ok +organization: organization Acme/m);
  expect(ended.stdout).toMatch(/^ok +project key: the project API key is the project's$/m);
  expect(ended.stdout).toMatch(/everything is as it should be\n$/);
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  expect(emulator.unknownRoutes).toEqual([]);
});

const scopes = (...all: string[]) => ({ POSTHOG_API_KEY: emulator.createKey({ scopes: all }) });

interface Case {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env: () => Environment;
  readonly check: string;
  readonly status?: string;
  readonly said: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: "no key",
    env: () => ({ POSTHOG_API_KEY: "" }),
    check: "key",
    said: /no PostHog key.*pulumi config set --secret posthog:apiKey/,
  },
  {
    name: "a project's key in place of a personal one",
    env: () => ({ POSTHOG_API_KEY: emulator.environment.POSTHOG_PROJECT_API_KEY }),
    check: "key",
    said: /which only sends events → Give a personal API key/,
  },
  {
    name: "a key that is none",
    env: () => ({ POSTHOG_API_KEY: "something-else-0123" }),
    check: "key",
    status: "warning",
    said: /does not begin with phx_/,
  },
  {
    name: "a wrong key",
    env: () => ({ POSTHOG_API_KEY: "phx_wrong0123456789" }),
    check: "access",
    said: /answered 401.*→.*does not accept the key/s,
  },
  {
    name: "a host that is no address",
    env: () => ({ POSTHOG_HOST: "posthog" }),
    check: "host",
    said: /must be an address/,
  },
  {
    name: "a host without TLS",
    env: () => ({ POSTHOG_HOST: "http://posthog.example" }),
    check: "host",
    said: /must start with https/,
  },
  {
    name: "the ingestion host in place of the management host",
    env: () => ({ POSTHOG_HOST: "https://eu.i.posthog.com" }),
    check: "host",
    said: /only events go → Give https:\/\/eu\.posthog\.com/,
  },
  {
    name: "a host that is down",
    env: () => ({ POSTHOG_HOST: "http://127.0.0.1:9" }),
    check: "access",
    said: /cannot be reached \(ECONNREFUSED\) → Is it up/,
  },
  {
    name: "a scope that is missing",
    args: ["--kinds", "Dashboard"],
    env: () => scopes("dashboard:read"),
    check: "scopes",
    said: /lacks the scope dashboard:write, which Dashboard needs → Add the scope dashboard:write/,
  },
  {
    name: "two scopes that are missing",
    args: ["--kinds", "dashboard,Member"],
    env: () => scopes("organization:read"),
    check: "scopes",
    said: /dashboard:write.*\n.*organization_member:write, which Member needs/,
  },
  {
    name: "an action that is closed to keys with scopes",
    args: ["--kinds", "DomainVerification"],
    env: () => scopes("organization:write"),
    check: "scopes",
    status: "warning",
    said: /verify, which PostHog closes to every key with scopes/,
  },
  {
    name: "a key limited to projects",
    args: ["--kinds", "Member"],
    env: () => ({ POSTHOG_API_KEY: emulator.createKey({ scopes: ["*"], projects: [1] }) }),
    check: "organization",
    said: /limited to projects/,
  },
  {
    name: "an organization that is not there",
    env: () => ({ POSTHOG_ORGANIZATION_ID: "018f3d2c-0000-4000-8000-000000000000" }),
    check: "organization",
    said: /404.*→ Check/s,
  },
  {
    name: "a slug that is none",
    env: () => ({ POSTHOG_ORGANIZATION_ID: "no-such-slug" }),
    check: "organization",
    said: /no organization with the slug "no-such-slug".*it sees: acme/,
  },
  {
    name: "a project that is not there",
    env: () => ({ POSTHOG_PROJECT_ID: "77" }),
    check: "project",
    said: /no project 77.*→.*The organization has: 1 \(Default project\), 2 \(Staging\)/,
  },
  {
    name: "no organization configured",
    env: () => ({ POSTHOG_ORGANIZATION_ID: "" }),
    check: "organization",
    status: "warning",
    said: /no organization is configured.*posthog:organizationId/,
  },
  {
    name: "no project configured",
    env: () => ({ POSTHOG_PROJECT_ID: "" }),
    check: "project",
    status: "warning",
    said: /no project is configured/,
  },
  {
    name: "a member's key for what an admin changes",
    args: ["--kinds", "Domain"],
    env: () => ({ POSTHOG_API_KEY: emulator.createKey({ user: "alan@example.com" }) }),
    check: "organization",
    said: /mere member, and changes of Domain need an admin/,
  },
  {
    name: "a personal key in place of a project's",
    env: () => ({ POSTHOG_PROJECT_API_KEY: emulator.createKey() }),
    check: "project key",
    said: /is a personal one/,
  },
  {
    name: "another project's key",
    env: () => ({ POSTHOG_PROJECT_API_KEY: "phc_0123456789abcdef" }),
    check: "project key",
    status: "warning",
    said: /not that of project 1/,
  },
  {
    name: "an ingestion host that is down",
    env: () => ({ POSTHOG_INGEST_HOST: "http://127.0.0.1:9" }),
    check: "ingestion",
    said: /cannot be reached/,
  },
];

test.each(CASES)("$name", async ({ args = [], env, check, status = "failed", said }) => {
  const result = await examined(args, env());
  expect(found(result, check, status)).toMatch(said);
  if (status === "failed") expect(result.code).toBe(1);
});

test("only what the program uses has to be allowed", async () => {
  const result = await examined(
    ["--kinds", "Dashboard,DashboardCollaborator"],
    scopes("dashboard:write", "organization:read"),
  );
  expect(result).toMatchObject({ ok: true });
  expect(found(result, "scopes", "ok")).toMatch(/dashboard:write/);
});

test("a PostHog that does not tell a key's scopes is asked for lists", async () => {
  emulator.faults.add("GET /personal_api_keys/ 404");
  const result = await examined(
    ["--kinds", "Dashboard,BatchExport"],
    scopes("dashboard:read", "organization:read", "project:read"),
  );
  expect(found(result, "scopes", "warning")).toMatch(/does not tell.*dashboard:write, batch_export:write/);
  expect(found(result, "lists", "ok")).toMatch(/Dashboard/);
  expect(found(result, "lists")).toMatch(/BatchExport: .*403.*→ Add the scope batch_export:read/);
});

test("plugins that the organization may not change", async () => {
  emulator.setPluginsAccessLevel(emulator.environment.POSTHOG_ORGANIZATION_ID, 3);
  const result = await examined(["--kinds", "FrontendApp"]);
  expect(found(result, "organization", "warning")).toMatch(
    /may not change plugins \(access level 3\), which FrontendApp need/,
  );
});

const answers: readonly [string, RequestListener, RegExp][] = [
  [
    "a proxy's page",
    (_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Log in</body></html>"),
    /web page|other than JSON/,
  ],
  [
    "a proxy's error page",
    (_, response) =>
      response.writeHead(403, { "content-type": "text/html" }).end("<html><body>Blocked</body></html>"),
    /→ This is a web page/,
  ],
  [
    "a redirect to somewhere else",
    (_, response) => response.writeHead(302, { location: "https://login.example/" }).end(),
    /sends on to https:\/\/login\.example/,
  ],
];
test.each(answers)("%s in place of PostHog", async (_, answer, said) => {
  const opened = createServer(answer).listen(0, "127.0.0.1");
  server = opened;
  await new Promise((resolve) => opened.once("listening", resolve));
  const { port } = opened.address() as AddressInfo; // a server on a port has one
  const result = await examined([], { POSTHOG_HOST: `http://127.0.0.1:${port}` });
  expect(found(result, "access")).toMatch(said);
  expect(result.code).toBe(1);
});

test("no engine on the PATH", async () => {
  const result = await examined([], { PATH: folder });
  expect(found(result, "engine")).toMatch(/not on the PATH → Install Pulumi/);
});

test("a kind that there is not", async () => {
  const ended = await doctor(["--kinds", "Dashbord"]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/there is no kind Dashbord; there are: (?:\w+, )*Dashboard,/);
});

describe("in the folder of a program", () => {
  const place = (of: Stack): Environment =>
    Object.fromEntries(Object.entries(of.env).filter(([name]) => /^(PULUMI_|PATH$)/.test(name)));

  test("the stack's configuration counts, and what its state holds decides what is needed", async () => {
    const key = emulator.createKey({ scopes: ["dashboard:write", "organization:read"] });
    stack = await openStack({
      emulator,
      config: { "posthog:apiKey": { secret: key }, "posthog:projectId": "1" },
    });
    stack.env["POSTHOG_API_KEY"] = undefined;
    stack.declare([{ class: "Dashboard", name: "growth", args: { name: "Growth" } }]);
    await stack.up();
    emulator.clearRequests();
    const result = await examined(
      ["--stack", "test"],
      { ...place(stack), POSTHOG_API_KEY: undefined, POSTHOG_PROJECT_ID: undefined },
      stack.folder,
    );
    expect(result).toMatchObject({ ok: true });
    expect(found(result, "stack", "ok")).toMatch(/1 resources?: Dashboard/);
    expect(found(result, "packages", "ok")).toMatch(/finds pulumi-posthog/);
    expect(JSON.stringify(result)).not.toContain(key);
  });

  test("a key in plain text, a misspelled one, and a stack that cannot be read", async () => {
    stack = await openStack({
      emulator,
      config: {
        "posthog:apiKey": emulator.environment.POSTHOG_API_KEY,
        "posthog:projectID": "1",
        "posthog:team": "1",
      },
    });
    const plain = await examined(["--stack", "test"], place(stack), stack.folder);
    expect(found(plain, "configuration")).toMatch(
      /posthog:apiKey stands in plain text.*→ Run pulumi config set --secret/,
    );
    expect(found(plain, "configuration", "warning").split("\n")).toEqual([
      expect.stringMatching(
        /posthog:projectID is no setting.*→ Run pulumi config rm.* Set posthog:projectId, if/,
      ),
      expect.stringMatching(/posthog:team is no setting.*→ .*The settings are apiKey, host, /),
    ]);
    const other = await examined(["--stack", "none"], place(stack), stack.folder);
    expect(found(other, "configuration", "warning")).toMatch(/could not be read.*→ Only the environment/);
  });
});
