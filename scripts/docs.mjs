// @ts-check
// `node scripts/docs.mjs` writes what docs/ says of resources, components, functions and policies, from their
// documentation in the code and from their definitions; `--check` only says whether it is current, as `npm run lint`
// does.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as prettier from "prettier";
import { Declarations } from "./docs/declarations.mjs";
import { functionsPage } from "./docs/functions.mjs";
import { policiesPage } from "./docs/policies.mjs";
import { componentPage, indexPage, resourcePage } from "./docs/resources.mjs";
import { ROOT, SetupError, log, runMain, setup } from "./setup.mjs";

const DOCS = join(ROOT, "docs");
const RESOURCES = join(DOCS, "resources");
const COMPONENTS = ["Team", "VerifiedDomain"];

/** Every generated page by its path below docs. @returns {Promise<Map<string, string>>} */
async function pages() {
  const declarations = new Declarations(join(ROOT, "dist", "index.d.ts"));
  /** @type {{ definitions: readonly import("../src/engine/definition.js").ResourceDefinition[] }} */
  const { definitions } = await import(join(ROOT, "dist", "resources", "definitions.js"));
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const definition of definitions) {
    texts.set(`resources/${fileOf(definition.type)}`, resourcePage(definition, declarations, readme));
  }
  for (const name of COMPONENTS) texts.set(`resources/${fileOf(name)}`, componentPage(name, declarations));
  texts.set("resources/README.md", indexPage(definitions, COMPONENTS, declarations, fileOf));
  texts.set("functions.md", functionsPage(declarations));
  const policies = new Declarations(join(ROOT, "dist", "policy", "index.d.ts"));
  /** @type {typeof import("../src/policy/index.js")} */
  const { posthogPolicies } = await import(join(ROOT, "dist", "policy", "index.js"));
  texts.set("policies.md", policiesPage(policies, posthogPolicies));
  const options = await prettier.resolveConfig(join(DOCS, "any.md"));
  for (const [path, text] of texts) {
    texts.set(path, await prettier.format(text, { ...options, parser: "markdown" }));
  }
  return texts;
}

/** @param {string} name A class, such as `BatchExport`. */
function fileOf(name) {
  return `${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase()}.md`;
}

/** @param {Map<string, string>} texts @returns {Promise<string[]>} paths below docs that are not what they should be */
async function stale(texts) {
  const wrong = [];
  for (const [path, text] of texts) {
    if ((await readFile(join(DOCS, path), "utf8").catch(() => undefined)) !== text) wrong.push(path);
  }
  const present = await readdir(RESOURCES).catch(() => []);
  return [...wrong, ...present.map((name) => `resources/${name}`).filter((path) => !texts.has(path))];
}

await runMain(async () => {
  await setup();
  const texts = await pages();
  const wrong = await stale(texts);
  if (process.argv.includes("--check")) {
    if (wrong.length === 0) return 0;
    throw new SetupError(`not current: ${wrong.map((path) => `docs/${path}`).join(", ")} (npm run docs)`);
  }
  await mkdir(RESOURCES, { recursive: true });
  for (const path of wrong) {
    const text = texts.get(path);
    if (text === undefined) await rm(join(DOCS, path));
    else await writeFile(join(DOCS, path), text);
  }
  log(wrong.length === 0 ? "docs: current" : `docs: wrote ${wrong.map((path) => basename(path)).join(", ")}`);
  return 0;
});
