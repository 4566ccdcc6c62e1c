import type { Fields, Located } from "./fields";
import { members } from "./members";
import { isObject } from "./parse";
import type { Problem, Reason } from "./reasons";
import { checkPast, epochToIso, parseIsoTime, plainSpelling, recentMs } from "./time";

/** JSON text: the source's own bytes, or text that we made. */
export type Json = Buffer | string;

/** An event that may be sent, in the pieces that make its JSON text. */
export interface Draft {
  readonly name: string;
  readonly event: Json;
  readonly distinctId: Json;
  /** Only where properties hold another one: the top level wins. */
  readonly topDistinctId: Json | undefined;
  readonly timestamp: Json;
  readonly timeMs: number;
  readonly recent: boolean;
  /** Members put before those of `properties`. */
  readonly added: readonly (readonly [name: string, json: Json])[];
  /** The text between the braces of the source's properties. */
  readonly properties: Json;
  readonly set: Json | undefined;
  readonly setOnce: Json | undefined;
  readonly uuid: string | undefined;
  readonly insertId: Json | undefined;
  readonly ignored: readonly string[];
}

/** What drafts depend on beside the event itself. */
export interface DraftOptions {
  readonly rename: ReadonlyMap<string, string>;
  /** Later moments are the future. */
  readonly nowMs: number;
}

const longestDistinctId = 200;
const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface Time {
  readonly json: Json;
  readonly ms: number;
}

function eventName(found: Located | undefined): { readonly name: string; readonly json: Json } | Problem {
  if (found === undefined) return { reason: "event-missing" };
  if (typeof found.value !== "string") return { reason: "event-not-a-string" };
  return found.value.trim() === "" ? { reason: "event-empty" } : { name: found.value, json: found.json };
}

function distinctId(found: Located | undefined): { readonly id: string; readonly json: Json } | Problem {
  if (found === undefined) return { reason: "distinct-id-missing" };
  const text = found.json.toString();
  const isWhole = typeof found.value === "number" && /^-?\d+$/.test(text);
  if (!isWhole && typeof found.value !== "string") return { reason: "distinct-id-type" };
  const id = isWhole ? text : String(found.value);
  if (id.trim() === "") return { reason: "distinct-id-empty" };
  if (id.length > longestDistinctId && [...id].length > longestDistinctId) {
    return { reason: "distinct-id-too-long", detail: `${[...id].length} characters` };
  }
  return { id, json: isWhole ? `"${text}"` : found.json };
}

/** A time as text; where the export leaves out T and zone, they are put in, the digits stay. */
function textTime(text: string, naive: Fields["time"]["naive"]): Time | Problem {
  const time = parseIsoTime(text, naive);
  if (!("ms" in time)) return time;
  const zoned = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(text.slice(10));
  if (zoned) return { ms: time.ms, json: JSON.stringify(plainSpelling(text)) };
  const iso = text.length === 10 ? `${text}T00:00:00` : text.replace(/[t ]/, "T").replace(",", ".");
  return { ms: time.ms, json: JSON.stringify(`${iso}Z`) };
}

function timestamp(found: Located | undefined, format: Fields["time"]): Time | Problem {
  if (found === undefined || found.value === "") return { reason: "timestamp-missing" };
  const { epoch } = format;
  const digits =
    typeof found.value === "string" && /^\d{9,}(\.\d+)?$/.test(found.value) ? found.value : undefined;
  if (epoch !== "refuse" && (typeof found.value === "number" || digits !== undefined)) {
    const time = epochToIso(digits ?? found.json.toString(), epoch === "auto" ? undefined : epoch);
    return "reason" in time ? time : { ms: time.ms, json: `"${time.iso}"` };
  }
  if (typeof found.value !== "string") return { reason: "timestamp-type" };
  const time = textTime(found.value, format.naive);
  if ("reason" in time) return time;
  // Text that needed no change is sent as it stands in the source.
  return time.json === `"${found.value}"` ? { ms: time.ms, json: found.json } : time;
}

