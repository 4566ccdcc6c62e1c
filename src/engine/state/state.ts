import type { ResourceDefinition } from "../definition";
import { isSame, toJsonObject, type JsonObject, type Props } from "../values/json";
import { decodeOutputs, liveArgument, says } from "../values/wire";
import { wireName } from "../values/names";

/*
 * What a state entry holds. Arguments stand in the outputs with the value that counts: what was asked where the
 * service keeps it to itself (secrets, write-only fields) or dropped it, else what the service said last.
 * Hidden keys start with two underscores; the engine does not show them. States outlive versions of this
 * package: a key may be added, none may change its meaning.
 */

/** Names of the hidden keys. */
export const HIDDEN = {
  provider: "__provider",
  /** Logical name of the resource, for messages: the engine does not tell the provider. */
  name: "__resource",
  /** Organization, project and name of the stack, for what is written down about unfinished creations. */
  stack: "__stack",
  /** Arguments that the program declared at the last write. */
  declared: "__declared",
  /** Host that the object lives on, so that another host's 404 is never taken for a deletion. */
  host: "__host",
  /** Arguments that the service dropped silently, with what it answered. */
  dropped: "__dropped",
  /** Arguments whose action is still to be done. */
  todo: "__todo",
  /** The organization as it was asked for (`@current`, a slug) where that was no UUID. */
  organization: "__organization",
  /** Arguments that the program gave as secrets, though they are none by themselves. */
  secret: "__secret",
  /** Set by `static get`: what is not there is an error. */
  get: "__get",
  /** Mark of the last update, by which one that was cut off before the state had it is known. */
  mark: "__mark",
  /** The object could not be restored and has to be made anew. */
  lost: "__lost",
} as const;

/** Arguments and outputs without the hidden keys. */
export function visible(props: Props): Props {
  return Object.fromEntries(Object.entries(props).filter(([key]) => !key.startsWith("__")));
}

/** The hidden keys that inputs and outputs share. */
export function carried(props: Props): Props {
  const keys: readonly string[] = [HIDDEN.name, HIDDEN.stack, HIDDEN.organization, HIDDEN.secret, HIDDEN.get];
  return Object.fromEntries(Object.entries(props).filter(([key]) => keys.includes(key)));
}

/** Logical name of the resource; undefined where nobody gave one. */
export function resourceName(props: Props): string | undefined {
  const name = props[HIDDEN.name];
  return typeof name === "string" ? name : undefined;
}

/** A hidden list of names. */
export function names(props: Props, key: string): string[] {
  const value = props[key];
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

/** The arguments that the state knows as declared, with their stored values. */
export function declaredArguments(definition: ResourceDefinition, stored: Props): Props {
  const declared =
    HIDDEN.declared in stored ? names(stored, HIDDEN.declared) : Object.keys(definition.inputs);
  return Object.fromEntries(
    declared.filter((name) => stored[name] !== undefined).map((name) => [name, stored[name]]),
  );
}

/** What the service dropped, by argument. */
export function dropped(stored: Props): Props {
  const value = stored[HIDDEN.dropped];
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** True for arguments that no read can tell anything about. */
export function isKept(definition: ResourceDefinition, name: string): boolean {
  return (
    definition.writeOnly?.includes(name) === true ||
    definition.local?.includes(name) === true ||
    name === "connection" ||
    name === "adoptId"
  );
}

/** True for arguments that have to wait for an output which is not true yet. */
export function isWaiting(definition: ResourceDefinition, name: string, outputs: Props): boolean {
  const waits = definition.waitsFor;
  return waits?.arguments.includes(name) === true && outputs[waits.output] !== true;
}

/** Whether the stored value of an argument already is what is wanted. */
export function isSameArgument(
  definition: ResourceDefinition,
  name: string,
  stored: unknown,
  wanted: unknown,
) {
  const same = definition.fields?.[name]?.same ?? isSame;
  return same(stored, wanted);
}

/** What an answer of the service means for the arguments that a program declared. */
export interface Seen {
  /** Each declared argument with the value that counts. */
  values: Props;
  /** Arguments whose value is another than the stored one. */
  drifted: string[];
}

/** Holds the service's object against the declared arguments. */
export function see(
  definition: ResourceDefinition,
  object: JsonObject,
  declared: Props,
  ignored: Props = {},
): Seen {
  // Only what waits for an output asks for them.
  const outputs = definition.waitsFor === undefined ? {} : decodeOutputs(definition.outputs, object);
  const values: Props = {};
  const drifted: string[] = [];
  for (const [name, stored] of Object.entries(declared)) {
    values[name] = stored;
    if (isKept(definition, name) || !says(object, name) || isWaiting(definition, name, outputs)) continue;
    const live = liveArgument(definition, object, name);
    const now = definition.fields?.[name]?.settle?.(live, stored) ?? live;
    if (isSameArgument(definition, name, now, stored)) continue;
    if (name in ignored && isSame(now, ignored[name])) continue;
    values[name] = now;
    drifted.push(name);
  }
  return { values, drifted };
}

/** The outputs to store: what counts for declared arguments, the service's word on everything else. */
export function outputsOf(
  definition: ResourceDefinition,
  object: JsonObject,
  values: Props,
  hidden: Props,
): JsonObject {
  const outs: Props = {};
  for (const name of Object.keys(definition.inputs)) {
    if (!(name in values) && isStable(definition, name) && says(object, name)) {
      const live = liveArgument(definition, object, name);
      if (live !== null) outs[name] = live;
    }
  }
  Object.assign(outs, values, decodeOutputs(definition.outputs, object));
  Object.assign(outs, definition.derive?.(outs));
  const declared = Object.keys(values).sort();
  return toJsonObject({ ...outs, ...hidden, [HIDDEN.declared]: declared });
}

/**
 * Whether an argument that is not declared may stand in the outputs: nothing secret, which a read must never
 * bring into the state, and nothing that only one of the two forms of an object shows.
 */
function isStable(definition: ResourceDefinition, name: string): boolean {
  return (
    definition.fields?.[name]?.secretPaths === undefined && definition.listLacks?.includes(name) !== true
  );
}

/** The value an argument gets when it is taken out of the program, or undefined where it cannot be cleared. */
export function clearedValue(definition: ResourceDefinition, name: string) {
  return definition.clears[name];
}

/** True where the request that carries this argument has it under this name; for messages of the service. */
export function argumentNamed(definition: ResourceDefinition, attr: string): string {
  // What is wrong with an object as a whole is said under a name of its own.
  const [head = attr, ...rest] = attr.replace(/__non_field_errors$/, "").split("__");
  const name = Object.keys(definition.inputs).find((key) => wireName(key) === head);
  const camel = rest.map((part) => part.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
  return [name ?? head, ...camel].join(".");
}
