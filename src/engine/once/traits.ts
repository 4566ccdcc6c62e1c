import { isEmpty, isObject, type Json, type JsonObject } from "../values/json";
import type { Call } from "../requests/remote";
import { isKept } from "../state/state";
import { liveArgument, says } from "../values/wire";
import { wireName } from "../values/names";

/**
 * What an object can be recognised by: a hash for each argument that the service shows. Hashed with the API key, so
 * that a file of them tells nobody what was declared, not even where a program wraps a short text as a secret.
 */
export type Traits = Readonly<Record<string, string>>;

/** Traits of an object in the service's names, or of the body that asks for one. */
export function traitsOf(call: Call, object: JsonObject): Traits {
  const traits: Record<string, string> = {};
  for (const [name, value] of Object.entries(shownArguments(call, object))) {
    traits[name] = call.seal(JSON.stringify(canonical(value)));
  }
  return traits;
}

/** True where an object has all these traits, as far as it says anything about them. */
export function fits(call: Call, object: JsonObject, traits: Traits): boolean {
  return hasTraits(object, traitsOf(call, object), traits);
}

/** {@link fits}, of an object whose own traits are known. */
export function hasTraits(object: JsonObject, found: Traits, traits: Traits): boolean {
  return Object.entries(traits).every(([name, hash]) => {
    const argument = name.split(".")[0] ?? name;
    // A list that the plan does not include is dropped without a word.
    if (!says(object, argument) || found[name] === hash) return true;
    const live = object[wireName(argument)];
    return Array.isArray(live) && live.length === 0;
  });
}

function shownArguments(call: Call, object: JsonObject): Record<string, unknown> {
  const { definition } = call;
  const identity = definition.identity?.(object);
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(definition.inputs)) {
    if (isKept(definition, name) || !says(object, name)) continue;
    if (identity !== undefined && !identity.includes(wireName(name))) continue;
    const rules = definition.fields?.[name];
    if (rules?.parts) {
      for (const [path, value] of Object.entries(rules.parts(object[wireName(name)] ?? null))) {
        shown[`${name}.${path}`] = value;
      }
    } else if (rules?.secretPaths === undefined) {
      shown[name] = liveArgument(definition, object, name);
    }
  }
  return shown;
}

/** One spelling for what means the same: keys in order, what is empty as null, no key that holds null. */
function canonical(value: unknown): Json {
  if (isEmpty(value)) return null;
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value as Json; // isObject and isEmpty leave a string, a number or a boolean
  const entries = Object.keys(value)
    .sort()
    .map((key): [string, Json] => [key, canonical(value[key])]);
  return Object.fromEntries(entries.filter(([, member]) => member !== null));
}
