// @ts-check
// Keeps what V8 made of the packages' code between the node processes of the tests' stacks: each operation starts two
// that load the same 500 files, and a quarter of their time is compiling these. The code is kept as it is after a run,
// with the functions that the run called, and found again by the digest of its text, so that it is never another's.
"use strict";
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname, join, sep } = require("node:path");
const v8 = require("node:v8");
const vm = require("node:vm");

/** @typedef {{ paths: string[], exports: unknown, require(id: string): unknown }} Loading */
/** @typedef {(this: Loading, text: string, file: string, ...more: unknown[]) => unknown} Compile */
const loader =
  /** @type {{ prototype: { _compile: Compile }, wrapper: string[], wrap(text: string): string,
   *   _extensions: object, _cache: object,
   *   _resolveFilename(request: string, parent: Loading, isMain: boolean, options?: object): string,
   *   _resolveLookupPaths(request: string, parent: Loading): string[] }} */ (
    /** @type {unknown} */ (Module)
  );

const ROOT = join(__dirname, "..", "..");
const DIST = join(ROOT, "dist") + sep;
const PACKAGES = `${sep}node_modules${sep}`;
/** The provider is killed, not ended: what it compiled is kept once it has compiled nothing for this long. */
const QUIET_MS = 200;
/** Several times what one version of everything takes; beyond it, code of old versions is let go. */
const MAX_BYTES = 16 << 20;

/** @param {string} role Name of the file that keeps the code. */
function keepCompiled(role) {
  const file = join(ROOT, ".local", "compiled", `${role}-${process.version}-${process.arch}`);
  const kept = read(file);
  /** Compiled here and not yet taken out of V8. @type {Map<string, vm.Script>} */
  const fresh = new Map();
  /** Taken out, and not yet written. @type {Map<string, Buffer>} */
  const made = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  const take = () => {
    for (const [key, script] of fresh) made.set(key, script.createCachedData());
    fresh.clear();
  };
  const save = () => {
    clearTimeout(timer);
    take();
    if (made.size > 0) write(file, made);
    made.clear();
  };

  // V8 takes code back under the flags alone that it was taken out under, and Pulumi sets one while it loads.
  const setFlags = v8.setFlagsFromString;
  v8.setFlagsFromString = (flags) => {
    take();
    setFlags(flags);
  };
  process.on("exit", save);

  const compile = loader.prototype._compile;
  /** @type {Compile} */
  const compileOnce = function (text, name, ...more) {
    if (!(name.includes(PACKAGES) || name.startsWith(DIST)) || text.startsWith("#!"))
      return compile.call(this, text, name, ...more);
    const key = createHash("sha1").update(text).digest("base64");
    const cachedData = kept.get(key);
    const script = new vm.Script(loader.wrap(text), {
      filename: name,
      columnOffset: -(loader.wrapper[0] ?? "").length,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    if (script.cachedDataRejected !== false) {
      fresh.set(key, script);
      clearTimeout(timer);
      timer = setTimeout(save, QUIET_MS).unref();
    }
    const body = /** @type {Function} */ (script.runInThisContext());
    return Reflect.apply(body, this.exports, [this.exports, requireOf(this), this, name, dirname(name)]);
  };
  loader.prototype._compile = compileOnce;
}

/** The `require` of a module, as node makes it. @param {Loading} module */
function requireOf(module) {
  const resolve = Object.assign(
    (/** @type {string} */ request, /** @type {object} */ options) =>
      loader._resolveFilename(request, module, false, options),
    { paths: (/** @type {string} */ request) => loader._resolveLookupPaths(request, module) },
  );
  return Object.assign((/** @type {string} */ id) => module.require(id), {
    resolve,
    main: /** @type {{ mainModule?: unknown }} */ (process).mainModule, // a preloaded file has no `require.main`
    extensions: loader._extensions,
    cache: loader._cache,
  });
}

/** @param {string} file @returns {Map<string, Buffer>} */
function read(file) {
  try {
    const bytes = readFileSync(file);
    const start = 4 + bytes.readUInt32LE(0);
    /** @type {[string, number, number][]} */
    const index = JSON.parse(bytes.toString("latin1", 4, start));
    return new Map(index.map(([key, from, to]) => [key, bytes.subarray(start + from, start + to)]));
  } catch {
    return new Map(); // none is kept yet
  }
}

/** Adds to what is kept by now, perhaps by others. @param {string} file @param {ReadonlyMap<string, Buffer>} made */
function write(file, made) {
  const older = [...read(file)].filter(([key]) => !made.has(key));
  const fits = older.reduce((sum, [, { length }]) => sum + length, 0) < MAX_BYTES;
  const all = [...(fits ? older : []), ...made];
  const fresh = `${file}.${process.pid}`;
  let at = 0;
  const index = JSON.stringify(all.map(([key, { length }]) => [key, at, (at += length)]));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(Buffer.byteLength(index));
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(fresh, Buffer.concat([size, Buffer.from(index), ...all.map(([, code]) => code)]));
    renameSync(fresh, file);
  } catch {
    rmSync(fresh, { force: true }); // a full disk costs time, no test
  }
}

module.exports = { keepCompiled };
