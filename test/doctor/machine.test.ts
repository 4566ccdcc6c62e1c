import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackages } from "../../src/doctor/machine";
import { ROOT } from "../support/engine";
import { ensureBuilt } from "../package/built";

let folder: string;
beforeAll(ensureBuilt);
// Outside of this repository, whose own TypeScript every program below it finds.
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "doctor-"));
  mkdirSync(join(folder, "node_modules", "@pulumi"), { recursive: true });
  install("@pulumi/pulumi", join(ROOT, "node_modules", "@pulumi", "pulumi"));
  install("pulumi-posthog", ROOT);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(name: string, from: string): void {
  symlinkSync(from, join(folder, "node_modules", name), "junction");
}

test("a TypeScript program that brings no compiler would get Pulumi's, which is too old", () => {
  writeFileSync(join(folder, "index.ts"), "");
  expect(checkPackages(folder)).toMatchObject({
    status: "failed",
    said: expect.stringContaining("does not find typescript"),
    remedy: `Run npm install --save-dev typescript@5 in ${folder}.`,
  });
});

test("a TypeScript program that brings its compiler is well", () => {
  writeFileSync(join(folder, "index.ts"), "");
  install("typescript", join(ROOT, "node_modules", "typescript"));
  expect(checkPackages(folder)).toMatchObject({ status: "ok" });
});

test("a JavaScript program needs none", () => {
  writeFileSync(join(folder, "index.js"), "");
  expect(checkPackages(folder)).toMatchObject({ status: "ok" });
});
