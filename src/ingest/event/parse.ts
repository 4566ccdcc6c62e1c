import { isUtf8 } from "node:buffer";
import { members, type Span } from "./members";
import type { Problem, Reason } from "./reasons";

/** A JSON object with the text it was parsed from. */
export interface Parsed {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: Buffer;
  /** Where the values of the members stand in `text`. */
  readonly spans: ReadonlyMap<string, Span>;
}

/** The service's own parser stops at 128 levels, of which the request takes some. */
export const deepestLevel = 100;

/** Whether a parsed value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/**
 * What JSON.parse lets pass and the service's parser does not: it would refuse the whole request.
 * @param escapes whether a string can hold half a surrogate pair: only an escape can make one.
 */
function refused(value: unknown, level: number, escapes: boolean): Reason | undefined {
  if (typeof value === "string") return escapes && loneSurrogate.test(value) ? "lone-surrogate" : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "number-out-of-range";
  if (typeof value !== "object" || value === null) return undefined;
  if (level > deepestLevel) return "too-deep";
  if (escapes && !Array.isArray(value) && Object.keys(value).some((name) => loneSurrogate.test(name))) {
    return "lone-surrogate";
  }
  for (const item of Object.values(value)) {
    const reason = refused(item, level + 1, escapes);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Where JSON.parse stopped, without the text it quotes: that could be anything, and be long. */
function jsonDetail(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `at character ${Number(position) + 1}`;
  return message.includes("end of JSON") || message.includes("Unterminated")
    ? "it ends too early"
    : "malformed";
}

/** Parses one JSON object, kept with its original bytes. */
export function parseObject(text: Buffer): Parsed | Problem {
  if (!isUtf8(text)) return { reason: "not-utf8" };
  const source = text.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    return { reason: "not-json", detail: jsonDetail(error) };
  }
  if (!isObject(value)) return { reason: "not-an-object" };
  const reason = refused(value, 1, source.includes("\\u"));
  return reason === undefined ? { value, text, spans: members(text) } : { reason };
}
