import type { Problem } from "../event/reasons";
import type { MappingArgument } from "../mapping";
import type { HeaderReader } from "./csv";

type ColumnType = "string" | "number" | "boolean" | "json";

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Columns of the service's own form that hold JSON, and those that are no properties. */
const captureJson = new Set(["properties", "$set", "$set_once"]);
const captureColumns = new Set(["event", "distinct_id", "timestamp", "uuid", "$insert_id", ...captureJson]);

/** A cell as JSON text; undefined where it is empty, since an empty cell holds nothing. */
function cellJson(cell: string, type: ColumnType, column: string): string | undefined | Problem {
  if (cell === "") return undefined;
  if (type === "string") return JSON.stringify(cell);
  const text = cell.trim();
  if (type === "number") {
    return jsonNumber.test(text) ? text : { reason: "csv-type", detail: `column ${column} is no number` };
  }
  if (type === "boolean") {
    const lower = text.toLowerCase();
    if (lower === "true" || lower === "1") return "true";
    if (lower === "false" || lower === "0") return "false";
    return { reason: "csv-type", detail: `column ${column} is neither true nor false` };
  }
  try {
    JSON.parse(text);
    return text;
  } catch {
    return { reason: "csv-type", detail: `column ${column} is no JSON` };
  }
}

interface Column {
  readonly index: number;
  readonly name: string;
  readonly key: string;
  readonly type: ColumnType;
}

function objectText(columns: readonly Column[], cells: readonly string[], before = ""): string | Problem {
  const members = before === "" ? [] : [before];
  for (const column of columns) {
    const json = cellJson(cells[column.index] ?? "", column.type, column.name);
    if (typeof json === "object") return json;
    if (json !== undefined) members.push(`${column.key}:${json}`);
  }
  return `{${members.join(",")}}`;
}

/** The members of the JSON object in the `properties` cell, without its braces. */
function propertyMembers(cell: string): string | Problem {
  const text = cell.trim();
  if (text === "") return "";
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return text.slice(1, -1).trim();
  } catch {
    return { reason: "csv-type", detail: "column properties is no JSON" };
  }
  return { reason: "properties-type" };
}

/** How the rows of a CSV file become the objects that a mapping expects. */
export function headerReader(mapping: MappingArgument | undefined): HeaderReader {
  return (header) => {
    const types = new Map(Object.entries(typeof mapping === "object" ? (mapping.columns ?? {}) : {}));
    const unknown = [...types.keys()].find((name) => !header.includes(name));
    if (unknown !== undefined) return { reason: "csv-header", detail: `column ${unknown} is missing` };
    const columns = header.map((name, index): Column => {
      const json = (mapping === undefined || mapping === "capture") && captureJson.has(name);
      return { index, name, key: JSON.stringify(name), type: types.get(name) ?? (json ? "json" : "string") };
    });
    const rowsHaveProperties = mapping === undefined || mapping === "capture" || mapping === "mixpanel";
    if (!rowsHaveProperties) return (cells) => objectText(columns, cells);
    if (!header.includes("event")) return { reason: "csv-header", detail: "column event is missing" };
    // In these forms a row's own columns are properties, beside those of the properties column.
    const outer = mapping === "mixpanel" ? new Set(["event", "properties"]) : captureColumns;
    const envelope = columns.filter(({ name }) => outer.has(name) && name !== "properties");
    const inner = columns.filter(({ name }) => !outer.has(name));
    const properties = header.indexOf("properties");
    return (cells) => {
      const before = propertyMembers(properties < 0 ? "" : (cells[properties] ?? ""));
      if (typeof before === "object") return before;
      const own = objectText(inner, cells, before);
      if (typeof own === "object") return own;
      const text = objectText(envelope, cells, `"properties":${own}`);
      return text;
    };
  };
}
