/** What JSON can say. Everything handed to the engine and to the service is of this type. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** Properties as the engine hands them over: JSON that nobody has looked at yet. */
export type Props = Record<string, unknown>;

/** What a text says; undefined where it is no JSON, such as a line that was cut off. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for a plain object (no array, no null). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for what the service treats as "nothing there": null, missing, "", [] and {}. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every((member) => member === undefined || member === null);
}

/**
 * True where two values mean the same: what is empty equals what is missing, objects regardless of the order of
 * their keys. Inside a value only null and a missing key are the same, since the engine and the service each turn
 * the one into the other; `{"sync": {}}` of a free-form argument is another value than `{}`.
 */
export function isSame(a: unknown, b: unknown): boolean {
  return (isEmpty(a) && isEmpty(b)) || isEqual(a, b);
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((member, index) => isEqual(member, b[index]))
    );
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isEqual(a[key] ?? null, b[key] ?? null));
}

/**
 * The value as JSON, with `undefined` dropped. The dynamic provider's host fails on `undefined`, dates and
 * functions only after the request was made, which would leave an object behind that no state knows.
 */
export function toJson(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (isObject(value)) return toJsonObject(value);
  return null;
}

/** {@link toJson} of an object: keys that hold `undefined` vanish. */
export function toJsonObject(value: Props): JsonObject {
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) result[key] = toJson(member);
  }
  return result;
}

/** The value at a dotted path (`user.uuid`), or undefined. */
export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

/** The text or number at a dotted path as text; "" where there is neither. */
export function textAt(value: unknown, path: string): string {
  const found = at(value, path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}
