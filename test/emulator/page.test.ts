import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { startEmulator, type Emulator } from "../support/emulator";
import { ROOT } from "../support/engine";

/** Screenshots of the last run, for whoever changes the page to look at. */
const FOLDER = join(ROOT, ".local", "page");

/** What `browser.mjs` prints; undefined where there is no browser, which it says. */
function browser(): string | undefined {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "test", "support", "browser.mjs")],
    {
      encoding: "utf8",
    },
  );
  if (status === 0) return stdout;
  console.warn(`the page is not tested in a browser: ${stderr}`);
  return undefined;
}

let found: string | undefined;
// Getting it can take minutes, which are none of the session's.
beforeAll(() => {
  found = browser();
});

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ projects: 1 });
  const { organizations, projects } = emulator.store;
  projects.update(projects.require(2), { name: "Second" });
  expect(organizations.size).toBe(1);
  const headers = {
    authorization: `Bearer ${emulator.environment.POSTHOG_API_KEY}`,
    "content-type": "application/json",
  };
  const ask = (path: string, body: unknown) =>
    fetch(`${emulator.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const organization = `/api/organizations/${emulator.environment.POSTHOG_ORGANIZATION_ID}`;
  await ask("/api/projects/1/dashboards/", { name: "Growth", tags: ["team:growth"], pinned: true });
  await ask(`${organization}/domains/`, { domain: "example.org" });
  await ask(`${organization}/invites/`, { target_email: "ada@example.org", level: 8 });
  await ask(`${organization}/pipeline_destinations/`, { name: "Forwarder" });
  const config = { bucket_name: "lake", region: "eu-central-1", prefix: "", aws_access_key_id: "hush" };
  const destination = { type: "S3", config };
  await ask(`${organization}/batch_exports/`, { name: "Lake", interval: "hour", destination });
});
afterEach(() => emulator.close());

const session = z.looseObject({
  requests: z.array(z.string()),
  feed: z.array(z.string()),
  counts: z.string(),
  dialog: z.string(),
  light: z.object({ backgroundColor: z.string(), color: z.string() }),
  dark: z.object({ backgroundColor: z.string(), color: z.string() }),
  saidLight: z.object({ backgroundColor: z.string(), color: z.string() }),
});

test("the page is used in a browser: live, by keyboard, in both colours, and for screen readers", async () => {
  if (found === undefined) return;
  mkdirSync(FOLDER, { recursive: true });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(__dirname, "page-session.mjs"), found, emulator.url, FOLDER],
    { env: { ...process.env, EMULATOR_ENVIRONMENT: JSON.stringify(emulator.environment) }, timeout: 540_000 },
  );
  const seen = session.parse(JSON.parse(stdout));

  // It asks nobody but the emulator, and nothing that is not there.
  for (const request of seen.requests) expect(new URL(request).origin).toBe(emulator.url);
  expect(seen).toMatchObject({ complaints: [], images: 0 });
  expect(emulator.unknownRoutes).toEqual([]);

  expect(seen.counts.replaceAll(/\s+/g, " ")).toBe(
    "1 dashboards 1 exports 1 domains 4 people 1 invites 1 plugins 0 imported events",
  );
  expect(seen["empty"]).toBe("none imported");
  expect(seen.feed.map((line) => line.split("\n").at(-1)).slice(0, 3)).toEqual([
    "not done (400): created dashboard",
    "changed name of dashboard “Growth and more”",
    "created dashboard “<img src=x onerror=alert(1)> & co”",
  ]);
  expect(seen.feed[1]).toMatch(/^\d+:\d+:\d+.* grace@example\.com/);

  expect(seen).toMatchObject({
    events: "60 events",
    chart: "Events by day, from 2024-01-01 to 2024-02-14, at most 16 a day",
    bars: 45,
    firstDay: expect.stringMatching(/^2024-01-01\s+16$/),
    staysOpen: true,
  });

  expect(seen).toMatchObject({
    firstStop: "To what exists",
    dialogName: 1,
    dialogClosed: true,
    focusReturns: "Growth and more",
    focusStays: "Growth and more",
    chosen: "Second (2)",
    elsewhere: "Dashboards (0)",
    filtered: "Dashboards (1)",
  });
  expect(seen.dialog).toMatch(/description\s+Read on Mondays\./);
  expect(JSON.stringify(seen)).not.toMatch(/hush|phx_|phc_/);

  expect(brightness(seen.light.backgroundColor)).toBeGreaterThan(brightness(seen.light.color) + 100);
  expect(brightness(seen.dark.color)).toBeGreaterThan(brightness(seen.dark.backgroundColor) + 100);
  expect(seen.saidLight).toEqual(seen.light);
  expect(seen).toMatchObject({ faultsDark: [], faultsLight: [], overflow: 0 });
  for (const name of ["light", "dark", "detail", "narrow"])
    expect(statSync(join(FOLDER, `${name}.png`)).size).toBeGreaterThan(10_000);
});

function brightness(colour: string): number {
  const parts = colour.match(/\d+/g)?.slice(0, 3).map(Number) ?? [];
  return parts.reduce((sum, part) => sum + part, 0) / 3;
}
