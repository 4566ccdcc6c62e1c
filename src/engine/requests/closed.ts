import { PermissionError } from "../../client/errors";

/** Whether the service closes this action to every key that has scopes, whatever they are: see rule 10. */
export function isClosedAction(error: unknown): boolean {
  return (
    PermissionError.isInstance(error) &&
    error.detail?.includes("does not support Personal API Key access") === true
  );
}
