// @ts-check
// Applies a program by the package's own provider in a process that can be killed at any moment, with a state file
// that, like the engine's, is written only once a call has returned. For many more crashes than a CLI has time for.
//
// node driver.cjs OPERATION PROGRAM STATE RUNTIME STACK: OPERATION is up, fresh (an up with a refresh before it), refresh,
// destroy or preview (with a refresh that is not kept; ends with 2 where it finds something to do).
"use strict";
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const Module = require("node:module");

/** @typedef {{ class: string, name: string, args: Record<string, any>, opts?: { aliases?: { name: string }[] } }} Declared */
/** @typedef {{ class: string, id: string, inputs: any, outs: any, deps: string[], failed?: boolean }} Entry */
const [operation = "", programFile = "", stateFile = "", runtime = "", stack = ""] = process.argv.slice(2);

// Nothing here declares resources: what the classes extend need not be loaded, which takes half of a process's time.
/** @typedef {(request: string, ...rest: unknown[]) => unknown} Load */
const loader = /** @type {{ _load: Load }} */ (/** @type {unknown} */ (Module));
const load = loader._load.bind(loader);
const classes = { CustomResource: class {}, ComponentResource: class {}, Config: class {} };
/** @type {Load} */
const withoutPulumi = (request, ...rest) => (request === "@pulumi/pulumi" ? classes : load(request, ...rest));
loader._load = withoutPulumi;

const { provider } = /** @type {{ provider(type: string): any }} */ (require(runtime));
const TEXT = { __provider: "text" };
const PARALLEL = 8;
/** @type {Declared[]} */
const program = JSON.parse(readFileSync(programFile, "utf8"));
/** Class and logical name, as in the engine's URNs: two resources of one name are two. @param {Declared} declared */
const keyOf = ({ class: kind, name }) => `${kind}::${name}`;
const keys = new Map(program.map((declared) => [declared.name, keyOf(declared)]));
/** By class and name. @type {Map<string, Entry>} */
const state = new Map();
/** Replaced objects that are still to be deleted. @type {Map<string, Entry>} */
const doomed = new Map();
let failed = 0;

/** @typedef {{ at: "state" | "doomed", key: string, entry: Entry | null }} Line */
for (const line of existsSync(stateFile) ? readFileSync(stateFile, "utf8").split("\n") : []) {
  if (line !== "") keep(JSON.parse(line));
}

/** @param {Line} line */
function keep({ at, key, entry }) {
  const map = at === "doomed" ? doomed : state;
  if (entry === null) map.delete(key);
  else map.set(key, entry);
}

/** What one step changes is written at once. @param {Line[]} lines */
function save(...lines) {
  lines.forEach(keep);
  appendFileSync(stateFile, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** Lines by which a resource has another name from now on. @param {string} from @param {string} to @returns {Line[]} */
function renaming(from, to) {
  if (from === to) return [];
  const dependents = [...state].filter(([, { deps }]) => deps.includes(from));
  return [
    { at: "state", key: from, entry: null },
    ...dependents.map(([key, entry]) => ({
      at: /** @type {const} */ ("state"),
      key,
      entry: { ...entry, deps: entry.deps.map((one) => (one === from ? to : one)) },
    })),
  ];
}

/** What is left of values between the processes. @param {unknown} value */
const overTheWire = (value) => JSON.parse(JSON.stringify(value));

/** Keys of the resources that a value refers to. @param {unknown} value @returns {string[]} */
function references(value) {
  if (typeof value !== "object" || value === null) return [];
  const reference = /** @type {{ $ref?: unknown }} */ (value).$ref;
  if (typeof reference === "string") return [keys.get(reference.split(".")[0] ?? "") ?? ""];
  return Object.values(value).flatMap(references);
}

/** @param {unknown} value @returns {any} */
function resolved(value) {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== "object" || value === null) return value;
  const { $secret, $ref } = /** @type {{ $secret?: unknown, $ref?: unknown }} */ (value);
  if ($secret !== undefined) return resolved($secret);
  if (typeof $ref === "string") {
    const [name = "", output = ""] = $ref.split(".");
    const entry = state.get(keys.get(name) ?? "");
    if (entry === undefined) throw new Error(`${name} is not there to refer to`);
    return output === "id" ? entry.id : entry.outs[output];
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolved(member)]));
}

