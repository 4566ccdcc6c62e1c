/** Any value that a JSON text can hold. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a JSON text. @throws SyntaxError */
export function parseJson(text: string): Json {
  // What JSON.parse returns is exactly this type, which its declaration leaves open.
  return JSON.parse(text) as Json;
}

/** Python's idea of truth, which decides in several upstream handlers whether a value counts as given. */
export function isTruthy(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}
