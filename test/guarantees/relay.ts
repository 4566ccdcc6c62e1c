import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer as createPlainServer, type Server } from "node:net";
import type { Emulator } from "../../src/emulator";

/** A request or an answer on its way, its body parsed; undefined where there is none. */
export interface Message {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/** What a relay does to what passes. */
export interface Rules {
  /** The body that is passed on; a `Refusal` is answered at once. */
  request?(message: Message): unknown;
  /** The body that is answered; with a status of its own where it is a `Refusal`. */
  answer?(message: Message): unknown;
  /** What is answered instead of a refusal. */
  refusal?(message: Message): Refusal;
}

/** Answered instead of passing the request on. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** A server before an emulator that behaves in ways the emulator does not. */
export interface Relay {
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Ends it, and keeps its address from everybody else until it is closed: nobody listens there. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a relay on the loopback address. */
export async function startRelay(
  emulator: Pick<Emulator, "url" | "environment">,
  rules: Rules,
): Promise<Relay> {
  // Kept as long as the emulator keeps its connections: closed as a busy client begins to write, a creation would be lost.
  const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    const { method = "GET", url: path = "/" } = incoming;
    const pass = async (): Promise<{ status: number; body: unknown; headers?: Refusal["headers"] }> => {
      const given = parse(await textOf(incoming));
      const sent = rules.request ? rules.request({ method, path, status: 0, body: given }) : given;
      if (sent instanceof Refusal) return sent;
      const answer = await fetch(new URL(path, emulator.url), {
        method,
        headers: { authorization: incoming.headers.authorization ?? "", "content-type": "application/json" },
        ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      });
      const body = parse(await answer.text());
      const { status } = answer;
      if (status >= 400) return rules.refusal?.({ method, path, status, body }) ?? { status, body };
      if (rules.answer === undefined) return { status, body };
      const answered = rules.answer({ method, path, status, body });
      return answered instanceof Refusal ? answered : { status, body: answered };
    };
    pass().then(
      ({ status, body, headers }) => {
        outgoing.writeHead(status, { "content-type": "application/json", ...headers });
        outgoing.end(body === undefined ? "" : JSON.stringify(body));
      },
      (error: unknown) => outgoing.writeHead(502).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  let release: () => void = () => undefined;
  const end = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url,
    environment: { ...emulator.environment, POSTHOG_HOST: url, POSTHOG_INGEST_HOST: url },
    leave: async () => {
      await end();
      release = await hold(port);
    },
    close: async () => {
      release();
      await end();
    },
  };
}

/** Takes a port as the own end of a connection: a server that asks for any free port does not get it then. */
async function hold(port: number): Promise<() => void> {
  const anchor: Server = createPlainServer((socket) => socket.on("error", () => undefined));
  anchor.listen(0, "127.0.0.1");
  await once(anchor, "listening");
  const { port: to } = anchor.address() as AddressInfo; // as above
  const socket = connect({ host: "127.0.0.1", port: to, localAddress: "127.0.0.1", localPort: port });
  await once(socket, "connect");
  return () => {
    socket.destroy();
    anchor.close();
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set.
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

type Entry = [key: string, value: unknown];

/** Fields in which the interface shows null where something else was sent that says nothing. */
const NULL_SEEN = new Set([
  ...["message", "saml_entity_id", "saml_acs_url", "saml_x509_cert", "icon"],
  ...["filters", "config_schema", "capabilities", "metrics", "public_jobs"],
]);
const FREE_FORM = new Set(["filters", "config", "config_schema", "capabilities", "metrics", "public_jobs"]);

/**
 * What the service may do to answers without meaning anything by it: its database orders the keys of JSON its own
 * way and tags not at all, times come with an offset, nothing is null in some versions and empty in others, unset
 * keys vanish or get their default, and the interface shows fields that only a write has.
 */
export const capricious: Rules = {
  answer: ({ body }) => disturb(body),
};

function disturb(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(disturb);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): Entry => {
    if (key === "tags" && Array.isArray(inner)) return [key, [...inner].reverse()];
    if ((key === "start_at" || key === "end_at") && typeof inner === "string")
      return [key, inner.replace("Z", "+00:00")];
    if (NULL_SEEN.has(key) && (inner === "" || JSON.stringify(inner).length === 2)) return [key, null];
    return [key, disturb(FREE_FORM.has(key) ? withoutNulls(inner) : inner)];
  });
  if ("creation_mode" in value)
    entries.push(["use_template", null], ["use_dashboard", null], ["delete_insights", false]);
  if ("interval" in value) entries.push(["hogql_query", ""]);
  if ("target_email" in value) entries.push(["send_email", null]);
  if ("type" in value && "config" in value) entries.push(["integration", null]);
  if ("bucket_name" in value)
    entries.push(["use_virtual_style_addressing", false], ["file_format", "JSONLines"]);
  return Object.fromEntries(entries.reverse());
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]): Entry => [key, withoutNulls(inner)]));
}
