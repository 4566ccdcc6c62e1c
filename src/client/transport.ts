import { errors, Pool, type Dispatcher } from "undici";
import { STORED_CONFIGURATION_HINT, whatWasDone, type Circumstances } from "./explain";
import { ConnectionError, TimeoutError } from "./errors";

/** Connections to one host, for all resources of the process together. */
const MAX_CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 10_000;
/** Silence that counts as no answer. Making or deleting an organization takes the service long. */
const ANSWER_TIMEOUT_MS = 60_000;

/** One answer, read whole. */
export interface Answer {
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  body: string;
}

/** Codes of failures before anything was sent. */
const UNSENT: readonly string[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

const pools = new Map<string, Pool>();

function poolFor(origin: string): Pool {
  const known = pools.get(origin);
  if (known) return known;
  const pool = new Pool(origin, {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });
  pools.set(origin, pool);
  return pool;
}

/** Sends one request once. Redirects are not followed: the key stays with its host. */
export async function send(
  base: URL,
  options: {
    method: Dispatcher.HttpMethod;
    target: string;
    headers: Record<string, string>;
    body?: string;
    timeout: number;
  },
  where: Circumstances,
): Promise<Answer> {
  try {
    const response = await poolFor(base.origin).request({
      method: options.method,
      path: options.target,
      headers: options.headers,
      signal: AbortSignal.timeout(Math.max(1, options.timeout)),
      ...(options.body === undefined ? {} : { body: options.body }),
    });
    return { status: response.statusCode, headers: response.headers, body: await response.body.text() };
  } catch (error) {
    throw explainFailure(error, where);
  }
}

/** The code of a failure or of what caused it. Errors of Node come from another realm in some hosts: no instanceof. */
function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  if ("errors" in error && Array.isArray(error.errors)) return codeOf(error.errors[0]);
  return "cause" in error ? codeOf(error.cause) : "";
}

function explainFailure(error: unknown, where: Circumstances): Error {
  const code = codeOf(error);
  const what = whatWasDone(where);
  const timedOut =
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    (typeof error === "object" && error !== null && "name" in error && error.name === "TimeoutError");
  if (timedOut) {
    return new TimeoutError(
      `${what}: ${where.host} did not answer in time. Run pulumi up again in a while.`,
      {
        cause: error,
      },
    );
  }
  if (UNSENT.includes(code)) {
    return new ConnectionError(
      `${what}: ${where.host} cannot be reached (${code}). Check posthog:host (POSTHOG_HOST) and the network. ${STORED_CONFIGURATION_HINT}`,
      false,
      { cause: error },
    );
  }
  if (/CERT|SSL|TLS|SELF_SIGNED|VERIFY|ALTNAME/.test(code)) {
    return new ConnectionError(
      `${what}: the certificate of ${where.host} does not fit (${code}). Check posthog:host; for a certificate of your ` +
        `own authority set NODE_EXTRA_CA_CERTS to its file.`,
      false,
      { cause: error },
    );
  }
  return new ConnectionError(
    `${what}: the connection to ${where.host} broke (${code === "" ? "no code" : code}). Run pulumi up again.`,
    true,
    { cause: error },
  );
}

/** Closes every connection; for programs that end, and tests. */
export async function closeConnections(): Promise<void> {
  const open = [...pools.values()];
  pools.clear();
  await Promise.all(open.map((pool) => pool.close()));
}