/** What the program's process hands to the engine. @param {Declared} declared */
function newsOf({ name, args }) {
  const secrets = Object.keys(args).filter((key) => JSON.stringify(args[key]).includes('"$secret"'));
  const marked = secrets.length === 0 ? {} : { __secret: secrets };
  return { ...resolved(args), __resource: name, __stack: stack, ...marked, ...TEXT };
}

/** @param {Declared} declared @param {Entry | undefined} old */
async function inputsOf(declared, old) {
  const checked = await provider(declared.class).check(old?.inputs ?? {}, newsOf(declared));
  if (checked.failures?.length) throw new Error(JSON.stringify(checked.failures));
  return { ...overTheWire(checked.inputs), ...TEXT };
}

/**
 * A write whose object is kept in the state even where it fails half way, as the engine does.
 * @param {Declared} declared @param {any} inputs @param {string} id @param {Line[]} besides what it changes besides
 * @param {() => Promise<any>} write
 */
async function keeping(declared, inputs, id, besides, write) {
  const rest = { class: declared.class, inputs, deps: references(declared.args) };
  /** @param {Omit<Entry, "class" | "inputs" | "deps">} made */
  const store = (made) =>
    save(...besides, { at: "state", key: keyOf(declared), entry: { ...rest, ...made } });
  try {
    const made = await write();
    store({ id: made.id ?? id, outs: { ...overTheWire(made.outs ?? {}), ...TEXT } });
  } catch (error) {
    const { id: partial, properties } = /** @type {{ id?: string, properties?: any }} */ (error);
    if (partial !== undefined) store({ id: partial, outs: overTheWire(properties), failed: true });
    throw error;
  }
}

/** The key under which the state has a resource, which may be an alias. @param {Declared} declared */
function storedKey({ class: kind, name, opts }) {
  const names = [name, ...(opts?.aliases ?? []).map((alias) => alias.name)];
  return names.map((one) => `${kind}::${one}`).find((key) => state.has(key));
}

/** @param {Declared} declared */
async function apply(declared) {
  const lifecycle = provider(declared.class);
  const [key, was] = [keyOf(declared), storedKey(declared)];
  const old = was === undefined ? undefined : state.get(was);
  const inputs = await inputsOf(declared, old);
  /** @type {Line[]} */
  let besides = [];
  if (old !== undefined && was !== undefined) {
    const { changes, replaces = [], deleteBeforeReplace } = await lifecycle.diff(old.id, old.outs, inputs);
    if (!changes && !old.failed) {
      if (was !== key) save(...renaming(was, key), { at: "state", key, entry: old });
      return;
    }
    if (!changes || replaces.length === 0) {
      await keeping(declared, inputs, old.id, renaming(was, key), () =>
        lifecycle.update(old.id, old.outs, inputs),
      );
      return;
    }
    if (deleteBeforeReplace) await removeWithDependents(was);
    // Once the new one is there, as in the engine.
    else besides = [...renaming(was, key), { at: "doomed", key: `${key} ${old.id}`, entry: old }];
  }
  const fresh = old === undefined ? inputs : await inputsOf(declared, undefined);
  await keeping(declared, fresh, "", besides, () => lifecycle.create(fresh));
}

/** @param {string} key */
async function removeWithDependents(key) {
  for (const [dependent, { deps }] of [...state])
    if (deps.includes(key)) await removeWithDependents(dependent);
  const entry = state.get(key);
  if (entry === undefined) return;
  await provider(entry.class).delete(entry.id, entry.outs);
  save({ at: "state", key, entry: null });
}

/** @param {unknown} error */
function note(error) {
  failed++;
  const { reasons } = /** @type {{ reasons?: string[] }} */ (error);
  console.error(reasons?.join("; ") ?? (error instanceof Error ? error.message : String(error)));
}

/**
 * Several at once, each once those are done that it waits for; where one of these fails, it is left alone.
 * @template T @param {readonly T[]} all @param {(one: T) => string} nameOf @param {(one: T) => string[]} waitsFor
 * @param {(one: T) => Promise<void>} work
 */
