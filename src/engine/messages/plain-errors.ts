import { PostHogError } from "../../client/errors";

/** What the host's own report of an error reads like once {@link withPlainErrors} has been at it. */
const ALREADY_SAID = "pulumi-posthog: already said";
const REPORT = `${ALREADY_SAID}: `;

/**
 * Runs a verb. The dynamic provider's host prints whatever check, diff, read or delete throws, with its stack,
 * beside the engine's own line with the same message: for errors that are meant for a person, once is enough.
 */
export async function withPlainErrors<T>(verb: () => Promise<T>): Promise<T> {
  try {
    return await verb();
  } catch (error) {
    if (PostHogError.isInstance(error)) {
      error.stack = "";
      error.toString = () => ALREADY_SAID;
    }
    throw error;
  }
}

/** Keeps the host's second report of an error off the screen; everything else is printed as before. */
export function dropRepeatedReports(): void {
  const print = console.error.bind(console);
  console.error = (...parts: unknown[]) => {
    if (parts.length !== 1 || parts[0] !== REPORT) print(...parts);
  };
}
