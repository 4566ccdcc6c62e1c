import {
  ConnectionError,
  RateLimitError,
  ResponseError,
  ServerError,
  TimeoutError,
  ApiError,
} from "./errors";

/** Tries of a request that the service keeps failing (5xx, broken connections). */
export const MAX_TRIES = 6;
/** Tries to reach a host at all: a mistyped one must not cost minutes. */
const MAX_CONNECTS = 4;
const FIRST_DELAY_MS = 400;
const MAX_DELAY_MS = 20_000;
/** Statuses that say "again": request timeout, too early. */
const EARLY_STATUSES: readonly number[] = [408, 425];
const NOT_IMPLEMENTED = 501;

/** One failed try. */
export interface Failure {
  method: string;
  error: unknown;
  /** How many tries there were, this one included. */
  tries: number;
  /** Between 0 and 1. */
  random: number;
}

/** Milliseconds to wait before the next try, or undefined where there must be none. */
export function retryDelay({ method, error, tries, random }: Failure): number | undefined {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS) * (0.5 + random / 2);
  // Nothing was done: any request can be made again, for as long as the deadline allows.
  if (RateLimitError.isInstance(error))
    return error.retryAfter === undefined ? backoff : error.retryAfter * 1000;
  if (ConnectionError.isInstance(error) && !error.sent) return tries < MAX_CONNECTS ? backoff / 2 : undefined;
  // A POST may have had its effect: what is to be done then is not the client's to decide.
  if (method === "POST" || tries >= MAX_TRIES) return undefined;
  const failed = ServerError.isInstance(error) && error.status !== NOT_IMPLEMENTED;
  if (failed || (ApiError.isInstance(error) && EARLY_STATUSES.includes(error.status))) {
    return error.retryAfter === undefined ? backoff : error.retryAfter * 1000;
  }
  const broken =
    TimeoutError.isInstance(error) || ConnectionError.isInstance(error) || ResponseError.isInstance(error);
  return broken ? backoff : undefined;
}

/** Seconds that a `Retry-After` header asks for: whole seconds or a date; anything else counts as not given. */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const value = header.trim();
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
