import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { evaluate } from "./workshop";

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "setup-"))));
afterEach(() => rmSync(root, { recursive: true }));

const lock = (packages: Record<string, object>): string => JSON.stringify({ packages });

test.each<[string, Record<string, object> | undefined, boolean]>([
  ["what the lockfile names", { "node_modules/a": { version: "1.0.0" } }, true],
  ["nothing", undefined, false],
  ["another version", { "node_modules/a": { version: "1.0.1" } }, false],
  ["too little", {}, false],
  [
    "more than the lockfile names",
    { "node_modules/a": { version: "1.0.0" }, "node_modules/z": { version: "2.0.0" } },
    true,
  ],
  [
    "another version of an optional one",
    { "node_modules/a": { version: "1.0.0" }, "node_modules/o": { version: "8.0.0" } },
    false,
  ],
])(
  "dependencies are installed anew unless they are what the lockfile names: %s",
  async (_, present, installed) => {
    const wanted = {
      "": {},
      "node_modules/a": { version: "1.0.0" },
      "node_modules/o": { version: "9.0.0", optional: true },
    };
    writeFileSync(join(root, "package-lock.json"), lock(wanted));
    if (present) {
      mkdirSync(join(root, "node_modules"));
      writeFileSync(join(root, "node_modules", ".package-lock.json"), lock(present));
    }
    expect(await evaluate("setup.mjs", `m.isInstalled(${JSON.stringify(root)})`)).toBe(installed);
  },
);

test.each([
  ["20.18.1", null],
  ["22.0.0", null],
  ["20.18.0", { error: expect.stringMatching(/^Node 20\.18\.1 or newer is needed, this is 20\.18\.0\./) }],
  ["18.20.4", { error: expect.stringContaining("https://nodejs.org/") }],
])("Node %s", async (version, said) => {
  expect(await evaluate("setup.mjs", `m.checkNode(${JSON.stringify(version)})`)).toEqual(said);
});

describe("the lock of work that must not be done twice", () => {
  const locked = (text: string, age = 0): string => {
    const file = join(root, "work.lock");
    writeFileSync(file, text);
    return `(await import("node:fs")).utimesSync(${JSON.stringify(file)}, new Date(), new Date(Date.now() - ${age})),
      await m.withLock(${JSON.stringify(file)}, async () => "done", { timeoutMs: 300, pollMs: 20 })`;
  };
  const here = `"host": ${JSON.stringify(hostname())}`;

  test.each([
    [
      "of a living process",
      `{"pid": ${process.pid}, ${here}}`,
      0,
      { error: expect.stringContaining(`process ${process.pid}`) },
    ],
    ["of a process that is gone", `{"pid": 4194303, ${here}}`, 0, "done"],
    [
      "of another machine",
      `{"pid": 4194303, "host": "elsewhere.example"}`,
      0,
      { error: expect.stringContaining("too long") },
    ],
    [
      "of another machine, silent for minutes",
      `{"pid": 4194303, "host": "elsewhere.example"}`,
      120_000,
      "done",
    ],
    ["cut off by a crash", `{"pi`, 120_000, "done"],
  ])("%s", async (_, text, age, result) => {
    expect(await evaluate("lib/lock.mjs", locked(text, age))).toEqual(result);
  });
});
