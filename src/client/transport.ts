import type { Dispatcher, Pool as PoolOfUndici } from "undici";
import { ConnectionError, ResponseError, TimeoutError } from "./errors";
import { exchange, Pool } from "./exchange";
import { whatWasDone, type Circumstances } from "./explain";
import { storedConfigurationHint } from "./hints";
import { MAX_IN_FLIGHT } from "./budget";
import { settingName } from "./naming";
import { isCertificateCode } from "./retry";
import { noteServiceTime } from "./service-clock";

const CONNECT_TIMEOUT_MS = 10_000;
/** Larger than any page of a list; what is larger is not for us, and must not fill the memory. */
const LARGEST_BODY = 64 * 1024 * 1024;

/** One answer, read whole. */
export interface Answer {
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  body: string;
}

/** One try of a request. */
export interface Try {
  method: Dispatcher.HttpMethod;
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
  body?: string;
  /** Milliseconds until the try counts as failed. */
  timeout: number;
  /** Milliseconds of silence that count as no answer. */
  silence: number;
}

const pools = new Map<string, PoolOfUndici>();

function poolFor(origin: string): PoolOfUndici {
  const known = pools.get(origin);
  if (known) return known;
  const pool = new Pool(origin, {
    connections: MAX_IN_FLIGHT,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    maxResponseSize: LARGEST_BODY,
  });
  pools.set(origin, pool);
  return pool;
}

/** Sends one request once. Redirects are not followed: the key stays with its host. */
export async function send(base: URL, attempt: Try, where: Circumstances): Promise<Answer> {
  let sent = false;
  try {
    const answer = await exchange(
      poolFor(base.origin),
      {
        method: attempt.method,
        path: attempt.target,
        headers: attempt.headers,
        headersTimeout: attempt.silence,
        bodyTimeout: attempt.silence,
        ...(attempt.body === undefined ? {} : { body: attempt.body }),
      },
      {
        timeout: Math.max(1, Math.ceil(attempt.timeout)),
        onTheWay: () => {
          sent = true;
        },
      },
    );
    noteServiceTime(base.origin, answer.headers["date"]);
    return answer;
  } catch (error) {
    throw explainFailure(error, sent, where);
  }
}

/** The code of a failure or of what caused it. Errors of Node come from another realm in some hosts: no instanceof. */
function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  if ("errors" in error && Array.isArray(error.errors)) return codeOf(error.errors[0]);
  return "cause" in error ? codeOf(error.cause) : "";
}

function nameOf(error: unknown): string {
  return typeof error === "object" && error !== null && "name" in error ? String(error.name) : "";
}

function explainFailure(error: unknown, sent: boolean, where: Circumstances): Error {
  const code = codeOf(error);
  const what = whatWasDone(where);
  const host = settingName("host", where.connection);
  const stored = storedConfigurationHint(where);
  // A parser's error holds what was received, which may echo the key.
  const from = nameOf(error) === "HTTPParserError" ? {} : { cause: error };
  if (
    nameOf(error) === "TimeoutError" ||
    code === "UND_ERR_HEADERS_TIMEOUT" ||
    code === "UND_ERR_BODY_TIMEOUT"
  ) {
    return new TimeoutError(
      `${what}: ${where.host} did not answer in time. Run pulumi up again in a while.`,
      sent,
      from,
    );
  }
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return new ResponseError(
      `${what}: the answer of ${where.host} is larger than ${String(LARGEST_BODY / 1024 / 1024)} MB. Is ${host} the address of a PostHog?`,
      "too large",
      from,
    );
  }
  const problem = (text: string): ConnectionError =>
    new ConnectionError(`${what}: ${text}`, sent, { ...from, code });
  if (isCertificateCode(code)) {
    return problem(
      `no safe connection to ${where.host}: ${certificateProblem(code)} (${code}). Check ${host}; for a certificate ` +
        "of your own authority set NODE_EXTRA_CA_CERTS to its file.",
    );
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return problem(
      `no address is known for ${where.host} (${code}). Check the spelling of ${host}, and the network.${stored}`,
    );
  }
  if (nameOf(error) === "HTTPParserError") {
    return problem(`${where.host} does not speak HTTP. Is ${host} the address of a PostHog?${stored}`);
  }
  if (!sent) {
    return problem(
      `${where.host} cannot be reached (${code === "" ? "no code" : code}). Check ${host}, and the network.${stored}`,
    );
  }
  return problem(
    `the connection to ${where.host} broke (${code === "" ? "no code" : code}). Run pulumi up again.`,
  );
}

function certificateProblem(code: string): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "its certificate is for another host";
  if (code === "CERT_HAS_EXPIRED") return "its certificate has expired";
  if (code === "EPROTO" || code.startsWith("ERR_SSL")) return "it does not answer with TLS as it should";
  return "its certificate is not trusted here";
}

/** Closes every connection; for programs that end, and tests. */
export async function closeConnections(): Promise<void> {
  const open = [...pools.values()];
  pools.clear();
  await Promise.all(open.map((pool) => pool.close()));
}
