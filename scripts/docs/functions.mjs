// @ts-check
import { MADE, code, nested, table } from "./markdown.mjs";

/** @typedef {import("./declarations.mjs").Declarations} Declarations */
/** @typedef {import("./declarations.mjs").Member} Member */

/** @param {Declarations} declarations */
export function functionsPage(declarations) {
  const names = declarations
    .names()
    .filter((name) => /^get[A-Z]/.test(name) && !name.endsWith("Output"))
    .sort();
  return [
    MADE,
    "",
    "# Data functions",
    "",
    "They ask PostHog from the program and manage nothing. Every page of a list is followed, and the same question is " +
      "asked once in a run. Each has a form for arguments that are outputs of resources: its name and `Output`, which " +
      "answers with an output.",
    "",
    ...names.flatMap((name) => functionPart(name, declarations)),
  ].join("\n");
}

/** @param {string} name @param {Declarations} declarations */
function functionPart(name, declarations) {
  const { args, result } = declarations.call(name);
  /** @param {Member} member */
  const row = ({ name: member, type, text, needed }) => [
    needed ? `**${code(member)}**` : code(member),
    code(type),
    text,
  ];
  const isList = result.text.startsWith("list of");
  const members = result.parts.flatMap((part) => part.members).sort(inOrder);
  return [
    `## ${name}`,
    "",
    declarations.documented(name).text,
    "",
    ...table(["argument", "type", "what it is"], args.map(row)),
    ...nested(args, ["key", "type", "what it is"], row),
    isList ? "Answers a list, each entry with:" : "Answers:",
    "",
    ...(members.length === 0
      ? [code(result.text), ""]
      : table(
          ["field", "type", "what it is"],
          members.map((member) => row({ ...member, needed: false })),
        )),
  ];
}

/**
 * As declared, what a resource says as well before what only the function does: the order in which the compiler has the
 * members of an `Omit` changes with what else there is in the package.
 *
 * @param {Member} a @param {Member} b
 */
function inOrder({ place: a }, { place: b }) {
  return a.file === b.file ? a.at - b.at : a.file < b.file ? 1 : -1;
}
