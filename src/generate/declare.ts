import { difference, wantedChanges } from "../engine/state/diff";
import type { ResourceDefinition } from "../engine/definition";
import { at, isEmpty, isObject, isSame, type Props } from "../engine/values/json";
import { HIDDEN, isKept, isWaiting, see, visible } from "../engine/state/state";
import { validate } from "../engine/values/validate";
import { decodeOutputs, inner, liveArgument, says } from "../engine/values/wire";
import { wireName } from "../engine/values/names";
import { z } from "zod";
import type { Existing } from "./existing";

/** The arguments that take an object over as it is. */
export interface Declared {
  /** In canonical form; `WITHHELD` where a secret has to be filled in. */
  readonly args: Props;
  /** Arguments, with their paths, whose present value this version cannot declare. */
  readonly undeclared: readonly string[];
}

/** An object that no arguments describe. */
export interface Undeclarable {
  /** What is in the way. */
  readonly reason: string;
}

export interface DeclareOptions {
  /** Whether arguments that have their default are declared, too, so that a change of them is drift. */
  readonly defaults: boolean;
}

/** Arguments that name a person; a program says who by address where it can. */
const PERSON = ["email", "userUuid"];
const SCOPE = ["projectId", "organizationId"];

/**
 * The arguments of the program that takes an object over without a change: what the lifecycle's read makes of the
 * object, held against the lifecycle's own check and comparison.
 */
export function declare(existing: Existing, options: DeclareOptions): Declared | Undeclarable {
  const { definition } = existing.kind;
  const args = wanted(existing, options);
  const undeclared: string[] = [];
  for (;;) {
    const { args: checked, problems } = validate(definition, args);
    const [problem] = problems;
    if (problem === undefined) {
      const changed = unequal(existing, checked);
      if (changed.length === 0) return { args: checked, undeclared };
      for (const name of changed) {
        if (!leaveOut(args, name, definition)) return { reason: `${name} cannot be declared as it is` };
        undeclared.push(name);
      }
    } else {
      if (!leaveOut(args, problem.argument, definition))
        return { reason: `${problem.argument} ${problem.reason}` };
      undeclared.push(problem.argument);
    }
  }
}

function wanted({ kind, object, id, place }: Existing, options: DeclareOptions): Props {
  const { definition } = kind;
  const args: Props = { ...definition.argumentsOf?.(id) };
  if (definition.scope !== "none" && place["projectId"] !== undefined) args["projectId"] = place["projectId"];
  const decidedBy = definition.identity?.(object);
  for (const [name, schema] of Object.entries(definition.inputs)) {
    if (name in args || SCOPE.includes(name) || isKept(definition, name)) continue;
    if (kind.declaredElsewhere.includes(name) || !says(object, name)) continue;
    // What stands at its address decides of the rest: it would be drift with every new version.
    if (decidedBy !== undefined && !decidedBy.includes(wireName(name)) && isFreeForm(schema)) continue;
    if (isWaiting(definition, name, decodeOutputs(definition.outputs, object))) continue;
    const value = present(definition, object, name);
    const required = !(schema instanceof z.ZodOptional);
    if (value === null || value === undefined) continue;
    const isDefault = isEmpty(value) || isSame(value, definition.clears[name]);
    if (required || !isDefault || (options.defaults && name in definition.clears)) args[name] = value;
  }
  const { requireOneOf = [] } = definition;
  if (!requireOneOf.some((name) => name in args))
    Object.assign(args, person(definition, object, requireOneOf));
  return args;
}

function isFreeForm(schema: z.ZodType): boolean {
  const type = inner(schema);
  return type instanceof z.ZodUnknown || type instanceof z.ZodRecord;
}

function present(definition: ResourceDefinition, object: Existing["object"], name: string): unknown {
  const rules = definition.fields?.[name];
  const live = liveArgument(definition, object, name);
  return rules?.declare ? rules.declare(live) : live;
}

/** Who somebody is, from the user inside the object. */
function person(
  definition: ResourceDefinition,
  object: Existing["object"],
  allowed: readonly string[],
): Props {
  for (const name of PERSON.filter((one) => allowed.includes(one))) {
    const value = at(object, `user.${wireName(name).replace(/^user_/, "")}`);
    if (definition.inputs[name]?.safeParse(value).success === true) return { [name]: value };
  }
  return {};
}

/** Arguments that adoption would change: see `compareForAdoption`. */
function unequal({ kind, object }: Existing, checked: Props): string[] {
  const { definition } = kind;
  const live = see(definition, object, visible(checked)).values;
  const found = difference(definition, { ...live, [HIDDEN.declared]: Object.keys(checked) }, checked);
  return Object.keys(wantedChanges(found)).filter((name) => !isKept(definition, name));
}

/** Takes an argument out, or the innermost key at its path that can be missing; false where nothing can. */
function leaveOut(args: Props, path: string, definition: ResourceDefinition): boolean {
  const [name = "", ...rest] = path.split(".");
  const schema = definition.inputs[name];
  const key = rest[rest.length - 1];
  const holder = rest
    .slice(0, -1)
    .reduce<unknown>((part, one) => (isObject(part) ? part[one] : undefined), args[name]);
  if (key !== undefined && isObject(holder) && key in holder) {
    const { [key]: _, ...others } = holder;
    args[name] = replaced(args[name], rest.slice(0, -1), others);
    return true;
  }
  if (!(name in args) || !(schema instanceof z.ZodOptional)) return false;
  delete args[name];
  return true;
}

function replaced(value: unknown, path: readonly string[], by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined || !isObject(value)) return by;
  return { ...value, [key]: replaced(value[key], rest, by) };
}
