// @ts-check
// Preloaded into the provider: each read asks for itself, as if nothing were shared. The rest of the package is as it is.
"use strict";
const Module = require("node:module");

/** @typedef {(request: string, ...rest: any[]) => any} Load */
const loader = /** @type {{ _load: Load }} */ (/** @type {unknown} */ (Module));

const load = loader._load;
let isDone = false;
loader._load = (/** @type {string} */ request, /** @type {any[]} */ ...rest) => {
  const loaded = load.call(Module, request, ...rest);
  if (!isDone && request.endsWith("/collection") && typeof loaded.Collection === "function") {
    isDone = true;
    loaded.Collection.prototype.read = alone;
  }
  return loaded;
};

/** @this {any} @param {string} id @param {any} spec @param {any} options */
async function alone(id, spec, options) {
  if (spec.single) return await this.readSingle(id, options);
  for await (const page of this.client.pages(this.path, options)) {
    const found = page.find((/** @type {unknown} */ item) => spec.idOf(item) === id);
    if (found !== undefined) return found;
  }
  return undefined;
}
