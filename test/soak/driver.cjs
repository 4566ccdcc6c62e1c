// @ts-check
// Applies a program by the package's own provider in a process that can be killed at any moment, with a state file
// that, like the engine's, is written only once a call has returned. For many more crashes than a CLI has time for.
"use strict";
const { appendFileSync, existsSync, readFileSync } = require("node:fs");

/** @typedef {{ class: string, name: string, args: Record<string, unknown> }} Declared */
const [programFile = "", stateFile = "", runtime = "", parallel = "8"] = process.argv.slice(2);
const { provider } = /** @type {{ provider(type: string): any }} */ (require(runtime));
/** @type {Declared[]} */
const program = JSON.parse(readFileSync(programFile, "utf8"));
/** @type {Map<string, { id: string, inputs: any, outs: any }>} */
const state = new Map();
if (existsSync(stateFile)) {
  for (const line of readFileSync(stateFile, "utf8").split("\n")) {
    if (line === "") continue;
    const { name, ...entry } = JSON.parse(line);
    if (entry.id === undefined) state.delete(name);
    else state.set(name, entry);
  }
}
/** @param {string} name @param {object} entry */
const save = (name, entry) => appendFileSync(stateFile, `${JSON.stringify({ name, ...entry })}\n`);
/** @param {unknown} value @returns {any} */
const plain = (value) => {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if ("$secret" in value) return value.$secret;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
};

/** @param {Declared} declared */
async function apply({ class: kind, name, args }) {
  const lifecycle = provider(kind);
  const news = { ...plain(args), __resource: name, __stack: "organization/soak/driver", __provider: "text" };
  const old = state.get(name);
  const checked = await lifecycle.check(old?.inputs ?? {}, news);
  if (checked.failures?.length) throw new Error(JSON.stringify(checked.failures));
  const inputs = { ...checked.inputs, __provider: "text" };
  if (old !== undefined) {
    const { changes, replaces } = await lifecycle.diff(old.id, old.outs, inputs);
    if (!changes) return;
    if (replaces.length === 0) {
      const { outs } = await lifecycle.update(old.id, old.outs, inputs);
      save(name, { id: old.id, inputs, outs: { ...outs, __provider: "text" } });
      return;
    }
    await lifecycle.delete(old.id, old.outs);
    save(name, {});
  }
  const { id, outs } = await lifecycle.create(inputs);
  save(name, { id, inputs, outs: { ...outs, __provider: "text" } });
}

/** Like the engine: several at once, in the program's order; what failed is told at the end. */
async function main() {
  let failed = 0;
  const queue = [...program];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await apply(next).catch((/** @type {unknown} */ error) => {
        failed++;
        console.error(error instanceof Error ? error.message : String(error));
      });
    }
  };
  await Promise.all(Array.from({ length: Number(parallel) }, work));
  process.exit(failed > 0 ? 1 : 0);
}
void main();
