import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator, type Emulator, writes } from "../support/emulator";
import { ROOT } from "../support/engine";
import { openStack, type Stack } from "../support/stack";
import { transpiled } from "../support/transpiled";

const source = readFileSync(join(ROOT, "examples", "quickstart", "index.ts"), "utf8");
const keys = {
  "posthog-test:awsAccessKeyId": { secret: "hush-id" },
  "posthog-test:awsSecretAccessKey": { secret: "hush-key" },
};
const MOST_BYTES = 4096;

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await startEmulator();
  stack = await openStack({ emulator, config: keys, program: transpiled(source) });
});
afterEach(async () => {
  await stack.close();
  await emulator.close();
});

test("the quickstart is made, changed by one update, and taken down", async () => {
  expect(await stack.preview()).toMatchObject({ code: 0, changes: { create: 7 } });
  expect(writes(emulator)).toEqual([]);
  const up = await stack.up();
  expect(up).toMatchObject({ code: 0, changes: { create: 7 } });
  expect(await stack.outputs()).toMatchObject({
    dashboards: { growth: expect.stringMatching(/^\d+$/), reliability: expect.stringMatching(/^\d+$/) },
    organization: {
      dnsRecord: { name: "_posthog-challenge.example.com", type: "TXT", value: expect.any(String) },
    },
  });
  expect(await stack.preview({ refresh: true, expectNoChanges: true })).toMatchObject({ code: 0 });

  const state = await stack.export();
  const dashboards = state.deployment.resources.filter(({ type }) => type.endsWith(":Dashboard"));
  expect(dashboards).toHaveLength(2);
  for (const { sourcePosition } of dashboards)
    expect(sourcePosition).toMatch(/^project:\/\/\/index\.cjs#\d+,\d+$/);
  // As `pulumi stack export` prints them, indented within the list of resources.
  for (const dashboard of dashboards) expect(indented(dashboard).length).toBeLessThanOrEqual(MOST_BYTES);
  expect(await stack.stateFile()).not.toContain("hush-");
  expect(up.output).not.toContain("hush-");

  emulator.clearRequests();
  stack.program(transpiled(source.replace('name: "Growth"', 'name: "Growth and retention"')));
  expect(await stack.up()).toMatchObject({
    code: 0,
    changes: { same: 6, update: 1 },
    changed: [{ name: "growth", op: "update", diffs: ["name"] }],
  });
  expect(writes(emulator)).toMatchObject([{ method: "PATCH", body: { name: "Growth and retention" } }]);

  expect(await stack.destroy()).toMatchObject({ code: 0, changes: { delete: 7 } });
  expect(emulator.store.invites.size).toBe(0);
  expect(emulator.unknownRoutes).toEqual([]);
});

function indented(resource: unknown): string {
  return JSON.stringify(resource, undefined, 4).replaceAll("\n", `\n${" ".repeat(12)}`);
}

test("with a service of one's own only the dashboards are declared", async () => {
  stack.env["POSTHOG_QUICKSTART"] = "dashboards";
  await stack.removeConfig("posthog-test:awsAccessKeyId");
  expect(await stack.preview()).toMatchObject({ code: 0, changes: { create: 2 } });
});
