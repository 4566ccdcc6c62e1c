import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStack, type Declared, type Stack } from "./stack";

const PROBE = join(__dirname, "probe.cjs");
const probe = (name: string, args: Record<string, unknown>, opts: Declared["opts"] = {}): Declared => ({
  class: "Probe",
  name,
  args,
  opts,
});

/** Command lines of the processes that work in a folder, as far as this system tells. */
function processesIn(folder: string): string[] {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false; // it has ended, or is somebody else's
    }
  });
}

/** What was killed is gone once the system has come round to it; what was not would work for a minute. */
async function expectNobodyIn(folder: string): Promise<void> {
  for (let times = 0; times < 200 && processesIn(folder).length > 0; times++) await sleep(100);
  expect(processesIn(folder)).toEqual([]);
}

let stack: Stack;
afterEach(() => stack.close());

test("a stack goes from preview to destroy, and says what each operation did", async () => {
  stack = await openStack({
    module: PROBE,
    config: { "posthog:apiKey": { secret: "hush-key" }, "a:b": "c" },
  });
  stack.declare(
    [
      probe("one", { size: 1, key: { $secret: "hush-arg" }, fromConfig: { $config: "posthog:apiKey" } }),
      probe("two", { size: 2, of: { deep: [{ $ref: "one.made.by[0]" }] } }, { dependsOn: ["one"] }),
      probe("three", { size: { $unknown: 3 } }),
    ],
    { first: { $ref: "one.id" }, key: { $ref: "one.key" } },
  );

  const preview = await stack.preview();
  expect(preview).toMatchObject({ code: 0, changes: { create: 3 } });
  expect(preview.step("one")).toMatchObject({
    op: "create",
    status: "planned",
    kind: "Probe",
    new: { inputs: { size: 1 } },
  });
  expect((await stack.export()).deployment.resources).toEqual([]);

  const up = await stack.up();
  expect(up).toMatchObject({ code: 0, changes: { create: 3 } });
  expect(up.step("two")).toMatchObject({ op: "create", status: "done", new: { id: "id-2" } });
  expect(up.step("two").new?.inputs["of"]).toEqual({ deep: ["us"] });
  expect(up.step("one").new?.inputs).toMatchObject({ key: "[secret]", fromConfig: "[secret]" });
  expect(up.diagnostics).toContainEqual(
    expect.objectContaining({ severity: "info", message: "warning: made one" }),
  );
  expect(up.diagnostics.filter(({ severity }) => severity === "warning")).toEqual([]);
  expect(up.output).toContain("id-1");
  for (const text of [up.output, await stack.stateFile(), await stack.exportText()])
    expect(text).not.toContain("hush-");
  expect(await stack.outputs()).toEqual({ first: "id-1", key: "[secret]" });
  expect(await stack.outputs({ showSecrets: true })).toEqual({ first: "id-1", key: "hush-arg" });

  const again = await stack.up({ expectNoChanges: true });
  expect(again).toMatchObject({ code: 0, changes: { same: 3 }, changed: [] });

  stack.declare([probe("one", { size: 4, place: "other" }), probe("two", { size: 5 })]);
  const changed = await stack.up({ diff: true });
  expect(changed.code).toBe(0);
  expect(changed.step("two")).toMatchObject({
    op: "update",
    diffs: ["of", "size"],
    old: { inputs: { size: 2 } },
  });
  expect(changed.step("one")).toMatchObject({ op: "replace", replaceReasons: ["place"] });
  expect(changed.step("three")).toMatchObject({ op: "delete", status: "done" });
  expect(changed.output).toMatch(/size: 2 => 5/);

  stack.env["PROBE_SIZE"] = "7";
  expect(await stack.preview({ refresh: true, expectNoChanges: true })).not.toMatchObject({ code: 0 });
  const refreshed = await stack.refresh();
  expect(refreshed.step("two")).toMatchObject({
    op: "update",
    status: "done",
    diffs: ["size"],
    outputDiffs: ["size"],
  });
  stack.env["PROBE_GONE"] = "1";
  expect((await stack.refresh()).changes).toEqual({ delete: 2 });
  stack.env["PROBE_GONE"] = undefined;
  expect((await stack.export()).deployment.resources.map(({ type }) => type)).not.toContain("Probe");

  expect(await stack.up()).toMatchObject({ code: 0, changes: { create: 2 } });
  const state = await stack.exportText();
  expect(await stack.destroy()).toMatchObject({ code: 0, changes: { delete: 2 } });
  await stack.importState(state);
  expect(await stack.up()).toMatchObject({ code: 0, changes: { same: 2 } });
});

test("a failed check and a failed create are runs with errors, not exceptions", async () => {
  stack = await openStack({ module: PROBE });
  stack.declare([probe("large", { size: 10 })]);
  const bad = await stack.preview();
  expect(bad.code).not.toBe(0);
  expect(bad.errors).toContain("at most 9 is allowed");
  expect(bad.diagnostics).toContainEqual(expect.objectContaining({ name: "large", severity: "error" }));
  expect(() => bad.step("large")).toThrow("no step for large");

  stack.declare([probe("refused", { size: 1, refused: true })]);
  const refused = await stack.up();
  expect(refused.code).not.toBe(0);
  expect(refused.step("refused")).toMatchObject({ op: "create", status: "failed" });
  expect(refused.changes).toEqual({});
  expect(refused.errors).toContain("the service refuses it");
});

test("a program of its own, an external resource, and a killed update", async () => {
  stack = await openStack({ module: PROBE, env: { GREETING: "hello" } });
  stack.program("exports.said = process.env.GREETING;");
  expect(await stack.up()).toMatchObject({ code: 0, changes: {} });
  expect(await stack.outputs()).toEqual({ said: "hello" });

  stack.declare([{ class: "Probe", name: "theirs", get: { id: "id-6", state: { size: 6 } } }], {
    size: { $ref: "theirs.size" },
  });
  stack.env["PROBE_SIZE"] = "6";
  expect(await stack.up()).toMatchObject({ code: 0, changes: { read: 1 } });

  stack.declare([probe("slow", { size: 1, slowMs: 60_000 })]);
  const running = stack.start("up");
  while (!running.soFar().includes("at work")) await sleep(50);
  running.killAll();
  expect((await running.done).code).toBe(128);
  await expectNobodyIn(stack.folder);
  stack.declare([]);
  expect((await stack.up()).output).toContain("locked");
  await stack.cancel();
  expect((await stack.up()).code).toBe(0);
});
