import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collector } from "../../src/provider-memory";
import { ROOT } from "../support/engine";
import { spawned } from "../support/spawned";

const MB = 1_000_000;

/** What is used and what time it is, as a test says; collecting takes 50 ms and leaves 30 MB. */
function world() {
  const now = { used: 28 * MB, ms: 0, collections: 0 };
  const { look } = collector(
    () => now.used,
    () => {
      now.collections++;
      now.used = 30 * MB;
      now.ms += 50;
    },
    () => now.ms,
  );
  return {
    at(ms: number, used: number): number {
      Object.assign(now, { ms, used: used * MB });
      look();
      return now.collections;
    },
  };
}

test("what was there from the start is not collected, nor is a little more", () => {
  const { at } = world();
  expect(at(200, 28)).toBe(0);
  expect(at(400, 39)).toBe(0);
  expect(at(600, 40)).toBe(1);
});

test("it is measured by what was alive after the last time", () => {
  const { at } = world();
  expect(at(0, 60)).toBe(1);
  expect(at(10_000, 41)).toBe(1);
  expect(at(10_200, 42)).toBe(2);
});

test("however much is left behind, collecting takes a thirtieth of the time at most", () => {
  const { at } = world();
  expect(at(0, 100)).toBe(1);
  expect(at(1549, 100)).toBe(1);
  expect(at(1550, 100)).toBe(2);
});

describe("the process that loads the runtime", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "memory-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Leaves 40 MB of the old generation behind, and waits for them to go or for two seconds. */
  const script = `
    const v8 = require("node:v8");
    const set = v8.setFlagsFromString, flags = [];
    v8.setFlagsFromString = (flag) => { flags.push(flag); set(flag); };
    require(${JSON.stringify(join(ROOT, "dist", "runtime.js"))});
    const used = () => v8.getHeapSpaceStatistics().find((space) => space.space_name === "old_space").space_used_size;
    let kept = [];
    while (used() < 80e6) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
    kept = undefined;
    const began = Date.now();
    const look = setInterval(() => {
      if (used() > 60e6 && Date.now() - began < 2000) return;
      clearInterval(look);
      console.log(JSON.stringify({ isCollected: used() <= 60e6, flags }));
    }, 50);`;

  test.each([
    ["cmd/dynamic-provider", { isCollected: true, optimises: false }],
    ["cmd/run", { isCollected: false, optimises: true }],
  ])("%s", async (place, { isCollected, optimises }) => {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, "index.js"), script);
    const run = spawned(process.execPath, [join(folder, place, "index.js")], {
      cwd: ROOT,
      env: process.env,
      timeoutMs: 60_000,
    });
    const ended = await run.done;
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const found = JSON.parse(ended.stdout) as { isCollected: boolean; flags: string[] };
    expect(found.isCollected).toBe(isCollected);
    expect(found.flags.includes("--no-wasm-tier-up")).toBe(!optimises);
    if (optimises) expect(found.flags).toEqual([]);
  });
});
