import type { IncomingMessage, ServerResponse } from "node:http";

import { readText } from "./body";
import { CaptureError } from "./errors";
import { type CapturedEvent, parseRequest } from "./events";
import type { CaptureStore } from "./store";

export type { CaptureSummary } from "./project";
export { type CaptureMode, CaptureStore } from "./store";

/** The message that one event becomes must fit here; the service finds that out while it stores, one event after another. */
const LARGEST_EVENT = 1_000_000;

/** Answers `POST /batch/`: 200 in JSON, refusals in plain text; of a refused request nothing is kept, but see {@link LARGEST_EVENT}. */
export async function handleCapture(
  request: IncomingMessage,
  response: ServerResponse,
  store: CaptureStore,
  context: { now(): Date },
): Promise<void> {
  try {
    const { token, historicalMigration, sentAt, events } = parseRequest(await readText(request));
    store.countRequest(token, historicalMigration);
    if (store.isLimited(token)) store.drop(token, events.length);
    else for (const event of events) take(store, token, corrected(event, sentAt, context.now()));
    answer(response, 200, "application/json", '{"status":"Ok"}');
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    answer(response, error.status, "text/plain; charset=utf-8", error.message);
  }
}

function take(store: CaptureStore, token: string, event: CapturedEvent): void {
  // Properties are measured only where an event could be too large at all: most are a few hundred bytes.
  if (mayBeLarge(event.properties) && Buffer.byteLength(JSON.stringify(event)) > LARGEST_EVENT)
    throw new CaptureError(400, "maximum event size exceeded");
  store.add(token, event);
}

function mayBeLarge(properties: Readonly<Record<string, unknown>>): boolean {
  return Object.values(properties).some(
    (value) =>
      (typeof value === "string" && value.length > 10_000) || (typeof value === "object" && value !== null),
  );
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
