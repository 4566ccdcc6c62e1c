import type { Json } from "./json";

/** What upstream's language makes of values, where answers show it. */

/** Whether Python's `strip` takes a character off: JavaScript's `trim` knows other ones. */
function isBlank(character: string): boolean {
  if (character === "\ufeff") return false;
  return (
    character.trim() === "" || (character >= "\u001c" && character <= "\u001f") || character === "\u0085"
  );
}

/** Python's `strip`. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charAt(start))) start++;
  while (end > start && isBlank(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Python's `str`. */
export function pythonText(value: Json): string {
  return typeof value === "string" ? value : pythonRepr(value);
}

function pythonRepr(value: Json): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    return quote + value.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`) + quote;
  }
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, inner]) => `${pythonRepr(key)}: ${pythonRepr(inner)}`)
    .join(", ")}}`;
}

/** The name of the value's type in Python. */
export function pythonTypeName(value: Json): string {
  if (value === null) return "NoneType";
  if (Array.isArray(value)) return "list";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  return { boolean: "bool", string: "str", object: "dict" }[typeof value as "boolean" | "string" | "object"];
}
