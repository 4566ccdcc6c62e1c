import type { Problem } from "../engine/definition";
import { StateError } from "../engine/messages/errors";
import type { Props } from "../engine/values/json";

/** What the check of an action says to `adoptId`: there is no object that could be taken over. */
export function refuseAdoption(args: Props, what: string): Problem[] {
  return args["adoptId"] === undefined
    ? []
    : [{ argument: "adoptId", reason: `${what} is an action and no object that could be adopted` }];
}

/** What `get` of an action says where the service keeps no record: nothing was handed over but an id. */
export function refuseLookup(stored: Props, argument: string, what: string): void {
  if (stored[argument] === undefined || stored[argument] === null) {
    throw new StateError(
      `${what} cannot be looked up with get: PostHog keeps no record of it by which to find it.`,
    );
  }
}
