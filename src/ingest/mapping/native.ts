import type { Fields } from "../event/fields";
import type { Parsed } from "../event/parse";
import { firstOf, member, objectOf } from "./locate";

const known = new Set([
  "event",
  "distinct_id",
  "timestamp",
  "properties",
  "uuid",
  "$set",
  "$set_once",
  "$insert_id",
  "insert_id",
  "messageId",
]);

/** Events in the service's own form: event, distinct_id (at the top level or in properties), timestamp, properties. */
export function nativeFields(parsed: Parsed): Fields {
  const properties = member(parsed, "properties");
  const inner = objectOf(properties);
  const ignored = [...parsed.spans.keys()].filter((name) => !known.has(name));
  return {
    ...pick("event", member(parsed, "event")),
    ...pick("distinctId", member(parsed, "distinct_id") ?? (inner && member(inner, "distinct_id"))),
    ...pick("timestamp", member(parsed, "timestamp")),
    time: { naive: "refuse", epoch: "refuse" },
    // A null is no object: the service would refuse it, and with it the whole request.
    ...pick("properties", parsed.value["properties"] === null ? { value: null, json: "null" } : properties),
    added: [],
    ...pick("set", member(parsed, "$set")),
    ...pick("setOnce", member(parsed, "$set_once")),
    ...pick("uuid", member(parsed, "uuid")),
    ...pick(
      "insertId",
      firstOf(
        member(parsed, "$insert_id"),
        inner && member(inner, "$insert_id"),
        member(parsed, "insert_id"),
        member(parsed, "messageId"),
      ),
    ),
    ...(ignored.length > 0 ? { ignored } : {}),
  };
}

/** `{ [name]: value }`, or nothing where there is no value: optional members are left out, not undefined. */
export function pick<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [key in Name]?: Value } {
  // A computed key widens to string in TypeScript; the object has exactly this one member.
  return value === undefined ? {} : ({ [name]: value } as { readonly [key in Name]: Value });
}
