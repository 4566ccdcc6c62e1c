import { isUtf8 } from "node:buffer";
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import type { Api } from "./api";
import type { Method } from "./call";
import { type CaptureStore, handleCapture } from "../capture";
import { control, type ControlParts } from "./control";
import { ApiError } from "./errors";
import { breakOff, isAfter } from "../faults/fault-answers";
import type { FaultAction, Faults } from "../faults/faults";
import { type Json, parseJson } from "../fields/json";
import { PAGE } from "../page";
import { type Reply, send } from "./reply";
import type { RequestLog, RequestRecord } from "./request-log";

const LARGEST_BODY = 20 * 1024 * 1024;
/** Requests without a route that are remembered: a client that goes on asking would fill the memory. */
const MOST_UNKNOWN = 100;

export interface ServerParts extends ControlParts {
  readonly api: Api;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly capture: CaptureStore;
  readonly unknownRoutes: string[];
  /** Milliseconds that every answer waits. */
  readonly latency: number;
  /** Called after events may have arrived, which the store does not know of. */
  readonly captured: () => void;
}

export function createEmulatorServer(parts: ServerParts): Server {
  const server = createServer((request, response) => {
    respond(parts, request, response).catch((error: unknown) => {
      // The client went away in the middle of its own request; there is nobody left to answer.
      if (request.destroyed && !request.complete) return;
      process.stderr.write(`the emulator failed: ${String(error)}\n`);
      response.destroy();
    });
  });
  // Clients keep connections in pools; closing them early would make their next request fail by chance.
  server.keepAliveTimeout = 65_000;
  return server;
}

async function respond(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", `http://${request.headers.host ?? "127.0.0.1"}`);
  const path = url.pathname;
  response.setHeader("Date", parts.world.now().toUTCString());
  if (path === "/") {
    send(response, { status: 200, type: "text/html; charset=utf-8", text: PAGE });
  } else if (path.startsWith("/_emulator/")) {
    await respondControl(parts, request, response, url);
  } else if (/^\/batch\/?$/.test(path)) {
    await respondCapture(parts, request, response, url);
  } else {
    await respondApi(parts, request, response, url);
  }
}

async function respondApi(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { api, world } = parts;
  const at = world.now().toISOString();
  const body = await readBody(request);
  if (body === undefined) {
    send(response, { status: 413, type: "text/plain", text: "Request body too large" });
    return;
  }
  const text = isUtf8(body) ? body.toString("utf8") : undefined;
  // DRF answers HEAD by its GET handlers.
  const method = (request.method === "HEAD" ? "GET" : request.method) as Method;
  const match = api.router.match(method, url.pathname);
  const log = (status: number, keyId?: number): void =>
    parts.log.add({
      ...logged(at, method, url),
      template: match?.template,
      body: parseLogged(text),
      status,
      keyId,
    });

  const fault = await wait(parts, method, url);
  if (fault && !isAfter(fault)) {
    log(breakOff(response, fault, undefined));
    return;
  }
  let reply: Reply;
  let keyId: number | undefined;
  if (match) {
    const answer = api.answer(
      {
        method,
        url,
        authorization: request.headers.authorization,
        contentType: request.headers["content-type"],
        accept: request.headers.accept,
        text,
      },
      match,
    );
    keyId = answer.keyId;
    reply = {
      status: answer.status,
      headers: answer.headers,
      ...(answer.body !== undefined && { type: "application/json", text: JSON.stringify(answer.body) }),
    };
  } else {
    reply = unknownRoute(parts, method, url);
  }
  if (fault) {
    log(breakOff(response, fault, reply), keyId);
    return;
  }
  log(reply.status, keyId);
  send(response, reply);
}

/** Loud, because a client that calls what does not exist should not take it for a missing object. */
function unknownRoute({ unknownRoutes }: ServerParts, method: string, url: URL): Reply {
  const route = `${method} ${url.pathname}`;
  unknownRoutes.push(route);
  if (unknownRoutes.length > MOST_UNKNOWN) unknownRoutes.splice(0, MOST_UNKNOWN / 10);
  process.stderr.write(`the emulator has no route ${route}\n`);
  const error = new ApiError(404, "invalid_request", "not_found", `The emulator has no route ${route}`);
  return { status: 404, type: "application/json", text: JSON.stringify(error.body) };
}

async function respondCapture(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { capture, world } = parts;
  // No body in the log: a migration is far larger than the memory that a log may take.
  const { method = "" } = request;
  const entry = { ...logged(world.now().toISOString(), method, url), template: "/batch/", body: undefined };
  const log = (status: number): void => parts.log.add({ ...entry, status, keyId: undefined });
  const fault = await wait(parts, method, url);
  if (fault && !isAfter(fault)) {
    request.resume();
    log(breakOff(response, fault, undefined, "text/plain"));
    return;
  }
  if (!fault) {
    await handleCapture(request, response, capture, { now: world.now });
    parts.captured();
    log(response.statusCode);
    return;
  }
  // The answer goes nowhere, so that the fault can take its place.
  const unsent = new ServerResponse(request);
  await handleCapture(request, unsent, capture, { now: world.now });
  parts.captured();
  log(
    breakOff(
      response,
      fault,
      { status: unsent.statusCode, type: "application/json", text: '{"status":"Ok"}' },
      "text/plain",
    ),
  );
}

async function respondControl(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { method = "GET" } = request;
  const text = (await readBody(request))?.toString("utf8") ?? "";
  const reply = (status: number, body: unknown): void =>
    send(response, { status, type: "application/json", text: JSON.stringify(body) });
  // Browsers send JSON across sites only after asking, which nobody here answers: no web page can play with this.
  if (method !== "GET" && !request.headers["content-type"]?.startsWith("application/json")) {
    reply(415, { error: "send Content-Type: application/json" });
    return;
  }
  let body: unknown;
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch {
    reply(400, { error: "the body is not valid JSON" });
    return;
  }
  const answer = control(parts, method, url.pathname.replace("/_emulator/", ""), url.searchParams, body);
  reply(answer.status, answer.body);
}

/** Waits as long as latency and faults say, and returns the fault that is still to happen. */
async function wait(
  { latency, faults }: ServerParts,
  method: string,
  url: URL,
): Promise<FaultAction | undefined> {
  const fault = faults.strike(method, url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`);
  const slow = fault?.kind === "slow" ? fault.milliseconds : 0;
  // Who is closed meanwhile does not keep the process alive for it.
  if (latency + slow > 0) await sleep(latency + slow, undefined, { ref: false });
  return fault?.kind === "slow" ? undefined : fault;
}

function logged(
  at: string,
  method: string,
  url: URL,
): Pick<RequestRecord, "at" | "method" | "path" | "query"> {
  return { at, method, path: url.pathname, query: url.search.replace("?", "") };
}

function parseLogged(text: string | undefined): Json | undefined {
  if (!text) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  // A request without an encoding of its own gives buffers, which its type leaves open.
  for await (const bytes of request as AsyncIterable<Buffer>) {
    length += bytes.length;
    // Read to the end, so that the client gets the answer, but not kept.
    if (length <= LARGEST_BODY) chunks.push(bytes);
  }
  return length > LARGEST_BODY ? undefined : Buffer.concat(chunks);
}
