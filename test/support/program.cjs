// @ts-check
// The program of a test's stack: declares what `program.json` beside it says (its form: declared.ts).
"use strict";
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const pulumi = require("@pulumi/pulumi");

/** @type {import("./declared").Program} */
const program = JSON.parse(readFileSync(join(__dirname, "program.json"), "utf8"));
const classes = /** @type {Record<string, any>} */ (require(program.module));
/** @type {Map<string, any>} */
const made = new Map();

for (const { class: kind, name, args = {}, opts = {}, get } of program.resources) {
  const Class = classes[kind];
  if (typeof Class !== "function") throw new Error(`${program.module} exports no class ${kind}`);
  const { dependsOn, parent, ...rest } = opts;
  const options = {
    .../** @type {object} */ (lift(rest)),
    ...(dependsOn === undefined ? {} : { dependsOn: dependsOn.map(resource) }),
    ...(parent === undefined ? {} : { parent: resource(parent) }),
  };
  made.set(
    name,
    get
      ? Class.get(name, lift(get.id), get.state && lift(get.state), options)
      : new Class(name, lift(args), options),
  );
}

module.exports = lift(program.outputs);

/** @param {unknown} value @returns {any} */
function lift(value) {
  if (Array.isArray(value)) return value.map(lift);
  if (typeof value !== "object" || value === null) return value;
  const [[form, inner] = ["", undefined], ...more] = Object.entries(value);
  if (more.length === 0 && form.startsWith("$")) {
    if (form === "$ref") return reference(String(inner));
    if (form === "$secret") return pulumi.secret(lift(inner));
    if (form === "$unknown") return unknownInPreview(inner);
    if (form === "$config") return configured(String(inner));
    if (form !== "$schema") throw new Error(`program.json: ${form} is no known form`);
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, lift(part)]));
}

/** @param {string} name */
function resource(name) {
  if (!made.has(name)) throw new Error(`program.json: no resource ${name} is declared before`);
  return made.get(name);
}

/** @param {string} path */
function reference(path) {
  const [name = "", first, ...rest] = path.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
  if (first === undefined) return resource(name);
  const output = resource(name)[first];
  if (output === undefined) throw new Error(`program.json: ${name} has no output ${first}`);
  return output.apply((/** @type {any} */ value) => rest.reduce((at, key) => at?.[key], value));
}

/** @param {unknown} value */
function unknownInPreview(value) {
  const known = Promise.resolve(!pulumi.runtime.isDryRun());
  const Output = /** @type {any} */ (pulumi.Output);
  return new Output(
    new Set(),
    Promise.resolve(value),
    known,
    Promise.resolve(false),
    Promise.resolve(new Set()),
  );
}

/** @param {string} key */
function configured(key) {
  const [namespace = "", name = ""] = key.split(":");
  const config = new pulumi.Config(namespace);
  const { isConfigSecret } = /** @type {{ isConfigSecret(key: string): boolean }} */ (
    /** @type {any} */ (pulumi.runtime)
  );
  return isConfigSecret(key) ? config.requireSecret(name) : config.require(name);
}
