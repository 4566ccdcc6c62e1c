// @ts-check
// Shows that the table of spellings guards every normaliser: takes each out of a copy of the sources in turn, and
// reports which spellings then are a difference. Fails where a normaliser is not missed, or a spelling does not miss
// the ones that it is listed for. Not part of `npm test`: `node scripts/mutate-normalisers.mjs [NAME]`.
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const copy = join(root, ".local", "mutants");

/**
 * @typedef {object} Mutation
 * @property {string} name As the spellings name it.
 * @property {string} file
 * @property {[find: string | RegExp, replace: string][]} edits
 */

/** @type {Mutation[]} */
const mutations = [
  { name: "trim", file: "src/engine/values/fields.ts", edits: [[/\.trim\(\)/g, ""]] },
  {
    name: "tags",
    file: "src/engine/values/fields.ts",
    edits: [["[...new Set(tags.map((tag) => tag.toLowerCase()))].sort()", "tags"]],
  },
  {
    name: "instants",
    file: "src/engine/values/fields.ts",
    edits: [["canonicalInstant(value) ?? value", "value"]],
  },
  {
    name: "email",
    file: "src/engine/values/fields.ts",
    edits: [["address.slice(split).toLowerCase()", "address.slice(split)"]],
  },
  {
    name: "case of members",
    file: "src/resources/member.ts",
    edits: [['who["email"].toLowerCase()', 'who["email"]']],
  },
  {
    name: "uuid",
    file: "src/engine/values/fields.ts",
    edits: [[".transform((value) => value.toLowerCase())", ""]],
  },
  {
    name: "named numbers",
    file: "src/engine/values/fields.ts",
    edits: [[/\(value\): V =>[^,]*, number[^,]*,/, "(value): V => value as V,"]],
  },
  {
    name: "null is not given",
    file: "src/engine/values/validate.ts",
    edits: [["if (value === undefined || value === null) {", "if (value === undefined) {"]],
  },
  {
    name: "empty is nothing",
    file: "src/engine/values/json.ts",
    edits: [["(isEmpty(a) && isEmpty(b)) || isEqual(a, b)", "isEqual(a, b)"]],
  },
  {
    name: "null is missing",
    file: "src/engine/values/json.ts",
    edits: [
      [
        "return [...keys].every((key) => isEqual(a[key] ?? null, b[key] ?? null));",
        "return [...keys].every((key) => key in a && key in b && isEqual(a[key], b[key]));",
      ],
    ],
  },
  {
    name: "order of keys",
    file: "src/engine/values/json.ts",
    edits: [
      [
        "if (!isObject(a) || !isObject(b)) return false;",
        "if (!isObject(a) || !isObject(b) || Object.keys(a).join() !== Object.keys(b).join()) return false;",
      ],
    ],
  },
  {
    name: "live values",
    file: "src/engine/values/wire.ts",
    edits: [["return parsed.success ? parsed.data : decoded;", "return decoded;"]],
  },
  {
    name: "not read back",
    file: "src/engine/state/state.ts",
    edits: [
      ["definition.writeOnly?.includes(name) === true ||", "false ||"],
      ["definition.local?.includes(name) === true ||", "false ||"],
    ],
  },
  {
    name: "waits",
    file: "src/engine/state/state.ts",
    edits: [
      ["return waits?.arguments.includes(name) === true && outputs[waits.output] !== true;", "return false;"],
    ],
  },
  {
    name: "secrets are not read back",
    file: "src/resources/destination-field.ts",
    edits: [
      [
        'const leftOut = secrets === "all" ? !(key in config) : secrets.includes(key);',
        "const leftOut = false;",
      ],
    ],
  },
  {
    name: "configurations merge",
    file: "src/resources/destination-field.ts",
    edits: [
      [
        "for (const [key, value] of Object.entries(configOf(stored))) {",
        "for (const [key, value] of Object.entries({ ...config, ...configOf(stored) })) {",
      ],
      ["typeOf(stored) === typeOf(wanted) &&", "isSame(stored, wanted) &&"],
    ],
  },
  {
    name: "filters cannot be emptied",
    file: "src/resources/dashboard.ts",
    edits: [["isEmpty(wanted) || isSame(stored, wanted)", "isSame(stored, wanted)"]],
  },
  {
    name: "url without its query",
    file: "src/resources/plugin.ts",
    edits: [['live === stored.split("?")[0] ? stored : live', "live === stored ? stored : live"]],
  },
];

