// @ts-check

/** A table; nothing where it has no rows. @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  if (rows.length === 0) return [];
  // A bar inside a cell would end it, in code as well.
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""];
}

/** @param {string} text */
export const code = (text) => `\`${text}\``;

/** A text up to the end of its first sentence, or to the colon before what explains it. @param {string} text */
export function firstSentence(text) {
  const end = /^(?:`[^`]*`|[^`])*?(?=[.:](?:\s|$))/s.exec(text)?.[0] ?? text;
  return `${end}.`;
}

/** Put at the head of every page that is made. */
export const MADE = "<!-- Made by scripts/docs.mjs from the code: change it there, then npm run docs. -->";

/**
 * An example as a program that runs by itself: with the imports that it needs.
 *
 * @param {string} example
 */
export function program(example) {
  const modules = [
    ["pulumi", "@pulumi/pulumi"],
    ["cloudflare", "@pulumi/cloudflare"],
    ["posthog", "pulumi-posthog"],
  ];
  const imports = modules
    .filter(([name]) => new RegExp(`\\b${name}\\.`).test(example))
    .map(([name, from]) => `import * as ${name} from "${from}";`);
  return ["```typescript", ...imports, "", example.trim(), "```", ""];
}

/**
 * Tables of what the values in a table consist of, each below a title of its own.
 *
 * @param {readonly import("./declarations.mjs").Member[]} members
 * @param {readonly string[]} head
 * @param {(member: import("./declarations.mjs").Member) => string[]} row
 * @param {string} [above] path of what they belong to
 * @param {string} [form] which form of it
 * @returns {string[]}
 */
export function nested(members, head, row, above = "", form = "") {
  return members.flatMap(({ name, parts }) =>
    parts.flatMap(({ path, when, members: inner }) => {
      const whole = `${above}${name}${path}`;
      const of = when === undefined ? form : ` of type ${code(when.replaceAll('"', ""))}`;
      return [
        `### ${code(whole)}${of}`,
        "",
        ...table(head, inner.map(row)),
        ...nested(inner, head, row, `${whole}.`, of),
      ];
    }),
  );
}
