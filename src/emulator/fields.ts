import { ApiError, invalid } from "./errors";
import { isObject, type Json } from "./json";
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

export function text({ max, blank = false }: { max?: number; blank?: boolean } = {}): Field<string> {
  return optional((value) => {
    if (typeof value !== "string" && typeof value !== "number") throw invalid("Not a valid string.");
    const trimmed = String(value).trim();
    if (trimmed === "") {
      if (blank) return "";
      throw invalid("This field may not be blank.", null, "blank");
    }
    if (trimmed.includes("\0")) {
      throw invalid("Null characters are not allowed.", null, "null_characters_not_allowed");
    }
    if (max !== undefined && [...trimmed].length > max) {
      throw invalid(`Ensure this field has no more than ${max} characters.`, null, "max_length");
    }
    return trimmed;
  });
}

const EMAIL =
  /^[-!#$%&'*+/=?^_`{}|~0-9A-Z]+(\.[-!#$%&'*+/=?^_`{}|~0-9A-Z]+)*@([A-Z0-9]([A-Z0-9-]{0,61}[A-Z0-9])?\.)+[A-Z0-9-]{2,63}$/i;

export function email(): Field<string> {
  const base = text({ max: 254 });
  return checked(base, (value) => {
    if (!EMAIL.test(value)) throw invalid("Enter a valid email address.");
    return value;
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

export function integer(): Field<number> {
  return optional((value) => {
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
    const given = typeof value === "object" ? JSON.stringify(value) : String(value);
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
  return optional((value) => validate(shape, value));
}

function pythonTypeName(value: Json): string {
  if (value === null) return "NoneType";
  if (Array.isArray(value)) return "list";
  const names = {
    boolean: "bool",
    number: Number.isInteger(value) ? "int" : "float",
    string: "str",
    object: "dict",
  };
  const type = typeof value;
  return type in names ? names[type as keyof typeof names] : type;
}
