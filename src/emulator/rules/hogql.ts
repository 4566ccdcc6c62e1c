import { invalid } from "../http/errors";
import type { ExportSchema } from "../store/entities";

/**
 * The part of HogQL that batch exports accept: `SELECT fields FROM events`, with what follows but no joins,
 * unions or common tables. The query is stored as its fields and printed anew, so it does not come back as it
 * was written.
 */
export function parseExportQuery(query: string): ExportSchema {
  // Words inside of texts are no syntax.
  const { masked, texts } = maskTexts(query.trim().replace(/;$/, ""));
  if (/^with\b/i.test(masked)) throw invalid("Failed to parse query");
  if (!/^select\b/i.test(masked) || !balanced(masked)) throw invalid("Failed to parse query");
  if (/\bunion\b/i.test(masked)) throw invalid("UNIONs are not supported");
  const parts = /^select\s+(?<fields>.+?)(?:\s+from\s+(?<table>[^\s,]+)(?<rest>.*))?$/is.exec(masked);
  if (!parts?.groups) throw invalid("Failed to parse query");
  const { fields = "", table, rest = "" } = parts.groups;
  if (table === undefined) throw invalid("Query must SELECT FROM events");
  if (table.toLowerCase() !== "events") throw invalid("Query must only SELECT FROM events");
  if (/\bjoin\b/i.test(rest) || rest.trimStart().startsWith(",")) throw invalid("JOINs are not supported");

  const restore = (text: string): string =>
    text.replace(/'(\d+)'/g, (_, index: string) => texts[Number(index)] ?? "");
  const columns = splitColumns(fields).map((column) => collapse(column));
  if (columns.some((column) => column === "")) throw invalid("Failed to parse query");
  return {
    fields: columns.map((column) => {
      const alias = /^(?<expression>.+?)\s+as\s+(?<alias>[A-Za-z_]\w*|`[^`]+`)$/i.exec(column);
      const expression = restore(alias?.groups?.["expression"] ?? column);
      return { expression, alias: alias?.groups?.["alias"]?.replaceAll("`", "") ?? expression };
    }),
    values: {},
    hogql_query: restore(upperCaseKeywords(collapse(`select ${columns.join(", ")} from events${rest}`))),
  };
}

function maskTexts(query: string): { masked: string; texts: string[] } {
  const texts: string[] = [];
  const masked = query.replace(/'(?:[^'\\]|\\.|'')*'/gs, (text) => `'${texts.push(text) - 1}'`);
  return { masked, texts };
}

function collapse(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function upperCaseKeywords(query: string): string {
  return query.replace(
    /\b(select|from|where|and|or|not|as|order by|group by|limit|asc|desc|in|like|is|null)\b/gi,
    (word) => word.toUpperCase(),
  );
}

function balanced(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Splits at commas outside of parentheses. */
function splitColumns(fields: string): string[] {
  const columns: string[] = [];
  let depth = 0;
  let column = "";
  for (const char of fields) {
    if (char === "(" || char === "[") depth++;
    if (char === ")" || char === "]") depth--;
    if (char === "," && depth === 0) {
      columns.push(column);
      column = "";
    } else {
      column += char;
    }
  }
  return [...columns, column];
}
