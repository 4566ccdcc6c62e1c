import { isGivenUp } from "../../client/errors";

const PAUSE_MS = 500;
/** What somebody gave up waiting for goes on at the service, and may have its effect so much later. */
export const REQUEST_AT_WORK_MS = 10_000;
/**
 * Pauses before each look for what a request has made whose answer was lost, in milliseconds: what takes the service
 * long may come to be a moment after the first.
 */
export const pausesBeforeLooks = (tries: number): readonly number[] => [0, PAUSE_MS * tries];

/** The same where to ask again makes another one: what was given up for its slowness is waited for, once. */
export function pausesBeforeAnother(tries: number, error: unknown, lostAt: number): readonly number[] {
  return tries > 1 || !isGivenUp(error) ? pausesBeforeLooks(tries) : pausesUntilRest(lostAt);
}

/** The same until nothing more can come of a request that was lost at that time. */
export function pausesUntilRest(lostAt: number): readonly number[] {
  const left = Math.max(0, lostAt + REQUEST_AT_WORK_MS - Date.now() - PAUSE_MS);
  return [0, PAUSE_MS, left / 4, (left * 3) / 4];
}
