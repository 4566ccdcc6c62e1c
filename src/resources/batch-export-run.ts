import { z } from "zod";
import { plainObject } from "../engine/values/fields";
import { moment } from "./user";

const shape = {
  /** UUID of the run. */
  id: z.string().optional(),
  /** `Completed`, `Running`, `Starting`, `Failed`, `FailedRetryable`, `Cancelled`, `Terminated`, `TimedOut` ... */
  status: z.string().optional(),
  /** Records that it has exported. */
  recordsCompleted: z.number().optional(),
  /** What went wrong last, at most 1,000 characters. */
  latestError: z
    .string()
    .transform((error) => (error.length > 1000 ? `${error.slice(0, 1000)}…` : error))
    .optional(),
  /** Begin of the time range that it exports. */
  dataIntervalStart: moment.optional(),
  /** End of the time range that it exports. */
  dataIntervalEnd: moment.optional(),
  /** Where it is in its range. */
  cursor: z.string().optional(),
  /** When it was made. */
  createdAt: moment.optional(),
  /** When it ended. */
  finishedAt: moment.optional(),
  /** When it was last changed. */
  lastUpdatedAt: moment.optional(),
  /** Records in its range. */
  recordsTotalCount: z.number().optional(),
  /** UUID of its batch export. */
  batchExport: z.string().optional(),
};

/** A run of a batch export. */
export interface BatchExportRun extends z.output<z.ZodObject<typeof shape>> {}

/** The schema of a {@link BatchExportRun}; typed by that name, as the JSDoc of its keys gets lost otherwise. */
export const batchExportRun: z.ZodType<BatchExportRun, z.input<z.ZodObject<typeof shape>>> = plainObject(
  shape,
);
