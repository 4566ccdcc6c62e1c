import { z } from "zod";
import type { ResourceDefinition, Shape } from "../definition";
import { isObject, textAt, toJson, type Json, type JsonObject, type Props } from "./json";
import { parseLeniently } from "./lenient";
import { wireName } from "./names";

const inners = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** The schema itself, without what makes it optional, nullable, defaulted or transformed. */
export function inner(schema: z.core.$ZodType): z.core.$ZodType {
  // Asked for every value of every object, and what zod is an instance of takes it a while to say.
  const known = inners.get(schema);
  if (known !== undefined) return known;
  const found = unwrap(schema);
  inners.set(schema, found);
  return found;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return inner(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return inner(schema.in);
  return schema;
}

function shapeOf(type: z.ZodObject): Readonly<Record<string, z.core.$ZodType>> {
  return type.shape;
}

/** The value with keys renamed wherever the schema declares them; records and unknown values travel verbatim. */
export function encodeValue(schema: z.core.$ZodType, value: unknown): Json {
  const type = inner(schema);
  if (type instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((member) => encodeValue(type.element, member));
  }
  if (type instanceof z.ZodObject && isObject(value)) {
    const result: JsonObject = {};
    for (const [name, member] of Object.entries(shapeOf(type))) {
      if (value[name] !== undefined) result[wireName(name)] = encodeValue(member, value[name]);
    }
    return result;
  }
  return toJson(value);
}

/** The reverse of {@link encodeValue}; keys that the schema does not declare are left out. */
export function decodeValue(schema: z.core.$ZodType, value: unknown): unknown {
  const type = inner(schema);
  if (type instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((member) => decodeValue(type.element, member));
  }
  if (type instanceof z.ZodObject && isObject(value)) {
    const result: Props = {};
    for (const [name, member] of Object.entries(shapeOf(type))) {
      const live = value[wireName(name)];
      if (live !== undefined && live !== null) result[name] = decodeValue(member, live);
    }
    return result;
  }
  return value;
}

/** The request body that carries these arguments. */
export function encodeArguments(definition: ResourceDefinition, args: Props): JsonObject {
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    const schema = definition.inputs[name];
    if (schema === undefined || value === undefined) continue;
    const encode = definition.fields?.[name]?.encode;
    body[wireName(name)] = encode ? encode(value) : encodeValue(schema, value);
  }
  return body;
}

/** True where the service's object says anything of this argument. */
export function says(object: JsonObject, name: string): boolean {
  return wireName(name) in object;
}

/** An argument as the service has it, in the canonical form that check gives to what the user writes. */
export function liveArgument(definition: ResourceDefinition, object: JsonObject, name: string): unknown {
  const schema = definition.inputs[name];
  const value = object[wireName(name)];
  if (schema === undefined || value === undefined || value === null) return null;
  const decoded = decodeValue(schema, value);
  const parsed = parseLeniently(schema, decoded);
  return parsed ? parsed.data : decoded;
}

/**
 * The outputs that the shape declares, parsed leniently: the service adds fields and changes types between
 * versions. A simple value of another type is kept; an object that does not fit is left out, for it might
 * hold what we promise not to store (the tokens of an organization's projects).
 */
export function decodeOutputs(shape: Shape, object: JsonObject): Props {
  const outputs: Props = {};
  for (const [name, schema] of Object.entries(shape)) {
    const value = object[wireName(name)];
    if (value === undefined || value === null) continue;
    const parsed = parseLeniently(schema, decodeValue(schema, value));
    if (parsed) outputs[name] = parsed.data;
    else if (typeof value !== "object") outputs[name] = value;
  }
  return outputs;
}

/** The id of the service's object, as text. */
export function idOf(definition: Pick<ResourceDefinition, "idField">, object: unknown): string | undefined {
  const places = [definition.idField ?? "id"].flat();
  return places.map((place) => textAt(object, place)).find((id) => id !== "");
}
