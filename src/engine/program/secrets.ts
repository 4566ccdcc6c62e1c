import * as pulumi from "@pulumi/pulumi";
import { isSecret } from "../values/fields";
import { isObject, type Props } from "../values/json";
import { inner } from "../values/wire";
import type { ResourceDefinition } from "../definition";

/** Wraps every secret argument as a secret, for the user who forgot to; a secret output stays what it is. */
export function markSecrets(definition: ResourceDefinition, args: Props): Props {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const schema = definition.inputs[name];
      if (schema === undefined || value === undefined) return [name, value];
      if (isSecret(inner(schema))) return [name, pulumi.secret(value)];
      const paths = definition.fields?.[name]?.secretPaths;
      return [name, paths ? markInside(value, paths) : value];
    }),
  );
}

/**
 * What the name of an additional secret output starts with that names no output, but a secret argument which the
 * program wrote in plain text: the engine shows policies neither which values are secret nor hidden keys.
 */
export const PLAIN_SECRET = "__plain:";

/**
 * Where the program gave a secret argument as a plain value, and not as an output. What is inside of an output is not
 * known here, and mostly comes from the configuration.
 */
export function plainSecrets(definition: ResourceDefinition, args: Props): string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    const schema = definition.inputs[name];
    if (schema === undefined) return [];
    const paths = isSecret(inner(schema)) ? [[]] : (definition.fields?.[name]?.secretPaths?.(value) ?? []);
    return paths.filter((path) => isPlainAt(value, path)).map((path) => [name, ...path].join("."));
  });
}

function isPlainAt(value: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (value === undefined || value === null || pulumi.Output.isInstance(value) || value instanceof Promise)
    return false;
  // Of a destination whose keys are not known all of it counts as secret, and which of it is one nobody can tell.
  return key === undefined ? !isObject(value) : isObject(value) && isPlainAt(value[key], rest);
}

/** Names of the arguments that the program gave as secrets. */
export async function namesOfSecrets(args: Props): Promise<string[]> {
  const marked = await Promise.all(
    Object.entries(args).map(async ([name, value]) => ((await isMarked(value)) ? [name] : [])),
  );
  return marked.flat();
}

/** Outputs that say again, under another name, what the program gave as secrets. */
export function repeating({ repeats = {} }: ResourceDefinition, secrets: readonly string[]): string[] {
  return Object.entries(repeats)
    .filter(([, names]) => names.some((name) => secrets.includes(name)))
    .map(([output]) => output);
}

async function isMarked(value: unknown): Promise<boolean> {
  if (typeof value !== "object" || value === null) return false;
  // Exported by Pulumi for this purpose: an output knows whether it is secret as soon as it has a value.
  return await pulumi.isSecret(pulumi.output(value));
}

type Paths = (value: unknown) => readonly (readonly string[])[];

function markInside(value: unknown, paths: Paths): unknown {
  // What is inside an output is not known here: all of it becomes secret as soon as it holds one.
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return pulumi.secret(value);
  return paths(value).reduce<unknown>((marked, path) => markAt(marked, path), value);
}

function markAt(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined || pulumi.Output.isInstance(value) || value instanceof Promise)
    return pulumi.secret(value);
  if (!isObject(value) || !(key in value)) return value;
  return { ...value, [key]: markAt(value[key], rest) };
}
