// @ts-check
// README's table of resources: what a kind's definition and the documentation of its class say, in a row.
import { code, firstSentence, table } from "./markdown.mjs";

/** @typedef {import("../../src/engine/definition.js").ResourceDefinition} Definition */
/** @typedef {import("./declarations.mjs").Declarations} Declarations */
/** @typedef {import("./declarations.mjs").Member} Member */

const BEGIN =
  "<!-- The table is made by scripts/docs.mjs from the code: change it there, then npm run docs. -->";
const END = "<!-- End of the table. -->";
const HEAD = ["class", "what it is", "updated in place", "replaced by a change of", "on destroy"];

/**
 * README with the table as it should be.
 *
 * @param {string} readme
 * @param {readonly Definition[]} definitions
 * @param {Declarations} declarations
 */
export function withResources(readme, definitions, declarations) {
  const [before, rest] = readme.split(`${BEGIN}\n`);
  const after = rest?.split(`${END}\n`)[1];
  if (before === undefined || after === undefined) throw new Error(`README lacks ${BEGIN} or ${END}`);
  const rows = definitions.map((definition) => row(definition, declarations));
  return [before, BEGIN, "\n\n", table(HEAD, rows).join("\n"), "\n", END, "\n", after].join("");
}

/** @param {Definition} definition @param {Declarations} declarations */
function row(definition, declarations) {
  const { text, destroy } = declarations.documented(definition.type);
  const { type, update, replaceOnChanges } = definition;
  return [
    code(type),
    fragment(firstSentence(text)),
    update === "none" ? "nothing" : replaceOnChanges.length === 0 ? "everything" : "everything else",
    replaced(definition, declarations.members(`${type}Args`)),
    destroy,
  ];
}

/** @param {Definition} definition @param {readonly Member[]} args */
function replaced({ update, replaceOnChanges, deleteBeforeReplace, refine }, args) {
  const order = deleteBeforeReplace ? " (old one first)" : "";
  const isAction = refine?.({ adoptId: "1" }).some(({ argument }) => argument === "adoptId");
  if (update === "none") return isAction ? "everything: it is done again" : `everything${order}`;
  const names = [...replaceOnChanges, ...inside(args)];
  return names.length === 0 ? "nothing" : `${names.map(code).join(", ")}${order}`;
}

/**
 * What is inside of an argument that is else updated: no definition names it, its documentation does.
 *
 * @param {readonly Member[]} args
 */
function inside(args) {
  const paths = args.flatMap(({ name, parts }) =>
    parts.flatMap(({ path, members }) =>
      members
        .filter(({ text }) => /\ba change replaces\b/i.test(text))
        .map((member) => `${name}${path}.${member.name}`),
    ),
  );
  return new Set(paths);
}

/** A sentence as it stands in a cell. @param {string} sentence */
function fragment(sentence) {
  const words = sentence.replace(/\.$/, "");
  // PostHog keeps its capitals.
  return /^[A-Z][a-z]* /.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
}
