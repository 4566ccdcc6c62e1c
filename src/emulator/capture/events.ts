import { randomUUID } from "node:crypto";

import { CaptureError, unparsable } from "./errors";

/** An event as the service takes it on. */
export interface CapturedEvent {
  readonly uuid: string;
  readonly event: string;
  readonly distinctId: string;
  /** As sent, corrected by the clock difference where the request has `sent_at`. */
  readonly timestamp: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
  /** All that was sent of it. */
  readonly raw: Json;
}

/** A request that may be taken on. Nothing of it is stored where one event is invalid. */
export interface CaptureRequest {
  readonly token: string;
  readonly historicalMigration: boolean;
  readonly sentAt: string | undefined;
  readonly count: number;
  /** Its events. @throws CaptureError where one lacks its name or its user, which is looked at after the quota */
  readonly events: () => CapturedEvent[];
}

type Json = Readonly<Record<string, unknown>>;

const LONGEST_TOKEN = 64;
const LONGEST_DISTINCT_ID = 200;
const NOTHING_MATCHES = "data did not match any variant of untagged enum RawRequest";
const UUID = /^(?:urn:uuid:)?\{?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\}?$/i;
/** Half of a surrogate pair, and numbers that no double can hold: JavaScript lets both pass, the service does not. */
const LONE_SURROGATE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}/;
const HUGE_NUMBER = /[0-9][eE]\+?[0-9]{3}|[0-9]{300}/;
const DEEPEST = 127;

/** Reads what was sent: a batch, an array of events, or one event. */
export function parseRequest(text: string): CaptureRequest {
  const body = parseJson(text);
  if (Array.isArray(body)) return ofEvents(body, undefined);
  if (!isObject(body)) throw unparsable(NOTHING_MATCHES);
  if (!("batch" in body)) return ofEvents([body], undefined);
  const token = body["api_key"] ?? body["token"];
  if (token === undefined || token === null)
    throw new CaptureError(401, "event submitted without an api_key");
  if (typeof token !== "string" || !Array.isArray(body["batch"])) throw unparsable(NOTHING_MATCHES);
  const { historical_migration: historical, sent_at: sentAt } = body;
  if (!(historical === undefined || historical === null || typeof historical === "boolean"))
    throw unparsable(NOTHING_MATCHES);
  if (!(sentAt === undefined || sentAt === null || typeof sentAt === "string"))
    throw unparsable(NOTHING_MATCHES);
  return {
    ...ofEvents(body["batch"], token),
    historicalMigration: historical === true,
    sentAt: sentAt ?? undefined,
  };
}

function ofEvents(list: readonly unknown[], requestToken: string | undefined): CaptureRequest {
  const raw = list.map(rawEvent);
  const token = requestToken ?? tokenOf(raw);
  checkToken(token);
  if (raw.length === 0) throw new CaptureError(400, "request holds no event");
  const events = (): CapturedEvent[] => raw.map(taken);
  return { token, historicalMigration: false, sentAt: undefined, count: raw.length, events };
}

function parseJson(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw unparsable(error instanceof Error ? error.message : "not JSON");
  }
  if (LONE_SURROGATE.test(text)) throw unparsable("lone leading surrogate in hex escape");
  if (HUGE_NUMBER.test(text) && !finite(body)) throw unparsable("number out of range");
  if (text.includes("[[[[") || text.includes("}}}}")) checkDepth(body, 1);
  return body;
}

function finite(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(finite);
}

function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > DEEPEST) throw unparsable("recursion limit exceeded");
  for (const inner of Object.values(value)) checkDepth(inner, depth + 1);
}

/** Whether the members have the types that the service's own parser demands: else the whole request is refused. */
function rawEvent(value: unknown): Json {
  if (!isObject(value)) throw unparsable(NOTHING_MATCHES);
  const { event, properties, timestamp, uuid, offset, token, $set: set, $set_once: setOnce } = value;
  const fits =
    typeof event === "string" &&
    (properties === undefined || isObject(properties)) &&
    optional(timestamp, "string") &&
    optional(token, "string") &&
    (offset === undefined || offset === null || Number.isInteger(offset)) &&
    (set === undefined || set === null || isObject(set)) &&
    (setOnce === undefined || setOnce === null || isObject(setOnce)) &&
    optional(uuid, "string") &&
    (typeof uuid !== "string" || uuid === "" || UUID.test(uuid));
  if (!fits) throw unparsable(NOTHING_MATCHES);
  return value;
}

function optional(value: unknown, type: "string"): boolean {
  return value === undefined || value === null || typeof value === type;
}

function taken(raw: Json): CapturedEvent {
  const { event, properties, timestamp, uuid } = raw;
  if (typeof event !== "string" || event === "")
    throw new CaptureError(400, "event submitted with an empty event name");
  const inner = isObject(properties) ? properties : {};
  return {
    uuid: typeof uuid === "string" && uuid !== "" ? uuid.toLowerCase() : newUuid(),
    event,
    distinctId: distinctId(raw, inner),
    timestamp: typeof timestamp === "string" ? timestamp : undefined,
    properties: inner,
    raw,
  };
}

/** What an event without a uuid gets: one of version 7, which begins with the time. */
function newUuid(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** The top level wins over properties; what is no string becomes one; what is too long is cut. */
function distinctId(raw: Json, properties: Json): string {
  const found = raw["distinct_id"] ?? raw["$distinct_id"] ?? properties["distinct_id"] ?? undefined;
  if (found === undefined) throw new CaptureError(400, "event submitted without a distinct_id");
  const text = typeof found === "string" ? found : JSON.stringify(found);
  if (text === "") throw new CaptureError(400, "event submitted with an empty distinct_id");
  return text.length <= LONGEST_DISTINCT_ID ? text : [...text].slice(0, LONGEST_DISTINCT_ID).join("");
}

function tokenOf(events: readonly Json[]): string {
  const tokens = new Set<string>();
  for (const event of events) {
    const { properties } = event;
    const inner = isObject(properties) ? properties["token"] : undefined;
    const token = event["token"] ?? event["api_key"] ?? event["$token"] ?? inner;
    if (typeof token === "string") tokens.add(token);
  }
  const [token] = tokens;
  if (token === undefined) throw new CaptureError(401, "event submitted without an api_key");
  if (tokens.size > 1) throw new CaptureError(401, "batch submitted with inconsistent api_key values");
  return token;
}

function checkToken(token: string): void {
  const reason =
    token === ""
      ? "empty"
      : Buffer.byteLength(token) > LONGEST_TOKEN
        ? "too_long"
        : Buffer.byteLength(token) > token.length
          ? "not_ascii"
          : token.startsWith("phx_")
            ? "personal_api_key"
            : undefined;
  if (reason !== undefined) throw new CaptureError(401, `API key is not valid: ${reason}`);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
