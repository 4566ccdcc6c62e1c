import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Arena, digestAt } from "../../src/ingest/wasm/arena";
import { fuzzLines, Reader } from "./differential";
import { eventLines, randomFrom } from "./support";

const root = path.resolve(__dirname, "..", "..");

test("the WebAssembly in the package is what assembly/ compiles to", () => {
  const script =
    'import("./scripts/build-wasm.mjs").then(async ({ compile }) => process.stdout.write(await compile()))';
  const compiled = execFileSync(process.execPath, ["-e", script], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 24,
  });
  expect(readFileSync(path.join(root, "src", "ingest", "wasm", "binary.ts"), "utf8")).toBe(compiled);
});

test.each([
  ["", "00000000000000000000000000000000"],
  ["hello", "029bbd41b3a7d8cb191dae486a901e5b"],
  ["The quick brown fox jumps over the lazy dog", "6c1b07bc7bbc4be347939ac4a93c437a"],
])("the hash is MurmurHash3, x64, 128 bits: %j", (text, digest) => {
  const arena = new Arena(65_536);
  const at = arena.reserve(1024);
  const length = arena.bytes.write(text, at);
  arena.machine.hash(at, length, digestAt);
  expect(arena.bytes.toString("hex", digestAt, digestAt + 16)).toBe(digest);
});

// npm test takes a few seconds of it, the soak as much as it is told.
const rounds = Number(process.env["FUZZ_ROUNDS"] ?? 700);

const variants = [
  {},
  { duplicates: "keep" },
  { rename: { "Old Name": "New Name", "Signed Up": "signup" } },
] as const;

test.each(variants)(
  "scanner and JSON.parse accept, refuse and send the same, with %j",
  (args) => {
    const random = randomFrom(Number(process.env["FUZZ_SEED"] ?? 20_260_101));
    const scanner = new Reader(true, args);
    const parser = new Reader(false, args);
    let lines = 0;
    let unclear = 0;
    let sent = 0;
    for (let round = 0; round < rounds; round++) {
      const text = fuzzLines(random, 20);
      const fast = scanner.read(text);
      const slow = parser.read(text);
      expect({ ...fast, unclear: 0 }).toEqual({ ...slow, unclear: 0 });
      lines += 20;
      unclear += Math.min(20, fast.unclear);
      sent += fast.lines.length;
    }
    // The comparison would mean nothing if the scanner left everything to JSON.parse, or if nothing were valid.
    expect(sent).toBeGreaterThan(lines * 0.2);
    expect(lines - unclear).toBeGreaterThan(lines * 0.2);
  },
  3_600_000,
);

test("nothing of ordinary lines is left to JSON.parse", () => {
  const text = Buffer.from(eventLines(0, 3000).join("\n"));
  const outcome = new Reader(true).read(text);
  expect(outcome.unclear).toBe(0);
  expect(outcome.lines).toHaveLength(3000);
  expect({ ...outcome, unclear: 0 }).toEqual({ ...new Reader(false).read(text), unclear: 0 });
});
