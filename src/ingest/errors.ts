import type { Checkpoint } from "./checkpoint/checkpoint";

/** What kind of failure stopped an import: callers choose an exit code by it. */
export type ImportFailure =
  "arguments" | "source" | "invalid-events" | "not-announced" | "refused" | "unreachable" | "interrupted";

/** An import that stopped. What was acknowledged until then stands in `checkpoint`; the next run goes on there. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly failure: ImportFailure;
  /** What to do next. */
  readonly hint: string | undefined;
  /** Plain JSON for {@link runImport}'s `checkpoint`; missing where nothing was begun. */
  readonly checkpoint: Checkpoint | undefined;

  constructor(
    failure: ImportFailure,
    message: string,
    options: { hint?: string; checkpoint?: Checkpoint; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.failure = failure;
    this.hint = options.hint;
    this.checkpoint = options.checkpoint;
  }

  /** The same failure with the place where a next run goes on. */
  at(checkpoint: Checkpoint): ImportError {
    return new ImportError(this.failure, this.message, {
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      checkpoint,
      cause: this.cause,
    });
  }
}

/** The code of what was thrown (`ENOENT`), or nothing. Node's errors come from another realm in some hosts. */
export function codeOf(thrown: unknown): string {
  return typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : "";
}

/** The same in brackets behind a sentence; nothing where there is none. */
export function codeBehind(thrown: unknown): string {
  const code = codeOf(thrown);
  return code === "" ? "" : ` (${code})`;
}
