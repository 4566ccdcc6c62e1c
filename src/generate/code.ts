import { isObject } from "../engine/values/json";

/** A name of another file of the program. */
export interface Use {
  readonly name: string;
  /** The file that exports it, without `.ts`. */
  readonly from: string;
  /** What the file as a whole is called where it is imported as one, so that sixty names are no sixty lines. */
  readonly as?: string;
}

/** A piece of program that is no literal. */
export class Code {
  constructor(
    readonly text: string,
    readonly use: Use,
    /** What is written where the file that would export the name no longer does, since somebody edited it. */
    readonly literal?: string | number,
  ) {}
}

/** What an argument is written as. */
export type Written = null | boolean | number | string | Code | readonly Written[] | WrittenObject;

/** An object of what is written. */
export interface WrittenObject {
  readonly [key: string]: Written;
}

/** Whether a name can be used; where it cannot, its literal is written. */
export type Available = (use: Use) => boolean;

/** The text of a value; members of an object at the outer level stand on a line each. */
export function printValue(value: Written, available: Available, outer = false): string {
  if (value instanceof Code) {
    return value.literal === undefined || available(value.use) ? value.text : JSON.stringify(value.literal);
  }
  if (isList(value)) return `[${value.map((member) => printValue(member, available)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${printKey(key)}: ${printValue(member, available)}`,
  );
  return outer ? `{\n${members.join(",\n")}\n}` : `{${members.join(", ")}}`;
}

/** `__proto__: x` would set the object's prototype. */
function printKey(key: string): string {
  return key === "__proto__" ? `["__proto__"]` : JSON.stringify(key);
}

/** The names that a value uses, as far as they are available. */
export function usesOf(value: Written, available: Available): Use[] {
  if (value instanceof Code) return value.literal === undefined || available(value.use) ? [value.use] : [];
  if (isList(value)) return value.flatMap((member) => usesOf(member, available));
  return isObject(value) ? Object.values(value).flatMap((member) => usesOf(member, available)) : [];
}

/** `Array.isArray` makes of a readonly list an array of anything. */
function isList(value: Written): value is readonly Written[] {
  return Array.isArray(value);
}
