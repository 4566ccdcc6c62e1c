import { ApiError, invalid } from "../http/errors";
import { isObject, type Json, type JsonObject } from "./json";
import { pythonText, pythonTypeName, strip } from "./python";
import { parseTime } from "./times";

/**
 * One field of a body, validated the way Django REST Framework does it: the same coercions, the same messages
 * and codes. `parse` throws the error without `attr`; `validate` adds the field's name.
 */
export interface Field<T, P extends Presence = "optional"> {
  readonly presence: P;
  readonly parse: (value: Json) => T;
}

type Presence = "required" | "optional";
type Shape = Readonly<Record<string, Field<unknown, Presence>>>;
type Parsed<F> = F extends Field<infer T, Presence> ? T : never;

/** Values of a body whose required fields are all there. */
export type Values<S extends Shape> = {
  [K in keyof S as S[K] extends Field<unknown> ? never : K]: Parsed<S[K]>;
} & { [K in keyof S as S[K] extends Field<unknown> ? K : never]?: Parsed<S[K]> };

/** Values of a partial body (PATCH). */
export type Changes<S extends Shape> = { [K in keyof S]?: Parsed<S[K]> };

/** Validates a whole body (POST, PUT). Keys that the shape does not name are ignored, as upstream does. */
export function validate<S extends Shape>(shape: S, body: Json): Values<S> {
  // The loop below builds exactly the keys of the mapped type, which TypeScript cannot follow.
  return collect(shape, body, false) as Values<S>;
}

/** Validates what a PATCH names and nothing else. */
export function validatePartial<S extends Shape>(shape: S, body: Json): Changes<S> {
  // As above.
  return collect(shape, body, true) as Changes<S>;
}

function collect(shape: Shape, body: Json, partial: boolean): Record<string, unknown> {
  if (body === null) throw invalid("No data provided", null, "null");
  if (!isObject(body)) {
    throw invalid(`Invalid data. Expected a dictionary, but got ${pythonTypeName(body)}.`);
  }
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape)) {
    const value = body[name];
    if (value === undefined) {
      if (field.presence === "required" && !partial)
        throw invalid("This field is required.", name, "required");
      continue;
    }
    values[name] = under(name, () => field.parse(value));
  }
  return values;
}

/** Runs a check and puts `name` in front of the `attr` of a validation error that it throws. */
export function under<T>(name: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    throw invalid(error.detail, error.attr === null ? name : `${name}__${error.attr}`, error.code);
  }
}

export function required<T>(field: Field<T>): Field<T, "required"> {
  return { ...field, presence: "required" };
}

export function nullable<T>(field: Field<T>): Field<T | null> {
  return { ...field, parse: (value) => (value === null ? null : field.parse(value)) };
}

/** Adds what upstream checks, or makes of the value, after the field's own rules. */
export function checked<T, U>(field: Field<T>, check: (value: T) => U): Field<U> {
  return { ...field, parse: (value) => check(field.parse(value)) };
}

function optional<T>(parse: (value: Exclude<Json, null>) => T): Field<T> {
  return {
    presence: "optional",
    parse: (value) => {
      if (value === null) throw invalid("This field may not be null.", null, "null");
      return parse(value);
    },
  };
}

/** `refusal` is what is said to a value that is no text. */
export function text({
  max,
  blank = false,
  refusal = "Not a valid string.",
}: { max?: number; blank?: boolean; refusal?: string } = {}): Field<string> {
  return optional((value) => {
    if (typeof value !== "string" && typeof value !== "number") throw invalid(refusal);
    const trimmed = strip(String(value));
    if (trimmed === "") {
      if (blank) return "";
      throw invalid("This field may not be blank.", null, "blank");
    }
    if (max !== undefined && [...trimmed].length > max) {
      throw invalid(`Ensure this field has no more than ${max} characters.`, null, "max_length");
    }
    if (trimmed.includes("\0")) {
      throw invalid("Null characters are not allowed.", null, "null_characters_not_allowed");
    }
    const half = /\p{Surrogate}/u.exec(trimmed)?.[0];
    if (half !== undefined) {
      const point = half.charCodeAt(0).toString(16).toUpperCase();
      const detail = `Surrogate characters are not allowed: U+${point}.`;
      throw invalid(detail, null, "surrogate_characters_not_allowed");
    }
    return trimmed;
  });
}

