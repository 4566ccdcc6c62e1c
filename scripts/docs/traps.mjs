// @ts-check
// What surprises people, as far as a definition says it; what it does not say stands in the class's @remarks.
import { code } from "./markdown.mjs";

/**
 * @param {import("../../src/engine/definition.js").ResourceDefinition} definition
 * @param {readonly import("./declarations.mjs").Member[]} args
 * @returns {string[]}
 */
export function traps(definition, args) {
  const { clears, deleteBeforeReplace, local, replaceOnChanges, restore, update, waitsFor, writeOnly } =
    definition;
  const kept = args.filter(
    ({ name, needed }) =>
      !needed &&
      update !== "none" &&
      definition.lifecycle === undefined &&
      !(name in clears) &&
      !["connection", "adoptId", ...replaceOnChanges, ...(local ?? [])].includes(name),
  );
  // What only counts at creation cannot be changed there either.
  const unread = (writeOnly ?? []).filter((name) => !replaceOnChanges.includes(name));
  return [
    ...(deleteBeforeReplace ? ["A replacement removes the old one first: both cannot exist at once."] : []),
    ...(restore
      ? [
          "One that was deleted in PostHog is restored by the next `pulumi up`, and not made anew; preview says so.",
        ]
      : []),
    ...(unread.length > 0
      ? [`PostHog never says ${list(unread)}: a change that someone makes to it there is not seen.`]
      : []),
    ...(waitsFor
      ? [
          `${list(waitsFor.arguments)} ${is(waitsFor.arguments)} sent once ${code(waitsFor.output)} is true; until then there is no difference.`,
        ]
      : []),
    ...(kept.length > 0
      ? [
          `PostHog cannot empty ${list(kept.map(({ name }) => name))}: taken out of the program, it stays as it is, and a warning says so.`,
        ]
      : []),
  ];
}

/** @param {readonly string[]} names */
function list(names) {
  const quoted = names.map(code);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} and ${last}`;
}

/** @param {readonly string[]} names */
const is = (names) => (names.length === 1 ? "is" : "are");
