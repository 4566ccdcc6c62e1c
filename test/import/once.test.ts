import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventLines } from "../ingest/support";
import { type Emulator, startEmulator } from "../support/emulator";
import { openStack, type Run, type Stack } from "../support/stack";
import { declareImport, FORMS, importOf, sent, write, writeLines } from "./sources";

const COUNT = 20_000;

let emulator: Emulator;
let stack: Stack;
const keyOf = (): string => emulator.environment.POSTHOG_PROJECT_API_KEY;

beforeEach(async () => {
  emulator = await startEmulator();
  stack = await openStack({ emulator });
});
afterEach(async () => {
  await stack.close();
  await emulator.close();
});

/** Fails with what the engine said, not with a bare exit code. */
function fine(run: Run): Run {
  expect(run.errors).toBe("");
  expect(run.code).toBe(0);
  return run;
}

function outputs(run: Run, name: string): Readonly<Record<string, unknown>> {
  return run.step(name).new?.outputs ?? {};
}

test("events from lines, gzip, CSV and a JSON array arrive once each, and never again", async () => {
  const lines = eventLines(0, COUNT);
  for (const { file, content } of FORMS) write(stack.folder, file, content(lines));
  stack.declare(FORMS.map(({ name, file, key }) => importOf(name, { source: file, projectApiKey: key })));

  const preview = fine(await stack.preview());
  expect(sent(emulator)).toBe(0);
  expect(emulator.capture.count).toBe(0);
  for (const { name } of FORMS) expect(preview.output).toContain(`HistoricalImport "${name}":`);
  // Once as it comes, and once more in the summary at the end.
  expect(preview.output.match(/20,000 events in 1 file/g)).toHaveLength(2 * FORMS.length);
  expect(preview.output).toMatch(/from 2023-01-01T00:00:00\.000Z to 2023-01-01T05:33:19\.000Z/);
  expect(preview.output).toContain('"Test Event" 20,000');
  expect(preview.output).toContain("3. a support request in the app");

  const up = fine(await stack.up());
  for (const { name, key } of FORMS) {
    const { checksum, eventsSent, status, files } = outputs(up, name);
    expect({ eventsSent, status, files }).toEqual({ eventsSent: COUNT, status: "finished", files: 1 });
    const held = emulator.capture.summary(key);
    expect(held).toMatchObject({ events: COUNT, received: COUNT, conflicts: 0, checksum });
    expect(held.historicalRequests).toBe(held.requests);
  }
  // What the form of the file is has no part in an event's identity.
  expect(new Set(FORMS.map(({ key }) => emulator.capture.summary(key).checksum)).size).toBe(1);
  for (const { key } of FORMS) {
    expect(await stack.stateFile()).not.toContain(key);
    expect(up.output + preview.output).not.toContain(key);
  }

  const requests = sent(emulator);
  expect(fine(await stack.up()).changed).toEqual([]);
  expect(fine(await stack.refresh()).changed).toEqual([]);
  const last = fine(await stack.preview({ refresh: true, expectNoChanges: true, diff: true }));
  expect(last.changed).toEqual([]);
  const destroy = fine(await stack.destroy());
  expect(destroy.output).toContain("20,000 events stay in PostHog: events cannot be deleted");
  expect(sent(emulator)).toBe(requests);
});

test("two imports make different events of one file", async () => {
  const rows = Array.from({ length: 3000 }, (_, n) => `u${n},2023-01-01T00:00:00Z,2023-02-01T00:00:00Z`);
  write(stack.folder, "users.csv", ["user,created,cancelled", ...rows].join("\n"));
  const made = (name: string, timestamp: string): ReturnType<typeof importOf> => {
    const mapping = { event: { value: name }, distinctId: "user", timestamp, properties: [] };
    return importOf(name, { source: "users.csv", mapping });
  };
  stack.declare([made("joined", "created"), made("left", "cancelled")]);
  fine(await stack.up());
  expect(emulator.capture.summary(keyOf())).toMatchObject({ events: 6000, received: 6000 });
  const requests = sent(emulator);
  // Without a state as well: what has finished on this machine is known by its name.
  fine(await stack.destroy());
  fine(await stack.up());
  expect(sent(emulator)).toBe(requests);
});

