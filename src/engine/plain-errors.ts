import { PostHogError } from "../client/errors";

/**
 * Runs a verb and takes the stack off errors that are meant for a person: the dynamic provider's host prints the
 * stack of whatever check, diff, read or delete throw, beside the engine's own line with the message.
 */
export async function withPlainErrors<T>(verb: () => Promise<T>): Promise<T> {
  try {
    return await verb();
  } catch (error) {
    if (PostHogError.isInstance(error)) error.stack = "";
    throw error;
  }
}
