import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { enginePath, ROOT } from "../support/engine";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "npm-test-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** `npm test` over files of this folder instead of the project's. */
function npmTest(files: Record<string, string>): Promise<{ code: number; last: string; said: string }> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const config = JSON.stringify({ rootDir: folder, testMatch: ["**/*.check.js"] });
  const env = { ...process.env, PULUMI_POSTHOG_ENGINE: enginePath() };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(ROOT, "scripts", "test.mjs"), "--config", config], { env });
    let said = "";
    let output = "";
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    child.stderr.on("data", (chunk) => (said += String(chunk)));
    child.on("close", (code) =>
      resolve({ code: code ?? -1, last: output.trim().replace(/^.*\n/s, ""), said }),
    );
  });
}

test("all tests pass: the last line says so, and the exit code is 0", async () => {
  const { code, last, said } = await npmTest({
    "a.check.js": 'test("one", () => {}); test("two", () => {}); test.skip("three", () => {});',
  });
  expect({ code, last }).toEqual({ code: 0, last: "2 passed, 0 failed, 1 skipped" });
  expect(said).toContain("PASS");
});

test("a failing test, and a file that cannot be loaded, are failures", async () => {
  const { code, last, said } = await npmTest({
    "a.check.js": 'test("one", () => {}); test("two", () => { throw new Error("not two"); });',
    "b.check.js": 'require("./not-there"); test("three", () => {});',
  });
  expect({ code, last }).toEqual({ code: 1, last: "1 passed, 2 failed" });
  expect(said).toContain("not two");
});

test("no test at all is a failure", async () => {
  const { code, last } = await npmTest({});
  expect(code).toBe(1);
  expect(last).toMatch(/^0 passed/);
});
