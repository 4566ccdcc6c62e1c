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
    loaded.Collection.prototype.read = unshared(loaded.Collection);
  }
  return loaded;
};

/**
 * Each read is the first one of a collection of its own.
 *
 * @param {new (client: any, path: string) => { read(...what: any[]): Promise<unknown> }} Collection
 */
function unshared(Collection) {
  const { read } = Collection.prototype;
  /** @this {any} @param {any[]} what */
  return function (...what) {
    return read.apply(new Collection(this.client, this.path), what);
  };
}
