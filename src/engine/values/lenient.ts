import type { z } from "zod";
import { isObject } from "./json";

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/**
 * The value of a service that writes what the schema wants in another simple type: numbers and booleans as text, or
 * texts of digits as numbers. Undefined where it still does not fit.
 */
export function parseLeniently<T>(schema: z.ZodType<T>, value: unknown): { data: T } | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed;
  const again = schema.safeParse(mend(value, parsed.error));
  return again.success ? again : undefined;
}

/** The value with every part that does not fit written in its other type, whether that helps or not. */
export function mended(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  return parsed.success ? value : mend(value, parsed.error);
}

function mend(value: unknown, error: z.ZodError): unknown {
  return error.issues.reduce((whole, { path }) => rewrite(whole, path), value);
}

function rewrite(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return otherType(value);
  if (Array.isArray(value)) {
    return value.map((member, index) => (index === key ? rewrite(member, rest) : (member as unknown)));
  }
  if (!isObject(value) || typeof key === "symbol" || !(key in value)) return value;
  return { ...value, [key]: rewrite(value[String(key)], rest) };
}

function otherType(value: unknown): unknown {
  if (typeof value === "number") return String(value);
  if (value === "true" || value === "false") return value === "true";
  return typeof value === "string" && NUMBER.test(value) ? Number(value) : value;
}

/** A number that may be written as text; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && NUMBER.test(value) ? Number(value) : undefined;
}
