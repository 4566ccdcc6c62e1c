import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Emulator, startEmulator, writes } from "../support/emulator";
import { openStack, type Stack } from "../support/stack";

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await startEmulator({ latency: 40 });
  stack = await openStack({ emulator });
});
afterEach(async () => {
  await stack.close();
  await emulator.close();
});

const made = () =>
  emulator.store.dashboards.filter(({ name, deleted }) => !deleted && /^Disk/.test(name ?? ""));
const program = [1, 2, 3].map((n) => ({ class: "Dashboard", name: `d${n}`, args: { name: `Disk ${n}` } }));

async function expectNothingToDo(): Promise<void> {
  emulator.clearRequests();
  expect((await stack.preview({ refresh: true, expectNoChanges: true })).code).toBe(0);
  expect(writes(emulator)).toEqual([]);
}

test("a state that cannot be written while things are made: the next run takes over what was made", async () => {
  stack.declare(program);
  const states = dirname(stack.statePath);
  // From the first object on, before anybody is told of it, no state can be saved, as on a disk that is full.
  emulator.store.onChange(() => {
    if (made().length === 0 || existsSync(`${states}.away`)) return;
    renameSync(states, `${states}.away`);
    writeFileSync(states, "");
  });
  const run = await stack.up();
  emulator.store.onChange(() => undefined);
  rmSync(states);
  renameSync(`${states}.away`, states);
  expect(run.code).not.toBe(0);
  expect(run.output).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
  expect(made().length).toBeGreaterThan(0);

  await stack.cancel();
  const up = await stack.up();
  expect(up.errors).toBe("");
  expect(up.output).toContain("which an interrupted run had made for it");
  expect(made()).toHaveLength(3);
  await expectNothingToDo();
});

test("intents that cannot be written: one warning that says what it means, and everything is made", async () => {
  stack.declare(program);
  writeFileSync(join(stack.folder, ".pulumi-posthog"), "");
  const up = await stack.up();
  expect(up.code).toBe(0);
  const warnings = up.diagnostics.filter(({ message }) => message.includes("intents cannot be written"));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.message).toMatch(/\((ENOTDIR|EEXIST)\).*the next one cannot tell.*Free the disk/s);
  expect(made()).toHaveLength(3);
  await expectNothingToDo();
});

test("an intent that was written by half disturbs nobody and does not stay", async () => {
  stack.declare(program);
  const folder = join(stack.folder, ".pulumi-posthog", "intents");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "half.jsonl"), '{"stack":"organization/posthog-test/test","kind":"Dash');
  expect((await stack.up()).errors).toBe("");
  expect(made()).toHaveLength(3);
  await expectNothingToDo();
  expect(readdirSync(folder).filter((name) => name !== "half.jsonl")).toEqual([]);
});
