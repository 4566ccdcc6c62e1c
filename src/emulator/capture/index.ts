import type { IncomingMessage, ServerResponse } from "node:http";

import { readText } from "./body";
import { CaptureError } from "./errors";
import { type CapturedEvent, parseRequest } from "./events";
import type { CaptureStore } from "./store";

export type { CaptureSummary } from "./project";
export { type CaptureMode, CaptureStore } from "./store";

/** The message that one event becomes must fit here; the service finds that out while it stores, one event after another. */
const LARGEST_EVENT = 1_000_000;

/** So many letters are less than that, however they are escaped. */
const SURELY_SMALL = 100_000;

const METHODS = "POST, GET, HEAD, OPTIONS";

/** Answers `/batch/`: 200 in JSON, refusals in plain text; of a refused request nothing is kept, but see {@link LARGEST_EVENT}. */
export async function handleCapture(
  request: IncomingMessage,
  response: ServerResponse,
  store: CaptureStore,
  context: { now(): Date },
): Promise<void> {
  const { method = "" } = request;
  if (!METHODS.split(", ").includes(method)) {
    request.resume();
    response.writeHead(405, { Allow: METHODS, "Content-Length": 0 }).end();
    return;
  }
  try {
    const text = await readText(request);
    // A GET is read like a POST, and mostly fails for want of a body.
    if (method !== "OPTIONS") keep(text, store, context.now());
    answer(response, 200, "application/json", '{"status":"Ok"}');
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    answer(response, error.status, "text/plain; charset=utf-8", error.message);
  }
}

function keep(text: string, store: CaptureStore, now: Date): void {
  const { token, historicalMigration, sentAt, count, events } = parseRequest(text);
  const limited = store.isLimited(token);
  const taken = limited ? [] : events();
  store.countRequest(token, historicalMigration);
  if (limited) store.drop(token, count);
  for (const event of taken) take(store, token, corrected(event, sentAt, now));
}

function take(store: CaptureStore, token: string, event: CapturedEvent): void {
  // Measured only where an event could be too large at all: most are a few hundred bytes.
  if (mayBeLarge(event) && Buffer.byteLength(JSON.stringify(event.raw)) > LARGEST_EVENT)
    throw new CaptureError(400, "maximum event size exceeded");
  store.add(token, event);
}

function mayBeLarge({ event, properties, raw }: CapturedEvent): boolean {
  let letters = event.length;
  for (const value of Object.values(properties)) {
    if (typeof value === "string") letters += value.length;
    else if (typeof value === "object" && value !== null) return true;
  }
  return letters > SURELY_SMALL || raw["$set"] !== undefined || raw["$set_once"] !== undefined;
}

/** With `sent_at` the service takes the sender's clock to be wrong, and moves every timestamp by the difference. */
function corrected(event: CapturedEvent, sentAt: string | undefined, now: Date): CapturedEvent {
  const sent = sentAt === undefined ? NaN : Date.parse(sentAt);
  const time = event.timestamp === undefined ? NaN : Date.parse(event.timestamp);
  if (Number.isNaN(sent) || Number.isNaN(time)) return event;
  return { ...event, timestamp: new Date(time + now.getTime() - sent).toISOString() };
}

function answer(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(text) }).end(text);
}
