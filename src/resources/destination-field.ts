import { z } from "zod";
import type { FieldRules } from "../engine/definition";
import { isSecret, strictObject, text, WITHHELD } from "../engine/values/fields";
import { isEmpty, isObject, isSame, toJson, type Json, type Props } from "../engine/values/json";
import { mended } from "../engine/values/lenient";
import { wireName } from "../engine/values/names";
import { decodeValue, encodeValue, inner } from "../engine/values/wire";
import {
  destinationConfigs,
  isKnownDestination,
  optionalSecretsInUse,
  type KnownDestination,
} from "./destinations";

/** Where a batch export goes, as it is checked and kept. */
export interface Destination {
  /** Type of the destination. */
  type: string;
  /** Configuration of that type. */
  config?: Record<string, unknown>;
}

const outer = strictObject({
  /** Type of the destination; a change replaces the export. */
  type: text({ min: 1 }),
  /** Configuration of that type. */
  config: z.record(z.string(), z.unknown()).nullish(),
});

/** The schema of `destination`: the configuration of a known type is checked key by key, any other passes as it is. */
export const destinationSchema: z.ZodType<Destination, Destination> = z
  .custom<Destination>()
  .transform((value, context): Destination => {
    const shell = outer.safeParse(value);
    if (!shell.success) return report(context, shell.error, []);
    const { type } = shell.data;
    const config = shell.data.config ?? {};
    if (!isKnownDestination(type)) return { type, config };
    const parsed = destinationConfigs[type].safeParse(config);
    if (!parsed.success) return report(context, parsed.error, ["config"]);
    const checked: Record<string, unknown> = parsed.data;
    return { type, config: checked };
  });

function report(context: z.RefinementCtx, error: z.ZodError, path: string[]): never {
  for (const issue of error.issues) context.addIssue({ ...issue, path: [...path, ...issue.path] });
  return z.NEVER;
}

function typeOf(value: unknown): unknown {
  return isObject(value) ? value["type"] : undefined;
}

function configOf(value: unknown): Props {
  return isObject(value) && isObject(value["config"]) ? value["config"] : {};
}

/** Keys of a configuration that reads leave out; of a type we do not know, any key may be one. */
function secretKeys(type: unknown): readonly string[] | "all" {
  if (!isKnownDestination(type)) return "all";
  const shape: Record<string, z.core.$ZodType> = destinationConfigs[type].shape;
  return Object.keys(shape).filter((key) => shape[key] !== undefined && isSecret(inner(shape[key])));
}

function encode(value: unknown): Json {
  const type = typeOf(value);
  const config = configOf(value);
  return {
    type: toJson(type),
    config: isKnownDestination(type) ? encodeValue(destinationConfigs[type], config) : toJson(config),
  };
}

/** What the service says of the configuration, for the keys that were declared; secrets stay as the state has them. */
function settle(live: unknown, stored: unknown): unknown {
  if (!isObject(live)) return live;
  const type = live["type"];
  // The interface shows a configuration that is null: then nothing is said of it.
  if (!isObject(live["config"])) return { type, config: configOf(stored) };
  const secrets = secretKeys(typeOf(stored));
  const said = configOf(live);
  const config = isKnownDestination(type) ? camelCased(type, said) : said;
  const now: Props = {};
  for (const [key, value] of Object.entries(configOf(stored))) {
    const leftOut = secrets === "all" ? !(key in config) : secrets.includes(key);
    const current = leftOut ? value : (config[key] ?? null);
    if (current !== null || value === null) now[key] = current;
  }
  return { type, config: now };
}

function camelCased(type: KnownDestination, config: Props): Props {
  const schema = destinationConfigs[type];
  const decoded = mended(schema, decodeValue(schema, config));
  return isObject(decoded) ? decoded : {};
}

/** What is there as a program declares it; of a type that we do not know only the type, for any key may be secret. */
function declare(live: unknown): unknown {
  const type = typeOf(live);
  if (!isKnownDestination(type)) return { type };
  const said = camelCased(type, configOf(live));
  const shape: Record<string, z.core.$ZodType> = destinationConfigs[type].shape;
  const config: Props = {};
  for (const [key, schema] of Object.entries(shape)) {
    if (!isSecret(inner(schema))) {
      if (!isEmpty(said[key]) || (said[key] !== undefined && !isOptional(schema))) config[key] = said[key];
    } else if (!isOptional(schema) || optionalSecretsInUse(type, said).includes(key)) config[key] = WITHHELD;
  }
  return { type, config };
}

function isOptional(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
}

/** Keys that stay in the service although the program took them out, since it merges configurations. */
function unclearable(stored: unknown, wanted: unknown): readonly string[] {
  if (typeOf(stored) !== typeOf(wanted)) return [];
  const config = configOf(wanted);
  return Object.entries(configOf(stored))
    .filter(([key, value]) => !isEmpty(value) && config[key] === undefined)
    .map(([key]) => `config.${key}`);
}

/** A key taken out of the program stays as it is: no difference. */
function same(stored: unknown, wanted: unknown): boolean {
  const before = configOf(stored);
  return (
    typeOf(stored) === typeOf(wanted) &&
    Object.entries(configOf(wanted)).every(([key, value]) => isSame(before[key], value))
  );
}

function secretPaths(value: unknown): readonly (readonly string[])[] {
  const secrets = secretKeys(typeOf(value));
  return secrets === "all" ? [["config"]] : secrets.map((key) => ["config", key]);
}

/** A destination in the service's own names without the secrets that some versions of the service show. */
export function withoutSecrets(destination: unknown): Props {
  const type = typeOf(destination);
  const secrets = secretKeys(type);
  const config = Object.entries(configOf(destination)).filter(
    ([key]) => secrets === "all" || !secrets.some((secret) => wireName(secret) === key),
  );
  return { type, config: Object.fromEntries(config) };
}

/** The type, and each key that is not secret, however the service writes its numbers. */
function parts(value: Json): Props {
  const { type, config } = withoutSecrets(value);
  const said = configOf({ config });
  if (!isKnownDestination(type)) return { type, ...said };
  const mended = encodeValue(destinationConfigs[type], camelCased(type, said));
  return { type, ...said, ...(isObject(mended) ? mended : {}) };
}

/** How `destination` is sent, compared and kept secret. */
export const destinationField: FieldRules = {
  encode,
  parts,
  settle,
  declare,
  same,
  unclearable,
  secretPaths,
};
