import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endOrphans } from "../faults/crash";
import { isAlive, providerOf } from "../faults/processes";
import { hasCheckpoint } from "../ingest/support";
import { type Emulator, startEmulator } from "../support/emulator";
import { openStack, type Run, type Stack } from "../support/stack";
import { declareImport, sent, writeLines } from "./sources";

const COUNT = 20_000;
/** About 450 events a request: dozens of requests. */
const SMALL = { batchBytes: 65_536, concurrency: 2 } as const;

let emulator: Emulator;
let stack: Stack;

beforeEach(async () => {
  emulator = await startEmulator();
  // Long enough for a few tries, short enough for a test.
  stack = await openStack({ emulator, config: { "posthog:requestDeadline": "2" } });
  writeLines(stack.folder, "a.ndjson", 0, COUNT / 2);
  writeLines(stack.folder, "b.ndjson", COUNT / 2, COUNT);
  declareImport(stack, { source: ["a.ndjson", "b.ndjson"], ...SMALL });
});
afterEach(async () => {
  endOrphans(stack);
  await stack.close();
  await emulator.close();
});

const held = () => emulator.capture.summary(emulator.environment.POSTHOG_PROJECT_API_KEY);
const checkpointFolder = (): string => join(stack.folder, ".pulumi-posthog");

/** An up that the service lets down after a number of requests. */
async function letDown(after: number): Promise<Run> {
  emulator.faults.add(`POST /batch/ 503 skip=${after}`);
  const run = await stack.up();
  emulator.faults.clear();
  expect(run.code).not.toBe(0);
  expect(run.errors).toMatch(/stopped after [\d,]+ events: the service answered 503/);
  expect(run.errors).toContain("The next pulumi up goes on from there.");
  return run;
}

/** Everything is there, once, and what was acknowledged before was not sent again. */
async function completes(before: number, acknowledged: number): Promise<void> {
  const up = await stack.up();
  expect(up.errors).toBe("");
  const outputs = up.step("past").new?.outputs;
  expect(outputs).toMatchObject({ status: "finished", eventsSent: COUNT });
  expect(held()).toMatchObject({ events: COUNT, conflicts: 0, checksum: outputs?.["checksum"] });
  expect(held().received - before).toBe(COUNT - acknowledged);
  expect(up.output).toMatch(/goes on after [\d,]+ events that were sent before/);
  const requests = sent(emulator);
  const next = await stack.up({ expectNoChanges: true });
  expect(next.code).toBe(0);
  expect(sent(emulator)).toBe(requests);
}

async function acknowledged(): Promise<number> {
  const { deployment } = await stack.export();
  const past = deployment.resources.find(({ urn }) => urn.endsWith("::past"));
  expect(past?.initErrors ?? []).toHaveLength(1);
  expect(past?.outputs).toMatchObject({ status: "interrupted" });
  return Number(past?.outputs?.["eventsSent"]);
}

test("an import that the service lets down goes on where it was", async () => {
  await letDown(12);
  const known = await acknowledged();
  expect(known).toBeGreaterThan(1000);
  await completes(held().received, known);
});

test("it goes on from the stack's state on an empty machine, also after a refresh", async () => {
  await letDown(20);
  const known = await acknowledged();
  const { received, requests } = held();
  expect(existsSync(checkpointFolder())).toBe(true);
  rmSync(checkpointFolder(), { recursive: true });
  expect((await stack.refresh()).code).toBe(0);
  const preview = await stack.preview();
  expect(preview.code).toBe(0);
  expect(preview.step("past").op).toBe("update");
  expect(held()).toMatchObject({ received, requests });
  await completes(received, known);
});

test("it may be let down again and again", async () => {
  await letDown(5);
  const first = await acknowledged();
  await letDown(5);
  const second = await acknowledged();
  expect(second).toBeGreaterThan(first);
  rmSync(checkpointFolder(), { recursive: true });
  await letDown(3);
  await completes(held().received, await acknowledged());
});

test("an interrupted import is refreshed and destroyed without its files, and sends nothing then", async () => {
  await letDown(5);
  rmSync(join(stack.folder, "a.ndjson"));
  rmSync(join(stack.folder, "b.ndjson"));
  const requests = sent(emulator);
  const refresh = await stack.refresh();
  expect(refresh.errors).toBe("");
  stack.env["POSTHOG_PROJECT_API_KEY"] = undefined;
  const keyless = await stack.preview();
  expect(keyless.errors).toContain("no project API key");
  stack.env["POSTHOG_PROJECT_API_KEY"] = emulator.environment.POSTHOG_PROJECT_API_KEY;
  const preview = await stack.preview();
  expect(preview.code).not.toBe(0);
  expect(preview.errors).toContain("nothing is found at a.ndjson");
  const destroy = await stack.destroy();
  expect(destroy.errors).toBe("");
  expect(destroy.output).toMatch(/[\d,]+ events stay in PostHog/);
  expect(sent(emulator)).toBe(requests);
});

test.each(["cli", "provider"] as const)("killed on its way (%s), it goes on where it was", async (victim) => {
  // Slow enough that the kill finds it in the middle, also where the disk takes long over the first checkpoint.
  emulator.faults.add("POST /batch/ slow=150");
  const running = stack.start("up");
  while (sent(emulator) < 20 || !hasCheckpoint(stack.folder)) await sleep(5);
  const provider = providerOf(running.pid);
  expect(provider).toBeDefined();
  if (provider === undefined) return;
  if (victim === "cli") running.kill("SIGKILL");
  process.kill(provider, "SIGKILL");
  await running.done;
  while (isAlive(provider)) await sleep(5);
  emulator.faults.clear();
  if (victim === "cli") await stack.cancel();
  const before = held().received;
  expect(before).toBeLessThan(COUNT);
  const up = await stack.up();
  expect(up.errors).toBe("");
  const outputs = up.step("past").new?.outputs;
  expect(held()).toMatchObject({ events: COUNT, conflicts: 0, checksum: outputs?.["checksum"] });
  expect(up.output).toMatch(/goes on after [\d,]+ events that were sent before/);
  expect(held().received - before).toBeLessThan(COUNT);
});

test("a CLI that is killed leaves no import behind that nobody sees", async () => {
  declareImport(stack, { source: ["a.ndjson", "b.ndjson"], eventsPerMinute: 20_000 });
  const running = stack.start("up");
  while (sent(emulator) < 4) await sleep(20);
  const provider = providerOf(running.pid);
  running.kill("SIGKILL");
  await running.done;
  // It has to notice by itself; the test's own time limit is the only one.
  for (let last = -1; last !== sent(emulator);) {
    last = sent(emulator);
    await sleep(3000);
  }
  expect(provider !== undefined && isAlive(provider)).toBe(true);
  expect(held().events).toBeLessThan(COUNT);
  declareImport(stack, { source: ["a.ndjson", "b.ndjson"] });
  await stack.cancel();
  const up = await stack.up();
  expect(up.errors).toBe("");
  expect(held()).toMatchObject({ events: COUNT, conflicts: 0 });
  expect(up.output).toMatch(/goes on after [\d,]+ events/);
});
