import {
  ApiError,
  ConnectionError,
  RateLimitError,
  ResponseError,
  ServerError,
  TimeoutError,
} from "./errors";

/** Tries of a request that the service keeps failing (5xx, broken connections). */
export const MAX_TRIES = 6;
/** Tries to reach a host at all, about 3 s together: a mistyped one must not cost minutes. */
const MAX_CONNECTS = 5;
/** The same where each try itself waits for long. */
const MAX_SLOW_CONNECTS = 2;
/** Tries where a page answers instead of PostHog: a proxy whose service restarts, or the wrong host. */
const MAX_WEB_PAGES = 3;
const FIRST_DELAY_MS = 400;
const MAX_DELAY_MS = 20_000;
/** A service that asks for no wait at all would be asked again without end. */
const LEAST_PAUSE_MS = 250;
/** Statuses that say "again": request timeout, too early. */
const EARLY_STATUSES: readonly number[] = [408, 425];
const NOT_IMPLEMENTED = 501;

/** Codes of Node and OpenSSL for a certificate or a handshake that will not be better the next time. */
export function isCertificateCode(code: string): boolean {
  return /CERT|ERR_SSL|ERR_TLS|EPROTO|UNABLE_TO_VERIFY/.test(code);
}

/** One failed try. */
export interface Failure {
  method: string;
  error: unknown;
  /** How many tries there were, this one included. */
  tries: number;
  /** Between 0 and 1. */
  random: number;
}

/**
 * Milliseconds to wait before the next try, or undefined where there must be none. A POST is made again only where
 * it cannot have had its effect: what is to be done otherwise is for `engine/once/settle.ts` to decide.
 */
export function retryDelay({ method, error, tries, random }: Failure): number | undefined {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS) * (0.5 + random / 2);
  // Nothing was done: any request can be made again, for as long as the deadline allows.
  if (RateLimitError.isInstance(error)) return asAsked(error, backoff);
  if (ConnectionError.isInstance(error) && !error.sent) {
    return tries < mostConnects(error.code) ? backoff / 2 : undefined;
  }
  if (method === "POST" || tries >= mostTries(error)) return undefined;
  return ApiError.isInstance(error) ? asAsked(error, backoff) : backoff;
}

/** `Retry-After` in full, where it was given. */
function asAsked(error: ApiError, backoff: number): number {
  return error.retryAfter === undefined ? backoff : Math.max(error.retryAfter * 1000, LEAST_PAUSE_MS);
}

function mostConnects(code: string): number {
  if (isCertificateCode(code)) return 1;
  return code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT" ? MAX_SLOW_CONNECTS : MAX_CONNECTS;
}

/** How often a request that may be repeated is made while it fails like this. */
function mostTries(error: unknown): number {
  if (ServerError.isInstance(error)) return error.status === NOT_IMPLEMENTED ? 1 : MAX_TRIES;
  if (ApiError.isInstance(error)) return EARLY_STATUSES.includes(error.status) ? MAX_TRIES : 1;
  if (ResponseError.isInstance(error)) {
    if (error.problem === "web page") return MAX_WEB_PAGES;
    return error.problem === "not JSON" || error.problem === "empty" ? MAX_TRIES : 1;
  }
  return ConnectionError.isInstance(error) || TimeoutError.isInstance(error) ? MAX_TRIES : 1;
}

/** The date of a header, in the form of RFC 9110; `Date.parse` alone would take nearly any text. */
const HTTP_DATE = /^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Seconds that a `Retry-After` header asks for: whole seconds or a date; anything else counts as not given. */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  const value = header?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value);
  const date = HTTP_DATE.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
