import { isKey } from "../../client/scrub";
import type { ResourceDefinition } from "../definition";
import { isSecret } from "../values/fields";
import { isObject, type Props } from "../values/json";
import { HIDDEN, names, visible } from "../state/state";
import { inner } from "../values/wire";

/** Whether a message may show an argument's value; the engine prints what a failure of check names. */
export function isShowable(definition: ResourceDefinition, name: string, props: Props): boolean {
  if (names(props, HIDDEN.secret).includes(name) || isKey(props[name])) return false;
  const schema = definition.inputs[name];
  if (schema === undefined) return name === "connection" || name === "adoptId";
  return !isSecret(inner(schema)) && definition.fields?.[name]?.secretPaths === undefined;
}

/** Whether the value at this path of an argument is secret, holds a secret or stands inside one. */
export function isSecretAt(
  definition: ResourceDefinition,
  path: readonly [name: string, ...rest: string[]],
  props: Props,
): boolean {
  const [name, ...rest] = path;
  return secretPathsOf(definition, name, props).some((secret) =>
    secret.every((key, index) => index >= rest.length || rest[index] === key),
  );
}

/** The texts of all secret arguments: no message may show them, whoever wrote it. */
export function secretTexts(definition: ResourceDefinition, props: Props): string[] {
  return Object.entries(visible(props)).flatMap(([name, value]) =>
    secretPathsOf(definition, name, props).flatMap((path) =>
      textsIn(path.reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), value)),
    ),
  );
}

/** Where an argument holds secrets: those of its kind, and all of it where the user marked it. */
function secretPathsOf(
  definition: ResourceDefinition,
  name: string,
  props: Props,
): readonly (readonly string[])[] {
  const schema = definition.inputs[name];
  const whole =
    names(props, HIDDEN.secret).includes(name) || (schema !== undefined && isSecret(inner(schema)));
  return whole ? [[]] : (definition.fields?.[name]?.secretPaths?.(props[name]) ?? []);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
