// @ts-check
import { MADE, code, firstSentence, nested, program, table } from "./markdown.mjs";
import { traps } from "./traps.mjs";

/** @typedef {import("../../src/engine/definition.js").ResourceDefinition} Definition */
/** @typedef {import("./declarations.mjs").Declarations} Declarations */
/** @typedef {import("./declarations.mjs").Member} Member */

const COMMON = ["connection", "adoptId"];
const OUTPUT_HEAD = ["output", "type", "what it is"];
const PART_HEAD = ["key", "type", "what it is"];

/** @param {Definition} definition @param {Declarations} declarations @param {string} readme */
export function resourcePage(definition, declarations, readme) {
  const { type } = definition;
  const { text, example, remarks, destroy } = declarations.documented(type);
  const args = declarations.members(`${type}Args`);
  const names = new Set(args.map(({ name }) => name));
  const outputs = declarations.outputs(type).filter(({ name }) => !names.has(name));
  if (example === undefined) throw new Error(`${type} has no example`);
  const found = traps(definition, args);
  return [
    MADE,
    "",
    `# ${type}`,
    "",
    text,
    "",
    ...program(example),
    "## Arguments",
    "",
    ...table(
      ["argument", "type", "a change", "taken out", "what it is"],
      byNeed(args).map((member) => argumentRow(definition, member)),
    ),
    ...nested(args, PART_HEAD, partRow),
    "## Outputs",
    "",
    `Beside \`id\` and the arguments${outputs.length === 0 ? ": none." : ":"}`,
    "",
    ...table(OUTPUT_HEAD, outputs.map(outputRow)),
    ...nested(outputs, PART_HEAD, partRow),
    "## On destroy",
    "",
    `${destroy.charAt(0).toUpperCase()}${destroy.slice(1)}.`,
    "",
    "## Endpoints and scope",
    "",
    scopeLine(definition),
    "",
    ...table(["endpoint", "reached by"], endpoints(definition, readme)),
    ...(found.length + remarks.length === 0
      ? []
      : ["## Traps", "", ...[...remarks, ...found].map((trap) => `- ${trap}`), ""]),
    "## Take over, look up",
    "",
    takeOver(definition, names),
    "",
  ].join("\n");
}

/** @param {Definition} definition @param {ReadonlySet<string>} names */
function takeOver({ type, refine }, names) {
  if (!names.has("adoptId"))
    return `${code(type)} is an action: there is nothing to take over or to look up.`;
  const refused = refine?.({ adoptId: "1" }).find(({ argument }) => argument === "adoptId");
  if (refused) return `${code("adoptId")} ${refused.reason}.`;
  return (
    `${code("adoptId")} takes over what exists ([how](../how-to/adopt.md)); ` +
    `${code(`posthog.${type}.get(name, id)`)} looks it up without managing it.`
  );
}

/** @param {string} name @param {Declarations} declarations */
export function componentPage(name, declarations) {
  const { text, example, remarks } = declarations.documented(name);
  const args = declarations.members(`${name}Args`);
  if (example === undefined) throw new Error(`${name} has no example`);
  return [
    MADE,
    "",
    `# ${name}`,
    "",
    text,
    "",
    "A component: it is made of resources of this package alone, and has no endpoint of its own.",
    "",
    ...program(example),
    "## Arguments",
    "",
    ...table(["argument", "type", "what it is"], byNeed(args).map(partRow)),
    ...nested(args, PART_HEAD, partRow),
    "## Members",
    "",
    ...table(["member", "type", "what it is"], declarations.outputs(name).map(outputRow)),
    ...(remarks.length === 0 ? [] : ["## Traps", "", ...remarks.map((trap) => `- ${trap}`), ""]),
  ].join("\n");
}

/**
 * @param {readonly Definition[]} definitions
 * @param {readonly string[]} components
 * @param {Declarations} declarations
 * @param {(name: string) => string} fileOf
 */
export function indexPage(definitions, components, declarations, fileOf) {
  /** @param {string} name */
  const row = (name) => [`[${name}](${fileOf(name)})`, firstSentence(declarations.documented(name).text)];
  return [
    MADE,
    "",
    "# Resources",
    "",
    ...table(
      ["class", "what it is"],
      definitions.map(({ type }) => row(type)),
    ),
    "# Components",
    "",
    ...table(["class", "what it is"], components.map(row)),
  ].join("\n");
}

/** Those that have to be given first, those that every resource takes last. @param {readonly Member[]} members */
function byNeed(members) {
  const rank = (/** @type {Member} */ { name, needed }) => (COMMON.includes(name) ? 2 : needed ? 0 : 1);
  return [...members].sort((a, b) => rank(a) - rank(b));
}

/** @param {Definition} definition @param {Member} member */
function argumentRow(definition, member) {
  const { name, text, type, needed } = member;
  return [
    needed ? `**${code(name)}**` : code(name),
    code(type),
    change(definition, name),
    takenOut(definition, member),
    text,
  ];
}

/** @param {Definition} definition @param {string} name */
function change({ lifecycle, update, replaceOnChanges, local, transitions, waitsFor }, name) {
  if (name === "adoptId") return "counts only before it is in the state";
  if (name === "connection") return "sends nothing";
  if (update === "none" || replaceOnChanges.includes(name)) return "replaces";
  if (local?.includes(name)) return "sends nothing";
  if (lifecycle) return "sends nothing anew";
  const actions = Object.values(transitions?.[name] ?? {});
  if (actions.length > 0) return `updates, by ${actions.map((action) => code(`${action}/`)).join(" and ")}`;
  return waitsFor?.arguments.includes(name) ? `updates, once ${code(waitsFor.output)} is true` : "updates";
}

/** @param {Definition} definition @param {Member} member */
function takenOut({ clears, lifecycle, update, replaceOnChanges, local }, { name, needed }) {
  if (lifecycle) return "";
  if (needed || COMMON.includes(name) || update === "none" || replaceOnChanges.includes(name)) return "";
  if (name in clears) return code(JSON.stringify(clears[name]));
  return local?.includes(name) ? "" : "stays";
}

/** @param {Member} member */
function outputRow({ name, type, text }) {
  return [code(name), type === "" ? "" : code(type), text];
}

/** @param {Member} member */
function partRow({ name, type, text, needed }) {
  return [needed ? `**${code(name)}**` : code(name), code(type), text];
}

/** @param {Definition} definition */
function scopeLine({ keyScope }) {
  return keyScope === ""
    ? "Needs the project API key (`posthog:projectApiKey`), and no personal one."
    : `A personal API key needs the scope ${code(`${keyScope}:write`)} to change it, and ${code(`${keyScope}:read`)} to preview and refresh.`;
}

/**
 * The rows of README's table that are about a kind, which a test holds against the requests that are made.
 *
 * @param {Definition} definition
 * @param {string} readme
 */
function endpoints({ type, path }, readme) {
  const collection = path.replaceAll(/\{(\w+)\}/g, (_, /** @type {string} */ name) => `:${snake(name)}`);
  return [...readme.matchAll(/^\| `((?:GET|POST|PATCH|DELETE) (\/\S+?))` +\| (.+?) +\|$/gm)].flatMap(
    ([, endpoint = "", at = "", by = ""]) => {
      const isNamed = by.includes(code(type));
      const isRead = by.includes("refresh") && [collection, `${collection}:id/`].includes(at);
      return isNamed || isRead ? [[code(endpoint), by]] : [];
    },
  );
}

/** @param {string} name */
function snake(name) {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
