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
    event: member(parsed, "event"),
    distinctId: member(parsed, "distinct_id") ?? (inner && member(inner, "distinct_id")),
    timestamp: member(parsed, "timestamp"),
    time: { naive: "refuse", epoch: "refuse" },
    // A null is no object: the service would refuse it, and with it the whole request.
    properties: parsed.value["properties"] === null ? { value: null, json: "null" } : properties,
    added: [],
    set: member(parsed, "$set"),
    setOnce: member(parsed, "$set_once"),
    uuid: member(parsed, "uuid"),
    insertId: firstOf(
      member(parsed, "$insert_id"),
      inner && member(inner, "$insert_id"),
      member(parsed, "insert_id"),
      member(parsed, "messageId"),
    ),
    ignored,
  };
}
