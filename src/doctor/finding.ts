import { ApiError, ConfigurationError, PostHogError } from "../client/errors";

/** How a check ended. */
export type Status = "ok" | "warning" | "failed" | "skipped";

/** What one check found. */
export interface Finding {
  /** Short name of the check, the same in every version. */
  readonly check: string;
  readonly status: Status;
  /** What was found; never a key or another secret. */
  readonly said: string;
  /** How to mend it; undefined where there is nothing to mend. */
  readonly remedy: string | undefined;
}

/** A finding that needs nothing. */
export function ok(check: string, said: string): Finding {
  return { check, status: "ok", said, remedy: undefined };
}

/** Something that works, and that a person should know. */
export function warning(check: string, said: string, remedy: string): Finding {
  return { check, status: "warning", said, remedy };
}

/** Something that has to be mended. */
export function failed(check: string, said: string, remedy: string | undefined): Finding {
  return { check, status: "failed", said, remedy };
}

/** A check that had nothing to look at. */
export function skipped(check: string, why: string): Finding {
  return { check, status: "skipped", said: why, remedy: undefined };
}

/** The finding that an error of the client is: what happened, and what to do about it. */
export function failure(check: string, error: unknown): Finding {
  if (!PostHogError.isInstance(error)) throw error;
  const { message } = error;
  const hint = ApiError.isInstance(error) ? error.hint : undefined;
  if (ConfigurationError.isInstance(error)) {
    const [, said = message, todo] = /^(.*): ((?:run|give) .*)$/s.exec(message) ?? [];
    const remedy =
      todo === undefined ? "Correct it with pulumi config set, or in the environment." : capitalised(todo);
    return failed(check, said, remedy);
  }
  const [first = "", ...rest] = message.split("\n");
  const remedy = hint ?? rest.join(" ").trim();
  return failed(check, first, remedy === "" ? undefined : remedy);
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
