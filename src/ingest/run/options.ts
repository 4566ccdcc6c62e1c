import type { Destination } from "../arguments";
import type { Clock } from "../clock";
import type { Progress } from "./progress";

/** What an import needs beside its arguments. */
export interface ImportOptions extends Destination {
  /** The program's folder: paths of the arguments are relative to it. */
  readonly folder: string;
  /** Whose import it is, where several may read one source into one project: each has a checkpoint of its own. */
  readonly owner?: string;
  /** A checkpoint kept elsewhere, for example in a stack's state. The one that came further counts, that or the local one. */
  readonly checkpoint?: unknown;
  /** Stops the import; what is in flight is waited for a moment. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Least time between two calls of `onProgress`. Default 10 s. */
  readonly progressEveryMs?: number;
  /** Takes what a person should know on the way. */
  readonly log?: (line: string) => void;
  /** How long one request may be tried, with all its repetitions. Default 600 s. */
  readonly deadlineMs?: number;
  /** How long one attempt may take. Default 60 s. */
  readonly attemptMs?: number;
  readonly clock?: Clock;
}
