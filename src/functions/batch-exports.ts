import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { batchExport, type BatchExportOutputs } from "../resources/batch-export";
import { withoutSecrets } from "../resources/destination-field";
import { moment } from "../resources/user";
import { plainObject } from "../engine/values/fields";
import { isObject, type Props } from "../engine/values/json";
import {
  dataFunction,
  recordOf,
  type ConnectionArgs,
  type LiftedArgs,
  type RecordOf,
  type ValuesOf,
} from "./data-function";
import { idArgs, organizationArgs } from "./scope-args";

const runShape = plainObject({
  /** UUID of the run. */
  id: z.string().optional(),
  /** Completed, Running, Starting, Cancelled, Failed, FailedRetryable, Terminated, TimedOut or ContinuedAsNew. */
  status: z.string().optional(),
  /** Records that were exported. */
  recordsCompleted: z.number().optional(),
  /** Records that there were to export. */
  recordsTotalCount: z.number().optional(),
  /** What went wrong last. */
  latestError: z.string().optional(),
  /** Start of the interval that was exported. */
  dataIntervalStart: moment.optional(),
  /** End of the interval that was exported. */
  dataIntervalEnd: moment.optional(),
  /** Where the run stands, in the service's own form. */
  cursor: z.string().optional(),
  /** When the run was made. */
  createdAt: moment.optional(),
  /** When it finished. */
  finishedAt: moment.optional(),
  /** When it was last changed. */
  lastUpdatedAt: moment.optional(),
  /** UUID of the export. */
  batchExport: z.string().optional(),
});

const {
  organizationId: _organizationId,
  projectId: _projectId,
  destination: _destination,
  hogqlQuery: _query,
  ...readable
} = batchExport.inputs;
const own = {
  /** UUID of the export. */
  id: z.string(),
  /** Where it goes; its secrets are left out. */
  destination: plainObject({
    /** Type of the destination. */
    type: z.string().optional(),
    /** Its configuration in the service's own names, without secrets. */
    config: z.record(z.string(), z.unknown()).optional(),
  }),
  /** Its newest runs, at most 10. */
  latestRuns: z.array(runShape),
};
const exportRecord = recordOf({ ...readable, ...batchExport.outputs, ...own });

const logShape = {
  /** When it happened. */
  timestamp: moment,
  /** DEBUG, LOG, INFO, WARN or ERROR. */
  level: z.string(),
  /** What happened. */
  message: z.string(),
  /** UUID of the export. */
  logSourceId: z.string(),
  /** Id of the run. */
  instanceId: z.string(),
};
const logRecord = recordOf(logShape);

/** A batch export as the service shows it, without secrets. */
export interface BatchExportResult
  extends
    ValuesOf<Omit<BatchExportOutputs, "organizationId" | "projectId" | "destination" | "hogqlQuery">>,
    RecordOf<typeof own> {}
/** A line of a batch export's log. */
export interface BatchExportLogResult extends RecordOf<typeof logShape> {}

const route = {
  /** Id of a project: asks at the project's route instead of the organization's. Default: none. */
  projectId: z.string().min(1).optional(),
};
const scope = { ...organizationArgs, ...route };
const ofLog = {
  /** UUID of the export. */
  batchExportId: z.string().min(1),
  /** Most lines to return, 1 to 500. Default: the service's 50. */
  limit: z.int().min(1).max(500).optional(),
  /** Levels to return. Default: all. */
  level: z.array(z.enum(["DEBUG", "LOG", "INFO", "WARN", "ERROR"])).optional(),
  /** Text that lines must hold. Default: none. */
  search: z.string().optional(),
};
const logArgs = { ...scope, ...ofLog };

/** Arguments of {@link getBatchExports}. */
export type GetBatchExportsArgs = z.input<z.ZodObject<typeof organizationArgs>> &
  z.input<z.ZodObject<typeof route>> &
  ConnectionArgs;
/** Arguments of {@link getBatchExport}. */
export type GetBatchExportArgs = GetBatchExportsArgs & z.input<z.ZodObject<typeof idArgs>>;
/** Arguments of {@link getBatchExportLogs}. */
export type GetBatchExportLogsArgs = GetBatchExportsArgs & z.input<z.ZodObject<typeof ofLog>>;

const COLLECTION = "/api/organizations/{organizationId}/batch_exports/";

function exportOf(item: unknown): BatchExportResult {
  const destination = isObject(item) ? withoutSecrets(item["destination"]) : undefined;
  return exportRecord.parse(isObject(item) ? { ...item, destination } : item);
}

const batchExportFunction = dataFunction({
  name: "getBatchExport",
  scope: "projectOrOrganization",
  args: { ...scope, ...idArgs },
  ask: async ({ get }) => exportOf(await get(`${COLLECTION}{id}/`, "batch_export:read")),
});
const batchExportsFunction = dataFunction({
  name: "getBatchExports",
  scope: "projectOrOrganization",
  args: scope,
  ask: async ({ list }) => (await list(COLLECTION, "batch_export:read")).map(exportOf),
});
const batchExportLogsFunction = dataFunction({
  name: "getBatchExportLogs",
  scope: "projectOrOrganization",
  args: logArgs,
  ask: async ({ get }, { limit, level, search }) => {
    const query: Record<string, string | number> = {
      ...(limit === undefined ? {} : { limit }),
      ...(level === undefined ? {} : { level: level.join(",") }),
      ...(search === undefined ? {} : { search }),
    };
    const answer = await get(`${COLLECTION}{batchExportId}/logs/`, "batch_export:read", query);
    return linesOf(answer).map((line) => logRecord.parse(line));
  },
});

/** The lines of an answer: a page of them in the service; the interface shows a single export's shape, without any. */
function linesOf(answer: unknown): Props[] {
  const lines = isObject(answer) ? answer["results"] : answer;
  return Array.isArray(lines) ? lines.filter(isObject) : [];
}

/** A batch export by its UUID, with its newest runs. `GET /api/organizations/:organization_id/batch_exports/:id/` */
export function getBatchExport(args: GetBatchExportArgs): Promise<BatchExportResult> {
  return batchExportFunction.call(args);
}
/** {@link getBatchExport} of arguments that may be outputs. */
export function getBatchExportOutput(args: LiftedArgs<GetBatchExportArgs>): pulumi.Output<BatchExportResult> {
  return batchExportFunction.output(args);
}

/** Every batch export. `GET /api/organizations/:organization_id/batch_exports/` */
export function getBatchExports(args: GetBatchExportsArgs = {}): Promise<BatchExportResult[]> {
  return batchExportsFunction.call(args);
}
/** {@link getBatchExports} of arguments that may be outputs. */
export function getBatchExportsOutput(
  args: LiftedArgs<GetBatchExportsArgs> = {},
): pulumi.Output<BatchExportResult[]> {
  return batchExportsFunction.output(args);
}

/** The newest lines of an export's log; closed to keys with scopes. `GET .../batch_exports/:id/logs/` */
export function getBatchExportLogs(args: GetBatchExportLogsArgs): Promise<BatchExportLogResult[]> {
  return batchExportLogsFunction.call(args);
}
/** {@link getBatchExportLogs} of arguments that may be outputs. */
export function getBatchExportLogsOutput(
  args: LiftedArgs<GetBatchExportLogsArgs>,
): pulumi.Output<BatchExportLogResult[]> {
  return batchExportLogsFunction.output(args);
}
