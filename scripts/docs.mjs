// @ts-check
// `node scripts/docs.mjs` writes what docs/ says of resources, components, functions and policies, and README's table of
// resources, from their documentation in the code and from their definitions; `--check` only says whether it is current,
// as `npm run lint` does.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as prettier from "prettier";
import { Declarations } from "./docs/declarations.mjs";
import { functionsPage } from "./docs/functions.mjs";
import { policiesPage } from "./docs/policies.mjs";
import { withResources } from "./docs/readme.mjs";
import { componentPage, indexPage, resourcePage } from "./docs/resources.mjs";
import { ROOT, SetupError, log, runMain, setup } from "./setup.mjs";

const RESOURCES = "docs/resources";
const COMPONENTS = ["Team", "VerifiedDomain"];

/** Every page that is made, in whole or in part, by its path. @returns {Promise<Map<string, string>>} */
async function pages() {
  const declarations = new Declarations(join(ROOT, "dist", "index.d.ts"));
  /** @type {{ definitions: readonly import("../src/engine/definition.js").ResourceDefinition[] }} */
  const { definitions } = await import(join(ROOT, "dist", "resources", "definitions.js"));
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const definition of definitions) {
    texts.set(`${RESOURCES}/${fileOf(definition.type)}`, resourcePage(definition, declarations, readme));
  }
  for (const name of COMPONENTS) texts.set(`${RESOURCES}/${fileOf(name)}`, componentPage(name, declarations));
  texts.set(`${RESOURCES}/README.md`, indexPage(definitions, COMPONENTS, declarations, fileOf));
  texts.set("docs/functions.md", functionsPage(declarations));
  const policies = new Declarations(join(ROOT, "dist", "policy", "index.d.ts"));
  /** @type {typeof import("../src/policy/index.js")} */
  const { posthogPolicies } = await import(join(ROOT, "dist", "policy", "index.js"));
  texts.set("docs/policies.md", policiesPage(policies, posthogPolicies));
  texts.set("README.md", withResources(readme, definitions, declarations));
  const options = await prettier.resolveConfig(join(ROOT, "README.md"));
  for (const [path, text] of texts) {
    texts.set(path, await prettier.format(text, { ...options, parser: "markdown" }));
  }
  return texts;
}

/** @param {string} name A class, such as `BatchExport`. */
function fileOf(name) {
  return `${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase()}.md`;
}

/** @param {Map<string, string>} texts @returns {Promise<string[]>} paths of what is not as it should be */
async function stale(texts) {
  const wrong = [];
  for (const [path, text] of texts) {
    if ((await readFile(join(ROOT, path), "utf8").catch(() => undefined)) !== text) wrong.push(path);
  }
  const present = await readdir(join(ROOT, RESOURCES)).catch(() => []);
  return [...wrong, ...present.map((name) => `${RESOURCES}/${name}`).filter((path) => !texts.has(path))];
}

await runMain(async () => {
  await setup();
  const texts = await pages();
  const wrong = await stale(texts);
  if (process.argv.includes("--check")) {
    if (wrong.length === 0) return 0;
    throw new SetupError(`not current: ${wrong.join(", ")} (npm run docs)`);
  }
  await mkdir(join(ROOT, RESOURCES), { recursive: true });
  for (const path of wrong) {
    const text = texts.get(path);
    if (text === undefined) await rm(join(ROOT, path));
    else await writeFile(join(ROOT, path), text);
  }
  log(wrong.length === 0 ? "docs: current" : `docs: wrote ${wrong.join(", ")}`);
  return 0;
});
