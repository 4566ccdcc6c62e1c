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
  expect(at(400, 47)).toBe(0);
  expect(at(600, 48)).toBe(1);
});

test("it is measured by what was alive after the last time", () => {
  const { at } = world();
  expect(at(0, 60)).toBe(1);
  expect(at(10_000, 49)).toBe(1);
  expect(at(10_200, 50)).toBe(2);
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

  /** Leaves 40 MB of the old generation behind, and waits for them to go, or for so long. */
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
      if (used() > 60e6 && Date.now() - began < Number(process.argv[2])) return;
      clearInterval(look);
      console.log(JSON.stringify({ isCollected: used() <= 60e6, flags }));
    }, 50);`;

  async function begun(place: string, waitMs: number): Promise<{ isCollected: boolean; flags: string[] }> {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, "index.js"), script);
    const run = spawned(process.execPath, [join(folder, place, "index.js"), String(waitMs)], {
      cwd: ROOT,
      env: process.env,
      timeoutMs: 120_000,
    });
    const ended = await run.done;
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    return JSON.parse(ended.stdout) as { isCollected: boolean; flags: string[] };
  }

  test("the provider's collects, and does not optimise WebAssembly", async () => {
    const { isCollected, flags } = await begun("cmd/dynamic-provider", 60_000);
    expect(isCollected).toBe(true);
    expect(flags).toEqual(expect.arrayContaining(["--expose-gc", "--no-wasm-tier-up"]));
  });

  // V8 may collect by itself; without a flag nobody else can have.
  test("a program's is left alone", async () => {
    expect((await begun("cmd/run", 2000)).flags).toEqual([]);
  });
});