async function each(all, nameOf, waitsFor, work) {
  /** @type {Map<string, Promise<boolean>>} */
  const done = new Map();
  let running = 0;
  /** @type {(() => void)[]} */
  const queue = [];
  for (const one of all) {
    const before = waitsFor(one).flatMap((name) => done.get(name) ?? []);
    const run = async () => {
      if ((await Promise.all(before)).includes(false)) return false;
      if (running >= PARALLEL) await new Promise((resolve) => queue.push(() => resolve(undefined)));
      running++;
      try {
        await work(one);
        return true;
      } catch (error) {
        note(error);
        return false;
      } finally {
        running--;
        queue.shift()?.();
      }
    };
    done.set(nameOf(one), run());
  }
  await Promise.all(done.values());
}

/** Removes entries, those first that others do not depend on. @param {[string, Entry][]} entries */
async function removeAll(entries) {
  const dependents = (/** @type {[string, Entry]} */ [name]) =>
    entries.flatMap(([other, { deps }]) => (deps.includes(name) ? [other] : []));
  await each(
    [...entries].reverse(),
    ([name]) => name,
    dependents,
    ([name]) => removeWithDependents(name),
  );
}

/** @param {[string, Entry]} entry @returns {Promise<Entry | undefined>} */
async function seen([, entry]) {
  const { id, props, inputs } = await provider(entry.class).read(entry.id, entry.outs);
  if (id === undefined || id === "") return undefined;
  const { failed: _, ...rest } = entry;
  const outs = { ...overTheWire(props), ...TEXT };
  return {
    ...rest,
    id,
    outs,
    inputs: inputs === undefined ? entry.inputs : { ...overTheWire(inputs), ...TEXT },
  };
}

async function up() {
  await each(program, keyOf, ({ args }) => references(args), apply);
  if (failed > 0) return;
  await removeDoomed();
  await removeAll([...state].filter(([key]) => !isDeclared(key)));
}

/** @param {string} key */
const isDeclared = (key) => program.some((declared) => keyOf(declared) === key);

async function removeDoomed() {
  await each(
    [...doomed],
    ([key]) => key,
    () => [],
    async ([key, entry]) => {
      await provider(entry.class).delete(entry.id, entry.outs);
      save({ at: "doomed", key, entry: null });
    },
  );
}

async function fresh() {
  await refresh();
  if (failed === 0) await up();
}

async function refresh() {
  await each(
    [...state],
    ([name]) => name,
    () => [],
    async (entry) => {
      save({ at: "state", key: entry[0], entry: (await seen(entry)) ?? null });
    },
  );
}

async function destroy() {
  await removeDoomed();
  await removeAll([...state]);
}

/** What a preview with a refresh would show; nothing of it is kept. */
async function preview() {
  /** @type {string[]} */
  const found = [...doomed.keys()].map((name) => `delete replaced ${name}`);
  await each(
    [...state],
    ([name]) => name,
    () => [],
    async (entry) => {
      const now = await seen(entry);
      if (now === undefined) state.delete(entry[0]);
      else state.set(entry[0], now);
    },
  );
  await each(
    program,
    keyOf,
    ({ args }) => references(args),
    async (declared) => {
      const old = state.get(keyOf(declared));
      if (old === undefined) return void found.push(`create ${declared.class} ${declared.name}`);
      const inputs = await inputsOf(declared, old);
      const { changes, replaces = [] } = await provider(declared.class).diff(old.id, old.outs, inputs);
      if (!changes && !old.failed) return;
      const names = Object.keys({ ...old.inputs, ...inputs });
      const differing = names.filter(
        (key) => JSON.stringify(old.inputs[key]) !== JSON.stringify(inputs[key]),
      );
      const verb = replaces.length > 0 ? "replace" : "update";
      const what = differing.map(
        (key) => `${key}: ${JSON.stringify(old.outs[key])} → ${JSON.stringify(inputs[key])}`,
      );
      const todo = old.outs.__todo === undefined ? [] : [`still to do: ${JSON.stringify(old.outs.__todo)}`];
      found.push(`${verb} ${declared.class} ${declared.name}: ${[...what, ...todo].join("; ")}`);
    },
  );
  for (const key of state.keys()) if (!isDeclared(key)) found.push(`delete ${key}`);
  if (found.length > 0) console.error(found.join("\n"));
  return found.length;
}

/** @type {Record<string, () => Promise<number | void>>} */
const operations = { up, fresh, refresh, destroy, preview };
void operations[operation]?.().then((found) => {
  process.exit(failed > 0 ? 1 : found ? 2 : 0);
});
