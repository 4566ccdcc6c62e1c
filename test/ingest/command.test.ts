import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { captureEach, event, eventLines, file, folder, hasCheckpoint, key, server } from "./support";

const command = path.resolve(__dirname, "..", "..", "dist", "cli", "main.js");

captureEach();

function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
  const env = {
    PATH: process.env["PATH"],
    POSTHOG_INGEST_HOST: server.url,
    POSTHOG_PROJECT_API_KEY: key,
    ...environment,
  };
  return spawn(process.execPath, [command, "import", ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; out: string; error: string }> {
  const child = start(args, environment);
  let out = "";
  let error = "";
  child.stdout?.on("data", (text) => (out += String(text)));
  child.stderr?.on("data", (text) => (error += String(text)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, error };
}

const fast = ["--events-per-minute", "unlimited", "--announced"];

test("imports, says what it did, and sends nothing the second time", async () => {
  await file(folder, "a.ndjson", eventLines(0, 3000));
  const first = await run(["a.ndjson", ...fast, "--rename", "Test Event=$pageview"]);
  expect(first).toMatchObject({ code: 0, error: "" });
  expect(first.out).toContain("3,000 events in 1 file");
  expect(first.out).toContain("imported 3,000 events");
  expect(server.summary).toMatchObject({ events: 3000, names: [{ name: "$pageview", events: 3000 }] });
  const { requests } = server;
  const second = await run(["a.ndjson", ...fast, "--rename", "Test Event=$pageview"]);
  expect(second.code).toBe(0);
  expect(second.out).toContain("nothing is sent");
  expect(server.requests).toBe(requests);
  expect(first.out + second.out).not.toContain(key);
});

test("a dry run says what is there and sends nothing", async () => {
  await file(folder, "a.ndjson", [...eventLines(0, 10), event(3), "{"]);
  const { code, out, error } = await run(["a.ndjson", "--dry-run"]);
  expect(code).toBe(3);
  expect(out).toMatch(
    /11 events in 1 file[^]*1 repeat another event[^]*a\.ndjson:11 repeats a\.ndjson:4[^]*1 invalid/,
  );
  expect(error).toContain("a.ndjson:12 is not valid JSON");
  // Named once: on a terminal both streams are one.
  expect(out).not.toContain("a.ndjson:12");
  expect((await run(["a.ndjson", "--dry-run", "--on-invalid", "skip"])).code).toBe(0);
  expect(server.requests).toBe(0);
});

test("--out writes the events with their uuids, as they would be sent", async () => {
  await file(folder, "a.ndjson", eventLines(0, 100));
  const { code, out } = await run(["a.ndjson", "--out", "out/events.ndjson"], {
    POSTHOG_PROJECT_API_KEY: "",
  });
  expect(code).toBe(0);
  const lines = readFileSync(path.join(folder, "out", "events.ndjson"), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines).toHaveLength(100);
  expect(server.requests).toBe(0);
  const written = /checksum ([0-9a-f]{16})/.exec(out)?.[1];
  const sent = await run(["a.ndjson", ...fast]);
  expect(sent.out).toContain(`checksum ${written}`);
});

test.each([
  [
    "a personal key",
    ["a.ndjson"],
    { POSTHOG_PROJECT_API_KEY: "phx_secret" },
    2,
    /--project-api-key \(POSTHOG_PROJECT_API_KEY\): this is a personal API key/,
  ],
  [
    "no key",
    ["a.ndjson"],
    { POSTHOG_PROJECT_API_KEY: "" },
    2,
    /--project-api-key \(POSTHOG_PROJECT_API_KEY\): is empty/,
  ],
  [
    "a rate that is not announced",
    ["a.ndjson", "--events-per-minute", "20000"],
    {},
    3,
    /--events-per-minute: .*announced[^]*Origin: our own export[^]*POST \/batch\/[^]*10 events[^]*20,000 events a minute/,
  ],
  ["a shard out of range", ["a.ndjson", "--shard", "3/2"], {}, 2, /--shard/],
  ["a file that is missing", ["b.ndjson"], {}, 1, /nothing is found at b\.ndjson/],
  [
    "invalid events",
    ["bad.ndjson"],
    {},
    3,
    /^error: source: 1 event is invalid.*--on-invalid skip[^]*bad\.ndjson:1 is not valid JSON/,
  ],
  ["a mapping that is no JSON", ["a.ndjson", "--mapping", "{"], {}, 2, /a name, JSON, or @FILE/],
  [
    "a flag that there is not",
    ["a.ndjson", "--maping", "x"],
    {},
    2,
    /Did you mean --mapping\?\)\s+\(--help says.*\)\s*$/,
  ],
  ["no source", [], {}, 2, /missing required argument 'source'/],
])("exit code for %s", async (_, args, environment, code, message) => {
  await file(folder, "a.ndjson", eventLines(0, 10));
  await file(folder, "bad.ndjson", "{");
  const result = await run(args, environment);
  expect(result.error).toMatch(message);
  expect(result.code).toBe(code);
  expect(result.error + result.out).not.toContain("phx_secret");
  expect(server.requests).toBe(0);
});

test("a key that the service refuses", async () => {
  await file(folder, "a.ndjson", eventLines(0, 10));
  server.interfere = async (request, response) => {
    for await (const chunk of request) void chunk;
    response.writeHead(401).end("API key is not valid");
    return true;
  };
  const result = await run(["a.ndjson", ...fast]);
  expect(result.code).toBe(1);
  expect(result.error).toMatch(/refuses the project API key[^]*phc_/);
});

const many = 30_000;
const slow = [...fast, "--batch-bytes", "65536", "--concurrency", "2"];

test("Ctrl-C ends in order, and the next run goes on", async () => {
  await file(folder, "a.ndjson", eventLines(0, many));
  const child = start(["a.ndjson", ...slow]);
  server.interfere = async () => {
    if (server.requests === 10) child.kill("SIGINT");
    await sleep(5);
    return false;
  };
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(130);
  const before = server.summary.received;
  server.interfere = () => false;
  const result = await run(["a.ndjson", ...slow]);
  expect(result.out).toContain("goes on after");
  expect(server.summary.events).toBe(many);
  // All that was taken had been noted.
  expect(server.summary.received).toBe(many);
  expect(before).toBeGreaterThan(1000);
});

test.each([8, 40, 65])("killed after %i requests, everything arrives once", async (after) => {
  await file(folder, "a.ndjson", eventLines(0, many));
  const child = start(["a.ndjson", ...slow]);
  server.interfere = async () => {
    await sleep(5);
    if (server.requests < after) return false;
    // Without this answer it gets no further than it is, however long the disk takes over the first checkpoint.
    while (after >= 40 && !hasCheckpoint(folder)) await sleep(5);
    child.kill("SIGKILL");
    return false;
  };
  expect(await once(child, "close")).toEqual([null, "SIGKILL"]);
  server.interfere = () => false;
  const before = server.summary.received;
  const result = await run(["a.ndjson", ...slow]);
  expect(result.code).toBe(0);
  const checksum = /checksum ([0-9a-f]{16})/.exec(result.out)?.[1];
  expect(server.summary).toMatchObject({ events: many, conflicts: 0, checksum });
  if (after >= 40) expect(server.summary.received - before).toBeLessThan(many);
});

test("shards that know nothing of each other import everything once, at their part of the rate", async () => {
  for (let n = 0; n < 7; n++) await file(folder, `part-${n}.ndjson`, eventLines(n * 100, n * 100 + 100));
  const shards = await Promise.all(
    [0, 1, 2].map((index) => run(["part-*.ndjson", ...fast, "--shard", `${index}/3`])),
  );
  expect(shards.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(server.summary).toMatchObject({ events: 700, received: 700 });
  const slowed = await run(["part-*.ndjson", "--dry-run", "--shard", "0/3", "--events-per-minute", "6000"]);
  expect(slowed.out).toContain("at 2,000 events a minute");
});

test("the built command is there", () => {
  expect(existsSync(command)).toBe(true);
});
