import { COMMON_ARGUMENTS, type ResourceDefinition } from "../definition";
import { isSame, type JsonObject, type Props } from "../values/json";
import {
  HIDDEN,
  clearedValue,
  declaredArguments,
  isKept,
  isSameArgument,
  isWaiting,
  names,
  see,
  visible,
} from "./state";
import { hasUnknown } from "../values/unknown";
import { decodeOutputs } from "../values/wire";

/** What a program wants changed in an object. */
export interface Difference {
  /** Arguments with another value than the stored one, and the wanted value. */
  changed: Props;
  /** Arguments taken out of the program, with the empty value they are cleared to. */
  cleared: Props;
  /** Arguments taken out of the program that no request carries. */
  forgotten: string[];
  /** Arguments, and paths inside them, taken out of the program that the service cannot clear. */
  unclearable: string[];
}

/** Compares the stored outputs with the checked arguments of the program. Pure: no state, no clock, no service. */
export function difference(definition: ResourceDefinition, stored: Props, wanted: Props): Difference {
  const result: Difference = { changed: {}, cleared: {}, forgotten: [], unclearable: [] };
  const args = visible(wanted);
  for (const [name, value] of Object.entries(args)) {
    if (name === "adoptId" || isWaiting(definition, name, stored)) continue;
    if (hasUnknown(value) || !isSameArgument(definition, name, stored[name], value))
      result.changed[name] = value;
    const left = definition.fields?.[name]?.unclearable?.(stored[name], value) ?? [];
    result.unclearable.push(...left.map((path) => `${name}.${path}`));
  }
  for (const name of Object.keys(declaredArguments(definition, stored))) {
    if (name in args || name === "adoptId" || isWaiting(definition, name, stored)) continue;
    const empty = clearedValue(definition, name);
    // What has the value that it would be cleared to makes no new object.
    if (empty !== undefined && definition.replaceOnChanges.includes(name) && isSame(stored[name], empty))
      continue;
    if (isForgotten(definition, name)) result.forgotten.push(name);
    else if (empty === undefined) result.unclearable.push(name);
    else if (!isSame(stored[name], empty)) result.cleared[name] = empty;
  }
  return result;
}

/** Arguments whose removal from the program only the state has to learn of, or that make a new object. */
function isForgotten(definition: ResourceDefinition, name: string): boolean {
  return (
    definition.local?.includes(name) === true ||
    definition.replaceOnChanges.includes(name) ||
    COMMON_ARGUMENTS.some((common) => common === name)
  );
}

/** Everything that differs, by argument: the wanted value, or the empty one. */
export function wantedChanges(found: Difference): Props {
  return { ...found.changed, ...found.cleared };
}

/** What the engine is told. */
export interface DiffVerdict {
  changes: boolean;
  replaces: string[];
  deleteBeforeReplace: boolean;
}

/** The engine's answer for a difference; see rules 2, 3 and 5 of the lifecycle in CONTRIBUTING. */
export function verdict(definition: ResourceDefinition, stored: Props, found: Difference): DiffVerdict {
  const all = [...Object.keys(found.changed), ...Object.keys(found.cleared), ...found.forgotten];
  const unchangeable = definition.update === "none";
  const replaces = all.filter(
    (name) =>
      definition.replaceOnChanges.includes(name) ||
      (unchangeable && definition.local?.includes(name) !== true && name !== "connection"),
  );
  if (stored[HIDDEN.lost] === true) replaces.push("deleted");
  const unfinished = names(stored, HIDDEN.todo).length > 0 || stored["deleted"] === true;
  return {
    changes: all.length > 0 || replaces.length > 0 || unfinished,
    replaces,
    deleteBeforeReplace: definition.deleteBeforeReplace === true,
  };
}

/** An object that no state knows of, held against what a program wants of it. */
export interface Comparison {
  /** What the object says: its outputs, and its values of the declared arguments. */
  live: Props;
  /** Arguments that differ, with the wanted value; those that no read tells anything about count as equal. */
  changes: Props;
  /** Those of them that make a new object. */
  replaces: string[];
}

/** Compares an object of the service with the checked arguments of a program that is to take it over. */
export function compareObject(definition: ResourceDefinition, object: JsonObject, wanted: Props): Comparison {
  const declared = visible(wanted);
  const live = { ...decodeOutputs(definition.outputs, object), ...see(definition, object, declared).values };
  const found = difference(definition, { ...live, [HIDDEN.declared]: Object.keys(declared) }, wanted);
  const changes = Object.fromEntries(
    Object.entries(wantedChanges(found)).filter(([name]) => !isKept(definition, name)),
  );
  const { replaces } = verdict(definition, live, { ...found, changed: changes });
  return { live, changes, replaces };
}
