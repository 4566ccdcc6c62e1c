import {
  ApiError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  ResponseError,
  ServerError,
  TimeoutError,
  ValidationError,
  isAmbiguous,
  type ApiFailure,
} from "../../src/client/errors";
import { MAX_TRIES, retryAfterSeconds, retryDelay } from "../../src/client/retry";

const failure = (status: number, retryAfter?: number): ApiFailure => ({
  status,
  method: "GET",
  path: "/api/x/",
  retryAfter,
});
const unreachable = (code: string) => new ConnectionError("", false, { code });

/** How many tries a request makes while it keeps failing like this; more than 100 counts as without end. */
function triesOf(method: string, error: unknown): number {
  for (let tries = 1; tries <= 100; tries++) {
    if (retryDelay({ method, error, tries, random: 1 }) === undefined) return tries;
  }
  return Infinity;
}

/** Milliseconds between the first and the last try. */
function patienceOf(method: string, error: unknown): number {
  let sum = 0;
  for (let tries = 1; ; tries++) {
    const delay = retryDelay({ method, error, tries, random: 1 });
    if (delay === undefined) return sum;
    sum += delay;
  }
}

describe("how often a request is made", () => {
  const [many, once] = [MAX_TRIES, 1];
  const cases: [string, unknown, repeatable: number, post: number, ambiguous: boolean][] = [
    ["429", new RateLimitError("", failure(429)), Infinity, Infinity, false],
    ["429 with Retry-After", new RateLimitError("", failure(429, 3)), Infinity, Infinity, false],
    ["500", new ServerError("", failure(500)), many, once, true],
    ["502", new ServerError("", failure(502)), many, once, true],
    ["503 with Retry-After", new ServerError("", failure(503, 3)), many, once, true],
    ["504", new ServerError("", failure(504)), many, once, true],
    ["501", new ServerError("", failure(501)), once, once, true],
    ["408", new ApiError("", failure(408)), many, once, true],
    ["425", new ApiError("", failure(425)), many, once, false],
    ["400", new ValidationError("", failure(400)), once, once, false],
    ["404", new NotFoundError("", failure(404)), once, once, false],
    ["a reset after sending", new ConnectionError("", true, { code: "ECONNRESET" }), many, once, true],
    ["a reset of the handshake", unreachable("ECONNRESET"), 5, 5, false],
    ["a refused connection", unreachable("ECONNREFUSED"), 5, 5, false],
    ["an unknown host", unreachable("ENOTFOUND"), 5, 5, false],
    ["a connection that does not come about", unreachable("UND_ERR_CONNECT_TIMEOUT"), 2, 2, false],
    ["a wrong certificate", unreachable("ERR_TLS_CERT_ALTNAME_INVALID"), once, once, false],
    ["a handshake with something else", unreachable("ERR_SSL_WRONG_VERSION_NUMBER"), once, once, false],
    ["silence", new TimeoutError("", true), many, once, true],
    ["no turn before the deadline", new TimeoutError("", false), many, once, false],
    ["half an answer", new ResponseError("", "not JSON"), many, once, true],
    ["an empty answer", new ResponseError("", "empty"), many, once, true],
    ["a web page", new ResponseError("", "web page"), 3, once, true],
    ["a redirect", new ResponseError("", "redirect"), once, once, false],
    ["an answer without end", new ResponseError("", "too large"), once, once, true],
    ["a mistake of our own", new Error("x"), once, once, false],
  ];
  it.each(cases)("%s", (_, error, repeatable, post, ambiguous) => {
    for (const method of ["GET", "PATCH", "DELETE"]) expect(triesOf(method, error)).toBe(repeatable);
    expect(triesOf("POST", error)).toBe(post);
    expect(isAmbiguous(error)).toBe(ambiguous);
  });
});

describe("how long it waits", () => {
  it("is about three seconds for a host that cannot be reached", () => {
    expect(patienceOf("GET", unreachable("ECONNREFUSED"))).toBe(3000);
  });

  it("grows, and differs from request to request", () => {
    const error = new ServerError("", failure(500));
    const delays = [1, 2, 3].map((tries) => retryDelay({ method: "GET", error, tries, random: 1 }));
    expect(delays).toEqual([400, 800, 1600]);
    expect(retryDelay({ method: "GET", error, tries: 1, random: 0 })).toBe(200);
  });

  it("has a limit", () => {
    const error = new RateLimitError("", failure(429));
    expect(retryDelay({ method: "GET", error, tries: 90, random: 1 })).toBe(20_000);
  });

  const asked: [ApiError, number][] = [
    [new RateLimitError("", failure(429, 3600)), 3_600_000],
    [new ServerError("", failure(503, 120)), 120_000],
    [new RateLimitError("", failure(429, 0)), 250],
  ];
  it.each(asked)("is what Retry-After asks for, and never nothing: %#", (error, delay) => {
    for (const tries of [1, 5]) {
      for (const random of [0, 1]) expect(retryDelay({ method: "GET", error, tries, random })).toBe(delay);
    }
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  it.each([
    ["7", 7],
    [" 120 ", 120],
    ["0", 0],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["soon", undefined],
    // Date.parse takes these for days of the year 2001, which would mean no wait at all.
    ["-5", undefined],
    ["1.5", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%s is %s seconds", (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });
});
