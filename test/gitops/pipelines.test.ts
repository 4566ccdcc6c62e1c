import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../package/built";
import { startEmulator, type Emulator, writes } from "../support/emulator";
import type { Ended } from "../support/spawned";
import { Forge } from "./forge";
import { type Command, gitHubCommands, gitLabCommands, gitLabJobs, STACKS, Workspace } from "./workspace";

/** Installation of what is not on a registry yet; test/package installs the packed package. */
const NOT_RUN = ["npm ci", "npm ci --prefix policies"];

let emulator: Emulator;
let forge: Forge;
let workspace: Workspace;
let address: string;
beforeAll(ensureBuilt);
beforeEach(async () => {
  emulator = await startEmulator({ projects: 2 });
  forge = new Forge();
  address = await forge.open();
  workspace = new Workspace(emulator);
  await workspace.init();
});
afterEach(async () => {
  workspace.close();
  forge.close();
  await emulator.close();
});

/** What the expressions of a workflow come to; one that is not named here is a mistake in the workflow. */
function valueOf(expression: string, inputs: Readonly<Record<string, string>>): string {
  const [, input] = /^inputs\.([\w-]+)$/.exec(expression) ?? [];
  if (input !== undefined && inputs[input] !== undefined) return inputs[input];
  const [, name] = /^(?:secrets|vars)\.(\w+)$/.exec(expression) ?? [];
  if (name === "GITHUB_TOKEN") return "forge-token";
  if (name === "AWS_ROLE" || name === "ESC_PROJECT" || name === "PULUMI_ACCESS_TOKEN") return "";
  const known = workspace.env[name === "POSTHOG_PREVIEW_KEY" ? "POSTHOG_API_KEY" : (name ?? "")];
  if (known === undefined) throw new Error(`no value for ${expression}`);
  return known;
}

function isMet(condition: string | undefined, inputs: Readonly<Record<string, string>>): boolean {
  if (condition === undefined || condition === "always()") return true;
  if (condition === "inputs.bucket != ''") return inputs["bucket"] !== "";
  if (condition.startsWith("hashFiles(")) return false;
  throw new Error(`no value for ${condition}`);
}

/** Runs a job of GitHub or of GitLab, command by command, until one fails. */
async function job(
  commands: readonly Command[],
  platform: Readonly<Record<string, string>>,
  inputs: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  let ended: Ended = { code: 0, stdout: "", stderr: "", output: "" };
  let ran = 0;
  for (const { run, env, condition } of commands) {
    if (NOT_RUN.includes(run) || !isMet(condition, inputs)) continue;
    const filled = Object.entries(env).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{\s*(.+?)\s*\}\}/g, (_, expression: string) => valueOf(expression, inputs)),
    ]);
    ended = await workspace.run(run, { ...platform, ...Object.fromEntries(filled) });
    ran++;
    if (ended.code !== 0) break;
  }
  expect(ran).toBeGreaterThan(0);
  return ended;
}

interface Platform {
  readonly run: (name: "preview" | "drift" | "import", inputs?: Record<string, string>) => Promise<Ended>;
  readonly up: (stack: string) => Promise<Ended>;
}

const platforms: Readonly<Record<string, () => Platform>> = {
  "GitHub Actions": () => {
    const event = join(workspace.folder, "event.json");
    writeFileSync(event, JSON.stringify({ pull_request: { number: 7 } }));
    const env = {
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: address,
      GITHUB_REPOSITORY: "acme/analytics",
      GITHUB_EVENT_PATH: event,
      GITHUB_STEP_SUMMARY: join(workspace.folder, "summary.md"),
    };
    return {
      run: (name, inputs) => job(gitHubCommands(name), env, inputs),
      up: (stack) => job(gitHubCommands("deploy"), env, { stack }),
    };
  },
  GitLab: () => {
    const env = {
      GITLAB_CI: "true",
      GITLAB_TOKEN: "forge-token",
      CI_API_V4_URL: address,
      CI_PROJECT_ID: "5",
      CI_MERGE_REQUEST_IID: "7",
    };
    return {
      run: (name, { "dry-run": dryRun, ...inputs } = {}) => {
        const named = Object.entries(inputs).map(([key, value]) => [key.toUpperCase(), value]);
        const chosen = { ...Object.fromEntries(named), ...(dryRun === undefined ? {} : { DRY_RUN: dryRun }) };
        const commands = gitLabCommands(name).map((one) => ({ ...one, env: { ...one.env, ...chosen } }));
        return job(commands, env);
      },
      up: (stack) => job(gitLabCommands(stack), { ...env, CI_JOB_NAME: stack }),
    };
  },
};

