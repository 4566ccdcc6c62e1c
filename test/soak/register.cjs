// @ts-check
// Lets plain node run the soak's TypeScript, compiled the way that the tests compile it.
"use strict";
const { readFileSync } = require("node:fs");
const Module = require("node:module");
const { transformSync } = require("@swc/core");

/** @typedef {{ _compile(code: string, file: string): void }} Compiling */
/** @type {{ _extensions: Record<string, (module: Compiling, file: string) => void> }} */
const loader = /** @type {any} */ (Module);
loader._extensions[".ts"] = (/** @type {Compiling} */ module, /** @type {string} */ file) => {
  const { code } = transformSync(readFileSync(file, "utf8"), {
    filename: file,
    sourceMaps: "inline",
    // ES modules are imported, not required.
    module: { type: "commonjs", ignoreDynamic: true },
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
  });
  module._compile(code, file);
};
