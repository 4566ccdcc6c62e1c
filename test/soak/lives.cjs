// @ts-check
// Runs the driver inside this process, in an instance of the package of its own: a process that starts takes ten times
// as long as what it then does. It is cut off instead of killed: from one moment on, nothing of it reaches the network
// or the disk any more and nothing comes back, which is all that anybody else can see of a process that is dead.
"use strict";
const { EventEmitter } = require("node:events");
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join, sep } = require("node:path");
const { compileFunction } = require("node:vm");

const DRIVER = join(__dirname, "driver.cjs");
/** What the client loads of undici. @type {string} */
const POOL = "undici/lib/dispatcher/pool.js";
const PARAMETERS = ["exports", "require", "module", "__filename", "__dirname"];
const OWN = ["process", "console", "setTimeout", "setInterval"];

/** @typedef {{ readonly exitCode: number | null, readonly isOver: boolean, readonly output: string, kill(): boolean, once(event: "exit", listener: () => void): unknown }} Living */

/** Compiled once, instantiated in every life. @type {Map<string, Function>} */
const compiled = new Map();

/** @param {string} file */
function functionOf(file) {
  const known = compiled.get(file);
  if (known !== undefined) return known;
  const made = compileFunction(readFileSync(file, "utf8"), [...PARAMETERS, ...OWN], { filename: file });
  compiled.set(file, made);
  return made;
}

/** What a life has open, to be taken away at its end. */
class Life extends EventEmitter {
  /** @type {number | null} */
  exitCode = null;
  isOver = false;
  output = "";
  /** @type {{ destroy(): Promise<void> }[]} */
  pools = [];
  /** @type {Set<NodeJS.Timeout>} */
  timers = new Set();
  /** @type {Set<{ close(): Promise<void> }>} */
  files = new Set();

  kill() {
    if (this.isOver) return false;
    this.end(null);
    return true;
  }

  /** @param {number | null} code */
  end(code) {
    if (this.isOver) return;
    this.isOver = true;
    this.exitCode = code;
    for (const timer of this.timers) clearTimeout(timer);
    for (const file of this.files) file.close().catch(() => undefined);
    for (const pool of this.pools) pool.destroy().catch(() => undefined);
    this.emit("exit", code);
  }

  /**
   * Lets through what is asked while it lives, and answers nothing afterwards.
   * @param {(...rest: any[]) => any} work @returns {(...rest: any[]) => Promise<any>}
   */
  gate(work) {
    const never = () => new Promise(() => undefined);
    return async (...rest) => {
      // A method, since it becomes true while something is waited for.
      const isOver = () => this.isOver;
      if (isOver()) return await never();
      try {
        const value = this.gated(await work(...rest));
        if (!isOver()) return value;
        for (const file of this.files) await file.close().catch(() => undefined);
        return await never();
      } catch (error) {
        if (isOver()) return await never();
        throw error;
      }
    };
  }

  /** An open file, whose methods stop with the life. @param {any} value */
  gated(value) {
    if (value?.constructor?.name !== "FileHandle") return value;
    this.files.add(value);
    return new Proxy(value, {
      get: (handle, key) => {
        const member = handle[key];
        return typeof member === "function" ? this.gate(member.bind(handle)) : member;
      },
    });
  }
}

/**
 * @param {{ args: readonly string[], folder: string, dist: string, env: Readonly<Record<string, string | undefined>> }} given
 * @returns {Living}
 */
function live({ args, folder, dist, env }) {
  const life = new Life();
  /** @type {Map<string, { exports: any }>} */
  const modules = new Map();
  /** @param {unknown[]} parts */
  const say = (...parts) => {
    if (!life.isOver) life.output += `${parts.map(String).join(" ")}\n`;
  };
  const own = [
    new Proxy(process, {
      get(real, key) {
        if (key === "argv") return ["node", DRIVER, ...args];
        if (key === "cwd") return () => folder;
        if (key === "env") return env;
        if (key === "exit") return (/** @type {number} */ code) => life.end(code);
        const member = Reflect.get(real, key);
        return typeof member === "function" ? member.bind(real) : member;
      },
    }),
    { ...console, log: say, error: say, warn: say },
    ...[setTimeout, setInterval].map((start) => (/** @type {[any, any]} */ ...rest) => {
      const timer = start(...rest);
      life.timers.add(timer);
      return timer;
    }),
  ];
  const Pool = /** @type {any} */ (require(POOL));
  /** @type {Record<string, unknown>} */
  const replaced = {
    "@pulumi/pulumi": { CustomResource: class {}, ComponentResource: class {}, Config: class {} },
    "node:module": { _load: () => undefined },
    "node:fs": {
      ...require("node:fs"),
      appendFileSync: (/** @type {[string, string]} */ ...rest) => {
        if (!life.isOver) require("node:fs").appendFileSync(...rest);
      },
    },
    "node:fs/promises": Object.fromEntries(
      Object.entries(require("node:fs/promises")).map(([name, member]) => [
        name,
        typeof member === "function" ? life.gate(member) : member,
      ]),
    ),
    [POOL]: class extends Pool {
      /** @param {any[]} rest */
      constructor(...rest) {
        super(...rest);
        life.pools.push(/** @type {any} */ (this));
      }
    },
  };

  /** @param {string} file @returns {any} */
  const load = (file) => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: /** @type {any} */ ({}) };
    modules.set(file, module);
    const real = createRequire(file);
    const find = (/** @type {string} */ name) => {
      if (name in replaced) return replaced[name];
      const path = real.resolve(name);
      return path.startsWith(dist + sep) ? load(path) : real(path);
    };
    functionOf(file)(module.exports, find, module, file, dirname(file), ...own);
    if (file === join(dist, "client", "transport.js")) module.exports.send = life.gate(module.exports.send);
    const { Poster } = module.exports;
    if (typeof Poster === "function") Poster.prototype.post = gatedMethod(life, Poster.prototype.post);
    return module.exports;
  };
  load(DRIVER);
  return life;
}

/** @param {Life} life @param {(...rest: any[]) => any} method */
function gatedMethod(life, method) {
  /** @this {any} @param {any[]} rest */
  return function (...rest) {
    return life.gate(() => method.apply(this, rest))();
  };
}

module.exports = { live };