const isNonEmptyString = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

/** What the two events that change persons and groups need in their properties. */
function shapeProblem(name: string, properties: Readonly<Record<string, unknown>>): Reason | undefined {
  if (name === "$identify") {
    const anonymous = properties["$anon_distinct_id"];
    if (anonymous !== undefined && !isNonEmptyString(anonymous)) return "identify-shape";
    const sets = [properties["$set"], properties["$set_once"]];
    return sets.every((set) => set === undefined || isObject(set)) ? undefined : "set-type";
  }
  if (name === "$group_identify") {
    const key = properties["$group_key"];
    const set = properties["$group_set"];
    const whole =
      isNonEmptyString(properties["$group_type"]) &&
      (isNonEmptyString(key) || typeof key === "number") &&
      (set === undefined || isObject(set));
    return whole ? undefined : "group-identify-shape";
  }
  return undefined;
}

function uuidOf(found: Located | undefined): string | undefined | Problem {
  if (found === undefined || found.value === "") return undefined;
  return typeof found.value === "string" && uuidText.test(found.value)
    ? found.value
    : { reason: "uuid-invalid" };
}

function inside(json: Json): Json {
  if (typeof json === "string") return json.slice(json.indexOf("{") + 1, json.lastIndexOf("}"));
  return json.subarray(json.indexOf(0x7b) + 1, json.lastIndexOf(0x7d));
}

/** The properties without the members called `names`: only where one of theirs has to be written anew. */
function without(json: Json, names: ReadonlySet<string>): string {
  const text = Buffer.from(json.toString());
  const kept = [...members(text)].filter(([name]) => !names.has(name));
  return kept
    .map(([name, span]) => `${JSON.stringify(name)}:${text.toString("utf8", span.start, span.end)}`)
    .join(",");
}

/** Checks what a mapping picked, and puts it into the pieces that are sent; or says why it may not be sent. */
export function draft(fields: Fields, options: DraftOptions): Draft | Problem {
  const event = eventName(fields.event);
  if ("reason" in event) return event;
  const id = distinctId(fields.distinctId);
  if ("reason" in id) return id;
  const time = timestamp(fields.timestamp, fields.time);
  if ("reason" in time) return time;
  const notPast = checkPast(time.ms, options.nowMs);
  if (notPast !== undefined) return notPast;
  const given: Located = fields.properties ?? { value: {}, json: "{}" };
  const values = given.value;
  if (!isObject(values)) return { reason: "properties-type" };
  const uuid = uuidOf(fields.uuid);
  if (typeof uuid === "object") return uuid;
  for (const set of [fields.set, fields.setOnce]) {
    if (set !== undefined && !isObject(set.value)) return { reason: "set-type" };
  }
  const name = options.rename.get(event.name) ?? event.name;
  const shape = shapeProblem(name, values);
  if (shape !== undefined) return { reason: shape };

  // The interface wants distinct_id in properties. One that stands there already stays, byte for byte.
  const inner = values["distinct_id"];
  const rewritten = inner !== undefined && typeof inner !== "string";
  const missing = inner === undefined || rewritten;
  const added = fields.added.filter(([key]) => key !== "distinct_id" && !Object.hasOwn(values, key));
  return {
    name,
    event: name === event.name ? event.json : JSON.stringify(name),
    distinctId: id.json,
    topDistinctId: !missing && inner !== id.id ? id.json : undefined,
    timestamp: time.json,
    timeMs: time.ms,
    recent: time.ms > options.nowMs - recentMs,
    added: missing ? [["distinct_id", id.json], ...added] : added,
    properties: rewritten ? without(given.json, new Set(["distinct_id"])) : inside(given.json),
    set: fields.set?.json,
    setOnce: fields.setOnce?.json,
    uuid,
    insertId: fields.insertId?.json,
    ignored: fields.ignored,
  };
}