const TRUE_SPELLINGS = new Set(["t", "y", "yes", "true", "on", "1"]);
const FALSE_SPELLINGS = new Set(["f", "n", "no", "false", "off", "0"]);

export function boolean(): Field<boolean> {
  return optional((value) => {
    const spelling = typeof value === "object" ? "" : String(value).toLowerCase();
    if (TRUE_SPELLINGS.has(spelling)) return true;
    if (FALSE_SPELLINGS.has(spelling)) return false;
    throw invalid("Must be a valid boolean.");
  });
}

/** A boolean that may be unset; upstream reads "" and "null" as unset too. */
export function nullableBoolean(): Field<boolean | null> {
  const base = boolean();
  return {
    ...base,
    parse: (value) =>
      value === null || (typeof value === "string" && /^(null)?$/i.test(value)) ? null : base.parse(value),
  };
}

const LONGEST_NUMBER = 1000;

export function integer(): Field<number> {
  return optional((value) => {
    if (typeof value === "string" && value.length > LONGEST_NUMBER) {
      throw invalid("String value too large.", null, "max_string_length");
    }
    const number = typeof value === "number" ? value : typeof value === "string" ? wholeNumber(value) : NaN;
    if (!Number.isSafeInteger(number)) throw invalid("A valid integer is required.");
    return number;
  });
}

function wholeNumber(value: string): number {
  const match = /^\s*([+-]?\d+)(\.0*)?\s*$/.exec(value);
  return match ? Number(match[1]) : NaN;
}

export function choice<const T extends string | number>(choices: readonly T[]): Field<T> {
  return optional((value) => {
    const given = pythonText(value);
    const found = choices.find((candidate) => String(candidate) === given);
    if (found === undefined) throw invalid(`"${given}" is not a valid choice.`, null, "invalid_choice");
    return found;
  });
}

export function dateTime(): Field<string> {
  return optional((value) => {
    const parsed = typeof value === "string" ? parseTime(value) : undefined;
    if (!parsed) {
      throw invalid(
        "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].",
      );
    }
    if (parsed.beyond) throw invalid("Datetime value out of range.", null, "overflow");
    return parsed.text;
  });
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

export function uuid(): Field<string> {
  return optional((value) => {
    if (typeof value !== "string" || !UUID.test(value)) throw invalid("Must be a valid UUID.");
    return canonicalUuid(value);
  });
}

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

export function canonicalUuid(value: string): string {
  return value
    .toLowerCase()
    .replace(/-/g, "")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export function json(): Field<Exclude<Json, null>> {
  return optional((value) => value);
}

export function list(): Field<Json[]> {
  return optional((value) => {
    if (!Array.isArray(value)) {
      throw invalid(`Expected a list of items but got type "${pythonTypeName(value)}".`, null, "not_a_list");
    }
    return value;
  });
}

/** An object that has a shape of its own; its errors carry `outer__inner`. */
export function nested<S extends Shape>(shape: S): Field<Values<S>> {
  return optional((value) => validate(shape, inner(value)));
}

/** The same in a PATCH, which needs no required field at any depth. */
export function nestedPartial<S extends Shape>(shape: S): Field<Changes<S>> {
  return optional((value) => validatePartial(shape, inner(value)));
}

function inner(value: Json): Json {
  if (isObject(value)) return value;
  const detail = `Invalid data. Expected a dictionary, but got ${pythonTypeName(value)}.`;
  throw invalid(detail, "non_field_errors");
}

/** A dictionary of anything. */
export function dictionary(): Field<JsonObject> {
  return optional((value) => {
    if (isObject(value)) return value;
    const detail = `Expected a dictionary of items but got type "${pythonTypeName(value)}".`;
    throw invalid(detail, null, "not_a_dict");
  });
}