/**
 * Runs the table and returns the titles that fail.
 * @returns {string[]}
 */
function failures() {
  const result = join(copy, "result.json");
  rmSync(result, { force: true });
  const jest = join(root, "node_modules", "jest", "bin", "jest.js");
  const args = [
    jest,
    "--rootDir",
    copy,
    "--config",
    join(copy, "jest.config.json"),
    "--json",
    "--outputFile",
    result,
  ];
  const run = spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });
  /** @type {{ testResults: { message: string, assertionResults: { status: string, ancestorTitles: string[], title: string }[] }[] }} */
  const report = JSON.parse(readFileSync(result, "utf8"));
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tests.length === 0) throw new Error(run.stderr);
  return tests.filter(({ status }) => status === "failed").map(({ title }) => title);
}

/**
 * What the spellings are listed for.
 * @returns {Map<string, string[]>}
 */
function listed() {
  const result = join(copy, "listed.json");
  const text = `const { spellings } = require("./guarantees/spellings");
    test("list", () => require("node:fs").writeFileSync(${JSON.stringify(result)}, JSON.stringify(
      spellings.map((spelling) => [spelling.class + ": " + spelling.title, spelling.by]))));`;
  writeFileSync(join(copy, "test", "listed.test.ts"), text);
  failures();
  rmSync(join(copy, "test", "listed.test.ts"));
  return new Map(JSON.parse(readFileSync(result, "utf8")));
}

rmSync(copy, { recursive: true, force: true });
mkdirSync(join(copy, "test", "engine"), { recursive: true });
cpSync(join(root, "src"), join(copy, "src"), { recursive: true });
cpSync(join(root, "test", "guarantees"), join(copy, "test", "guarantees"), { recursive: true });
for (const file of ["spellings.test.ts", "provider.ts"])
  cpSync(join(root, "test", "engine", file), join(copy, "test", "engine", file));
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
const swc = {
  sourceMaps: "inline",
  module: { type: "commonjs" },
  jsc: { target: "es2022", parser: { syntax: "typescript" } },
};
const jestConfig = {
  testMatch: ["<rootDir>/test/engine/*.test.ts", "<rootDir>/test/listed.test.ts"],
  transform: { "\\.ts$": ["@swc/jest", swc] },
  haste: { forceNodeFilesystemAPI: true },
  testTimeout: 60_000,
};
writeFileSync(join(copy, "jest.config.json"), JSON.stringify(jestConfig));

const by = listed();
const sound = failures();
if (sound.length > 0) throw new Error(`fails before anything is taken out:\n${sound.join("\n")}`);

const only = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
/** @type {Map<string, string[]>} */
const missedBy = new Map();
let problems = 0;
for (const { name, file, edits } of mutations.filter(
  (mutation) => only === undefined || mutation.name === only,
)) {
  const path = join(copy, file);
  const whole = readFileSync(path, "utf8");
  const mutant = edits.reduce((text, [find, replace]) => text.replace(find, replace), whole);
  if (mutant === whole) throw new Error(`${name}: ${file} does not hold what is to be taken out`);
  writeFileSync(path, mutant);
  const failed = failures();
  writeFileSync(path, whole);
  for (const title of failed) missedBy.set(title, [...(missedBy.get(title) ?? []), name]);
  const silent = [...by].filter(([title, names]) => names.includes(name) && !failed.includes(title));
  console.log(`without "${name}": ${failed.length} spellings are a difference`);
  for (const [title] of silent) console.log(`  NOT MISSED BY ${title}`);
  if (failed.length === 0) console.log("  MISSED BY NO SPELLING");
  problems += silent.length + Number(failed.length === 0);
}
if (process.argv.includes("--all"))
  for (const [title, names] of missedBy) console.log(`${title}: ${names.join(", ")}`);
if (only === undefined) {
  for (const [title] of by) {
    if (missedBy.has(title)) continue;
    console.log(`MISSES NOTHING: ${title}`);
    problems++;
  }
}
console.log(
  problems === 0
    ? "every normaliser is missed by each spelling that is listed for it"
    : `${problems} problems`,
);
process.exitCode = problems === 0 ? 0 : 1;
