import { PostHogError } from "../../client/errors";

/** The state and the service do not fit together in a way that only a person can decide. */
export class StateError extends PostHogError {
  override name = "StateError";
}

/**
 * The object exists and something about it is still to be done. The engine stores the object with these
 * properties and shows the reasons (not the message), so the next `pulumi up` goes on where this one stopped.
 */
export class InitFailedError extends PostHogError {
  override name = "InitFailedError";
  readonly reasons: string[];

  constructor(
    /** Id of the object that exists. */
    readonly id: string,
    /** Outputs to store, `__provider` included: the host adds it to results but not to errors. */
    readonly properties: Record<string, unknown>,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
    this.reasons = [reason];
  }
}