describe.each(Object.entries(platforms))("%s", (_, make) => {
  test("a change is previewed, merged through the environments, and a change by hand is found", async () => {
    const platform = make();
    const preview = await platform.run("preview");
    expect([preview.code, preview.output]).toEqual([0, expect.stringContaining("Growth (dev)")]);
    expect(writes(emulator)).toEqual([]);
    expect(forge.comments).toHaveLength(1);
    const [comment] = forge.comments;
    for (const stack of STACKS)
      expect(comment?.text).toMatch(new RegExp(`### \`${stack}\`: \\+ \\d+ to create`));
    expect(comment?.text).toMatch(/^\+ .*Dashboard/m);

    for (const stack of STACKS) expect(await platform.up(stack)).toMatchObject({ code: 0 });
    const made = emulator.store.dashboards.all().map(({ name, project_id }) => [project_id, name]);
    expect(made).toEqual([
      [1, "Growth (dev)"],
      [2, "Growth (staging)"],
      [3, "Growth"],
    ]);
    expect(emulator.store.batchExports.all().map(({ interval }) => interval)).toEqual(["day", "hour"]);
    expect(emulator.store.invites.all().map(({ target_email }) => target_email)).toEqual([
      "margaret@example.com",
    ]);

    workspace.edit("new users", "new people");
    expect(await platform.run("preview")).toMatchObject({ code: 0 });
    expect(forge.comments).toHaveLength(1);
    for (const stack of STACKS) expect(comment?.text).toContain(`### \`${stack}\`: ~ 1 to update`);
    workspace.edit("new people", "new users");

    const { dashboards } = emulator.store;
    dashboards.update(dashboards.require(3), { name: "Changed by hand" });
    for (let night = 1; night <= 2; night++) {
      expect(await platform.run("drift")).toMatchObject({ code: 0 });
      expect(forge.issues).toMatchObject([
        { title: "PostHog differs from the program: production", state: "open" },
      ]);
      expect(forge.issues[0]?.text).toContain("Changed by hand");
    }
    dashboards.update(dashboards.require(3), { name: "Growth" });
    expect(await platform.run("drift")).toMatchObject({ code: 0 });
    expect(forge.issues).toMatchObject([{ state: "closed" }]);
    expect(forge.notes).toHaveLength(1);
    for (const text of [...forge.comments, ...forge.issues].map((entry) => entry.text))
      expect(text).not.toMatch(/hush-|phx_/);
    expect(emulator.unknownRoutes).toEqual([]);
  });

  test("what was adopted and is deleted is drift, and what cannot be compared is told", async () => {
    const platform = make();
    for (const stack of STACKS) expect(await platform.up(stack)).toMatchObject({ code: 0 });
    const { batchExports } = emulator.store;
    const id = batchExports.find(({ interval }) => interval === "hour")?.id ?? "";
    workspace.edit('name: "Events to the lake",', `name: "Events to the lake", adoptId: "${id}",`);
    batchExports.delete(id);
    for (let night = 1; night <= 2; night++) {
      expect(await platform.run("drift")).toMatchObject({ code: 0 });
      expect(forge.issues).toMatchObject([
        { title: "PostHog differs from the program: production", state: "open" },
      ]);
      expect(forge.issues[0]?.text).toMatch(/was deleted outside[^]*a new one is made[^]*take adoptId/);
      expect(forge.issues[0]?.text).toMatch(/\+ .*BatchExport/);
    }

    emulator.faults.add("GET * 403");
    const failed = await platform.run("drift");
    expect(failed.code).not.toBe(0);
    expect(forge.issues.map(({ title }) => title).sort()).toEqual(
      [...STACKS].sort().map((stack) => `PostHog cannot be compared with the program: ${stack}`),
    );
    for (const { text } of forge.issues) expect(text).toContain("answered 403");
    emulator.faults.clear();

    const undone = await workspace.run("pulumi up --refresh --yes --stack production", {});
    expect([undone.code, batchExports.all().length]).toEqual([0, 2]);
    expect(await platform.run("drift")).toMatchObject({ code: 0 });
    expect(forge.issues.map(({ state }) => state)).toEqual(["closed", "closed", "closed"]);
  });

  test("an import that was interrupted goes on where it was", async () => {
    const platform = make();
    const events = Array.from({ length: 2_000 }, (_, number) =>
      JSON.stringify({
        event: "seen",
        distinct_id: `person-${number}`,
        timestamp: "2024-01-01T00:00:00Z",
        properties: { text: "x".repeat(4000) },
      }),
    );
    writeFileSync(join(workspace.folder, "old.ndjson"), `${events.join("\n")}\n`);
    const inputs = { stack: "dev", bucket: "", source: "old.ndjson", mapping: "capture" };
    const dry = await platform.run("import", { ...inputs, "dry-run": "true" });
    expect([dry.code, dry.output]).toEqual([0, expect.stringContaining("2,000")]);
    expect(emulator.requests).toEqual([]);

    emulator.faults.add("POST /batch/ 401 skip=2");
    expect((await platform.run("import", { ...inputs, "dry-run": "false" })).code).not.toBe(0);
    const before = emulator.capture.count;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(2_000);
    emulator.faults.clear();
    expect(await platform.run("import", { ...inputs, "dry-run": "false" })).toMatchObject({ code: 0 });
    const { events: held, received } = emulator.capture.summary(emulator.environment.POSTHOG_PROJECT_API_KEY);
    expect(held).toBe(2_000);
    // What was acknowledged was not sent again.
    expect(received).toBe(2_000);
  });
});

test("every job of GitLab is run", () => {
  expect(gitLabJobs().sort()).toEqual(["preview", ...STACKS, "drift", "import"].sort());
});

test("a change that a policy forbids fails its preview, and the comment says why", async () => {
  const platform = platforms["GitHub Actions"]!();
  workspace.edit("margaret@example.com", "margaret@elsewhere.example");
  expect((await platform.run("preview")).code).toBe(1);
  expect(forge.comments[0]?.text).toContain("### `production`: **failed**");
  expect(forge.comments[0]?.text).toContain("margaret@elsewhere.example has an address of elsewhere.example");
  expect((await platform.up("production")).code).not.toBe(0);
  expect(writes(emulator)).toEqual([]);
});
