import { z } from "zod";
import { strictObject } from "../../engine/values/fields";
import type { Fields, Located } from "../event/fields";
import type { Parsed } from "../event/parse";
import { firstOf, locate, member, unpacked } from "./locate";

const path = z.string().min(1);

/** Types that a CSV column can be declared to have. */
export const columnTypes = ["string", "number", "boolean", "json"] as const;

const shape = {
  /** Column or path of the event's name, or `{ value }` for a name that all events share. */
  event: z.union([
    path,
    strictObject({
      /** The name. */
      value: z.string().min(1),
    }),
  ]),
  /** Column or path of the user's identifier; of several the first that holds something counts. */
  distinctId: z.union([path, z.array(path).min(1)]),
  /** Column or path of the event's time. */
  timestamp: path,
  /** How times are written: `iso` (ISO 8601), or a count since 1970. Default: by what is found. */
  timeFormat: z.enum(["auto", "iso", "seconds", "milliseconds", "microseconds"]).optional(),
  /** What a time without zone means. Default `refuse`: such an event is invalid. */
  timeZone: z.enum(["refuse", "utc"]).optional(),
  /** Column or path of an object of properties, or a list of columns or paths. Default: all that is not named above. */
  properties: z.union([path, z.array(path)]).optional(),
  /** Column or path of the event's own uuid. */
  uuid: path.optional(),
  /** Column or path of what marks repetitions in the source (Mixpanel's `$insert_id`). */
  insertId: path.optional(),
  /** Column or path of an object of person properties to set. */
  set: path.optional(),
  /** Column or path of an object of person properties to set once. */
  setOnce: path.optional(),
  /** Types of CSV columns: string (default), number, boolean, json. */
  columns: z.record(z.string(), z.enum(columnTypes)).optional(),
};

/** By name, so that declaration files keep what is said of its keys. */
export interface CustomMappingSchema extends z.ZodObject<typeof shape, z.core.$strict> {}

/** A mapping for any shape: where the parts of an event stand, as column names or paths such as `user.id`. */
export const customMapping: CustomMappingSchema = strictObject(shape);

/** A mapping written as an object. */
export type CustomMapping = z.infer<typeof customMapping>;

/** The parts of an event as a mapping object names them. */
export function customFields(mapping: CustomMapping): (parsed: Parsed) => Fields {
  const single = [
    mapping.event,
    mapping.distinctId,
    mapping.timestamp,
    mapping.uuid,
    mapping.insertId,
    mapping.set,
    mapping.setOnce,
  ];
  const taken = new Set(single.flat().filter((name) => typeof name === "string"));
  const format = mapping.timeFormat ?? "auto";
  const time: Fields["time"] = {
    naive: mapping.timeZone ?? "refuse",
    epoch: format === "iso" ? "refuse" : format,
  };
  const at = (parsed: Parsed, where: string | undefined): Located | undefined =>
    where === undefined ? undefined : locate(parsed, where);

  const properties = (parsed: Parsed): Pick<Fields, "properties" | "added"> => {
    if (typeof mapping.properties === "string") {
      return { properties: unpacked(locate(parsed, mapping.properties)), added: [] };
    }
    const names = mapping.properties ?? [...parsed.spans.keys()].filter((name) => !taken.has(name));
    const added = names.flatMap((name) => {
      const found = mapping.properties === undefined ? member(parsed, name) : locate(parsed, name);
      return found === undefined ? [] : [[name, found.json] as const];
    });
    return { properties: undefined, added };
  };

  return (parsed) => {
    const ids = [mapping.distinctId].flat().map((where) => locate(parsed, where));
    const event =
      typeof mapping.event === "string"
        ? locate(parsed, mapping.event)
        : { value: mapping.event.value, json: JSON.stringify(mapping.event.value) };
    const picked = properties(parsed);
    return {
      event,
      distinctId: firstOf(...ids) ?? ids.find((id) => id !== undefined),
      timestamp: at(parsed, mapping.timestamp),
      time,
      properties: picked.properties,
      added: picked.added,
      set: unpacked(at(parsed, mapping.set)),
      setOnce: unpacked(at(parsed, mapping.setOnce)),
      uuid: at(parsed, mapping.uuid),
      insertId: firstOf(at(parsed, mapping.insertId)),
      ignored: [],
    };
  };
}
