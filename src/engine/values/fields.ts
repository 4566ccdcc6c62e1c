import { z } from "zod";
import { meant } from "./names";

/** Values of secret schemas are wrapped as secrets by the constructor and shown in no message. */
const secretSchemas = z.registry<{ secret: true }>();

/** Marks the value of a schema as secret. */
export function secret<T extends z.ZodType>(schema: T): T {
  secretSchemas.add(schema, { secret: true });
  return schema;
}

/**
 * What stands in a declaration made from what the service says where it says nothing: a secret, for the person who
 * writes the program to fill in. No text that the service keeps holds a control character at its start.
 */
export const WITHHELD = "\u0001withheld";

/** True for a schema marked by {@link secret}. */
export function isSecret(schema: z.core.$ZodType): boolean {
  return secretSchemas.has(schema);
}

/** An object of exactly these keys. Unlike `z.strictObject` it keeps the keys' JSDoc in declaration files. */
export function strictObject<S extends z.core.$ZodShape>(shape: S): z.ZodObject<S, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? noSuchKeys(issue.keys, Object.keys(shape)) : undefined,
  });
}

/** What to say of keys that an object does not take. */
export function noSuchKeys(keys: readonly string[], allowed: readonly string[]): string {
  const named = keys.map((key) => {
    const near = meant(key, allowed);
    return near === undefined ? `"${key}"` : `"${key}" (did you mean "${near}"?)`;
  });
  return `has no key ${named.join(", ")}; allowed: ${allowed.join(", ")}`;
}

/** An object of these keys, without any others. Unlike `z.object` it keeps the keys' JSDoc in declaration files. */
export function plainObject<S extends z.core.$ZodShape>(shape: S): z.ZodObject<S> {
  return z.object(shape);
}

/** A string as the service keeps it: without surrounding white space. */
export function text(limits: { max?: number; min?: number } = {}): z.ZodString {
  let schema = z.string().trim();
  if (limits.min !== undefined) schema = schema.min(limits.min);
  if (limits.max !== undefined) schema = schema.max(limits.max);
  return schema;
}

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:\.(\d+))?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

/** A moment in ISO 8601 with a zone, kept as the service writes it: in UTC, with `Z`, to the microsecond. */
export function instant() {
  return z
    .string()
    .trim()
    .refine((value) => canonicalInstant(value) !== undefined, {
      error: 'must be an ISO 8601 time with a zone, such as "2026-01-31T00:00:00Z"',
    })
    .transform((value) => canonicalInstant(value) ?? value);
}

/** One spelling for each instant; undefined for what is none, such as a day that the month does not have. */
function canonicalInstant(value: string): string | undefined {
  const [, year, month, day, fraction = ""] = INSTANT.exec(value) ?? [];
  const parsed = new Date(value);
  if (year === undefined || Number.isNaN(parsed.getTime())) return undefined;
  // Date takes the 30th of February for a day in March.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCDate() !== Number(day)) return undefined;
  const seconds = parsed.toISOString().slice(0, 19);
  const microseconds = fraction.slice(0, 6).padEnd(6, "0");
  return microseconds === "000000" ? `${seconds}Z` : `${seconds}.${microseconds}Z`;
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;

/** An e-mail address, its domain in lower case as the service keeps it (the part before `@` stays as it is). */
export function email() {
  return text({ max: 254 })
    .regex(EMAIL, { error: 'must be an e-mail address, such as "ada@example.com"' })
    .transform((address) => {
      const split = address.lastIndexOf("@");
      return address.slice(0, split) + address.slice(split).toLowerCase();
    });
}

/** Whether two addresses are one person's: the service lets whoever reads it accept, however it is written. */
export function isSameAddress(a: unknown, b: unknown): boolean {
  return String(a).toLowerCase() === String(b).toLowerCase();
}

/** A set of labels as the service keeps them: trimmed, lower case, each once; sorted, as it keeps no order. */
export function tagSet() {
  return z
    .array(text({ min: 1, max: 255 }))
    .transform((tags) => [...new Set(tags.map((tag) => tag.toLowerCase()))].sort());
}

/** The number of an object of the service; a resource's id, which is text, names it as well. */
export function numericId() {
  const error = "must be the number of an object, such as 12, or the id of its resource";
  return z
    .union([z.int().positive({ error }), z.string().regex(/^[1-9]\d{0,15}$/, { error })], { error })
    .transform(Number);
}

/** The id of a project, kept as text: the service says it as a number, configuration and paths as text. */
export function projectNumber() {
  return z.union([text({ min: 1 }), z.int().positive().transform(String)], { error: "must be a string" });
}

/** A UUID in lower case. */
export function uuid() {
  return z
    .string()
    .trim()
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, {
      error: 'must be a UUID, such as "018f3d2c-0000-0000-0000-000000000000"',
    })
    .transform((value) => value.toLowerCase());
}

const namedSchemas = z.registry<{ names: Readonly<Record<string, number>> }>();

/** A number that may be written by its name; kept as the number. */
export function named<N extends string, V extends number>(names: Readonly<Record<N, V>>) {
  const entries = Object.entries<V>(names) as [N, V][]; // Object.entries forgets the key type
  const allowed = entries.map(([name, value]) => `${String(value)} ("${name}")`).join(", ");
  const schema = z.custom<N | V>(
    (value) => entries.some(([name, number]) => value === name || value === number),
    { error: `must be one of ${allowed}` },
  );
  namedSchemas.add(schema, { names });
  return schema.transform(
    (value): V => entries.find(([name, number]) => value === name || value === number)?.[1] ?? (value as V),
  );
}

/** The name that people write for a number, where a schema of {@link named} has one. */
export function nameOf(schema: z.core.$ZodType, value: unknown): string | undefined {
  const names = namedSchemas.get(schema)?.names ?? {};
  return Object.keys(names).find((name) => names[name] === value);
}

/** Membership level: 1 or `member`, 8 or `admin`, 15 or `owner`. */
export function level() {
  return named({ member: 1, admin: 8, owner: 15 });
}

/** Level in one project: 1 or `member`, 8 or `admin`. */
export function projectLevel() {
  return named({ member: 1, admin: 8 });
}

/** A free-form JSON object that travels verbatim: none of its keys is renamed. */
export function freeForm() {
  return z.record(z.string(), z.unknown());
}

/** Any JSON value that travels verbatim. */
export function anyJson() {
  return z.unknown();
}