test("after the end nothing but a new runKey sends anything, and preview says so", async () => {
  const other = await startEmulator();
  try {
    writeLines(stack.folder, "past/2023-1.ndjson", 0, 1000);
    writeLines(stack.folder, "past/2023-2.ndjson", 1000, 2000);
    const base = { source: "past/2023-*.ndjson" };
    declareImport(stack, base);
    fine(await stack.up());
    const requests = sent(emulator);

    const silent = async (args: Readonly<Record<string, unknown>>, said: RegExp): Promise<Run> => {
      declareImport(stack, { ...base, ...args });
      const preview = fine(await stack.preview());
      expect(preview.output).toMatch(said);
      expect(preview.changed.filter(({ op }) => op !== "update")).toEqual([]);
      const up = fine(await stack.up());
      expect(outputs(up, "past")).toMatchObject({ status: "finished", eventsSent: 2000 });
      expect([sent(emulator), sent(other)]).toEqual([requests, 0]);
      return up;
    };
    const elsewhere = /nothing is sent\. If this is another project, set a new runKey/;
    await silent({ projectApiKey: "phc_other" }, elsewhere);
    await silent({ ingestHost: other.ingestUrl }, elsewhere);
    const tuned = { eventsPerMinute: 500, concurrency: 3, batchBytes: 70_000, gzip: true, previewBytes: 10 };
    const up = await silent(tuned, /update/);
    expect(outputs(up, "past")).toMatchObject({ eventsPerMinute: 500, concurrency: 3 });
    await silent({ mapping: "mixpanel" }, /mapping changed after the import finished: nothing is sent/);
    // Another spelling of the same place, as on another machine.
    await silent({ source: "./past\\2023-*.ndjson" }, /past/);
    writeLines(stack.folder, "past/2023-2.ndjson", 1000, 2100);
    await silent({}, /its files changed after the import finished: nothing is sent/);
    rmSync(`${stack.folder}/past`, { recursive: true });
    await silent({}, /its files are no longer there, which does not matter/);

    writeLines(stack.folder, "past/2023-1.ndjson", 0, 3000);
    declareImport(stack, { ...base, runKey: "2" });
    const again = fine(await stack.up());
    expect(again.step("past").replaceReasons).toEqual(["runKey"]);
    expect(emulator.capture.summary(keyOf())).toMatchObject({ events: 3000, conflicts: 0 });
    const after = sent(emulator);
    expect(after).toBeGreaterThan(requests);
    fine(await stack.up({ expectNoChanges: true }));
    writeLines(stack.folder, "later/2024.ndjson", 5000, 5500);
    declareImport(stack, { source: "later", runKey: "2" });
    const moved = fine(await stack.up());
    expect(moved.step("past").replaceReasons).toEqual(["source"]);
    expect(emulator.capture.summary(keyOf())).toMatchObject({ events: 3500, conflicts: 0 });
    expect(sent(emulator)).toBeGreaterThan(after);
  } finally {
    await other.close();
  }
});

test.each<readonly [what: string, args: Readonly<Record<string, unknown>>, said: RegExp]>([
  [
    "invalid events",
    { source: "bad.ndjson" },
    /bad\.ndjson:4 has no distinct_id[^]*bad\.ndjson:5 is not valid JSON/,
  ],
  ["files that are missing", { source: "none/*.ndjson" }, /nothing is found at none\/\*\.ndjson/],
  [
    "a rate that is not announced",
    { source: "good.ndjson", eventsPerMinute: 20_000, announced: false },
    /more than 10,000 events a minute must be announced[^]*Origin: [^]*Volume: 3 events[^]*Speed: 20,000 events a minute/,
  ],
  [
    "a personal key",
    { source: "good.ndjson", projectApiKey: "phx_personal" },
    /projectApiKey: this is a personal API key/,
  ],
])("preview refuses %s, and names what is wrong", async (_, args, said) => {
  write(stack.folder, "bad.ndjson", [...eventLines(0, 3), '{"event":"x"}', "{"].join("\n"));
  writeLines(stack.folder, "good.ndjson", 0, 3);
  declareImport(stack, args);
  const preview = await stack.preview();
  expect(preview.code).not.toBe(0);
  expect(preview.errors).toMatch(said);
  expect(preview.output).not.toContain("phx_personal");
  expect(sent(emulator)).toBe(0);
});

test("invalid events that are to be skipped are previewed, set aside and counted", async () => {
  write(stack.folder, "bad.ndjson", [...eventLines(0, 3), '{"event":"x"}', "{"].join("\n"));
  declareImport(stack, { source: "bad.ndjson", onInvalid: "skip", deadLetterFile: "dead.ndjson" });
  expect(fine(await stack.preview()).output).toMatch(/3 events in 1 file[^]*2 invalid, to be set aside/);
  const up = fine(await stack.up());
  expect(up.output).toMatch(/events set aside are in .*dead\.ndjson/);
  expect(outputs(up, "past")).toMatchObject({
    eventsSent: 3,
    eventsSkipped: 2,
    skipped: { "distinct-id-missing": 1, "not-json": 1 },
    deadLetterFile: "dead.ndjson",
  });
  const dead = readFileSync(join(stack.folder, "dead.ndjson"), "utf8").trimEnd().split("\n");
  expect(dead.map((line): unknown => JSON.parse(line))).toMatchObject([
    { file: "bad.ndjson", line: 4, original: '{"event":"x"}' },
    { file: "bad.ndjson", line: 5, original: "{" },
  ]);
  fine(await stack.up({ expectNoChanges: true }));
  declareImport(stack, { source: "bad.ndjson", onInvalid: "skip" });
  const update = fine(await stack.up());
  expect(update.changed.map(({ op }) => op)).toEqual(["update"]);
  expect(fine(await stack.up()).changed).toEqual([]);
  expect(sent(emulator)).toBe(1);
});

test("what has finished needs no key, and one that is wrong is named all the same", async () => {
  writeLines(stack.folder, "a.ndjson", 0, 10);
  declareImport(stack, { source: "a.ndjson" });
  fine(await stack.up());
  stack.env["POSTHOG_PROJECT_API_KEY"] = undefined;
  fine(await stack.refresh());
  fine(await stack.up({ expectNoChanges: true }));
  declareImport(stack, { source: "a.ndjson", projectApiKey: "phx_personal" });
  expect((await stack.preview()).errors).toMatch(/this is a personal API key/);
  declareImport(stack, { source: "a.ndjson", runKey: "2" });
  expect((await stack.preview()).errors).toContain("no project API key");
  expect(sent(emulator)).toBe(1);
});
