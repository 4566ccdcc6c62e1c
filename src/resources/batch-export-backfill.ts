import { z } from "zod";
import { NotFoundError, PostHogError } from "../client/errors";
import { attempt, earlierAttempts, settleAttempts } from "../engine/once/attempts";
import { asObject, collectionRemote, itemPath } from "../engine/requests/collection-remote";
import { definition, defineResource } from "../engine/program/define";
import type { Problem } from "../engine/definition";
import { instant, projectNumber, text, uuid } from "../engine/values/fields";
import type { Intent } from "../engine/once/intent";
import { lookTwice } from "../engine/once/interrupted";
import { hasUnknown } from "../engine/values/unknown";
import {
  isObject,
  isSame,
  textAt,
  toJson,
  toJsonObject,
  type JsonObject,
  type Props,
} from "../engine/values/json";
import type { Call, Found } from "../engine/requests/remote";
import { makeNamed } from "../engine/once/settle";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { refuseAdoption } from "./actions";
import { batchExportRun } from "./batch-export-run";

/** As many runs as the service shows with an export; the state of a long history stays small. */
const MOST_RUNS = 10;
const MINUTE_MS = 60_000;
const INTERVAL_MS: Readonly<Record<string, number>> = {
  "every 5 minutes": 5 * MINUTE_MS,
  "every 15 minutes": 15 * MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
  week: 7 * 24 * 60 * MINUTE_MS,
};

const inputs = {
  /** UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`, unless `projectId` is given. */
  organizationId: text({ min: 1 }).optional(),
  /**
   * Id of the project: makes the calls go below `/api/projects/:project_id/`, which PostHog Cloud needs to backfill.
   * Default: none; never taken from configuration. A change backfills again.
   */
  projectId: projectNumber().optional(),
  /** UUID of the export, the `id` of its `BatchExport`. A change backfills that one. */
  batchExportId: uuid(),
  /** Begin of the range (ISO 8601 with a zone). A change backfills again. */
  startAt: instant(),
  /**
   * End of the range (ISO 8601 with a zone), after `startAt` and at most one interval of the export in the future. A
   * change backfills again.
   */
  endAt: instant(),
  /** Any text: a change of it backfills the same range again. Default: none. */
  trigger: text().optional(),
};

const outputs = {
  /** Id of the backfill, where the service says one. */
  backfillId: z.string().optional(),
  /** The export's latest runs, newest first, at most ten; as of the last `up` or refresh. */
  latestRuns: z.array(batchExportRun).optional(),
};

/** The kind `BatchExportBackfill`: done once, and then it is what its state says, with the export's latest runs. */
export const batchExportBackfill = definition({
  type: "BatchExportBackfill",
  inputs,
  outputs,
  scope: "projectOrOrganization",
  path: "/api/organizations/{organizationId}/batch_exports/",
  keyScope: "batch_export",
  update: "none",
  replaceOnChanges: ["organizationId", "projectId", "batchExportId", "startAt", "endAt", "trigger"],
  clears: {},
  repeats: { latestRuns: ["batchExportId", "startAt", "endAt"] },
  refine,
  inspect,
  argumentsOf: (id) => ({ batchExportId: id.split("-Backfill-")[0] }),
  remote: {
    create,
    async find(call, id, stored) {
      const found = await exportSeen(call, stored);
      return found && { id, object: withRuns(found, { backfill_id: toJson(stored["backfillId"]) }) };
    },
    delete: () => Promise.resolve(),
  },
});

function refine(args: Props): Problem[] {
  const problems = refuseAdoption(args, "a backfill");
  const { startAt, endAt } = args;
  if (typeof startAt === "string" && typeof endAt === "string" && Date.parse(startAt) >= Date.parse(endAt)) {
    problems.push({ argument: "endAt", reason: `must be after startAt (${startAt}), got ${endAt}` });
  }
  return problems;
}

/** The service refuses to backfill further ahead than the export's interval; a range that was done is past asking. */
async function inspect(call: Call, args: Props, former: Props): Promise<Problem[]> {
  const { endAt, batchExportId } = args;
  const asked = Object.keys(inputs).some((name) => !isSame(args[name], former[name]));
  if (!asked || hasUnknown(batchExportId) || typeof endAt !== "string" || hasUnknown(endAt)) return [];
  if (Date.parse(endAt) <= Date.now()) return [];
  const interval = await exportOf(call, args).then(
    (found) => textAt(found, "interval"),
    () => "",
  );
  const ahead = INTERVAL_MS[interval];
  if (ahead === undefined || Date.parse(endAt) <= Date.now() + ahead) return [];
  const latest = new Date(Date.now() + ahead).toISOString();
  return [
    {
      argument: "endAt",
      reason: `must be at most one interval of the export (${interval}) in the future, which is ${latest} now; got ${endAt}`,
    },
  ];
}

async function exportOf(call: Call, args: Props): Promise<JsonObject | undefined> {
  try {
    return asObject(await call.client.get(itemPath(call, String(args["batchExportId"])), call.reading));
  } catch (error) {
    if (NotFoundError.isInstance(error)) return undefined;
    throw error;
  }
}

/** The export as many reads see it together; by itself where the list does not say its runs. */
async function exportSeen(call: Call, stored: Props): Promise<JsonObject | undefined> {
  const found = await collectionRemote.find(call, String(stored["batchExportId"]), {});
  return found === undefined || "latest_runs" in found.object ? found?.object : await exportOf(call, stored);
}

function runsOf(found: JsonObject | undefined): JsonObject[] {
  const runs = found?.["latest_runs"];
  if (!Array.isArray(runs)) return [];
  return runs.slice(0, MOST_RUNS).flatMap((run) => (isObject(run) ? [toJsonObject(run)] : []));
}

/** Of the export only the runs are the backfill's: its other fields have the names of the backfill's arguments. */
function withRuns(found: JsonObject | undefined, rest: JsonObject): JsonObject {
  return { ...rest, latest_runs: runsOf(found) };
}

/** Starts it once: neither a lost answer nor a run that was killed makes the same range be exported again. */
async function create(call: Call, args: Props): Promise<Found> {
  const { batchExportId, startAt, endAt, trigger = null } = args;
  const path = `${itemPath(call, String(batchExportId))}backfill/`;
  const hash = call.seal(JSON.stringify([path, startAt, endAt, trigger]));
  const all = await earlierAttempts(call);
  const earlier = all.filter(({ plan }) => plan.hash === hash);
  /** The runs that a backfill starts can be seen, even where its answer cannot. */
  const look = async (besides: readonly string[]): Promise<JsonObject | undefined> => {
    const runs = runsOf(await exportOf(call, args)).filter((run) => !besides.includes(textAt(run, "id")));
    return runs.some((run) => isWithin(run, startAt, endAt)) ? {} : undefined;
  };
  const fallback = `${String(batchExportId)}-Backfill-${String(startAt)}-${String(endAt)}`;
  const started = await startedBefore(call, earlier, fallback, look);
  if (started !== undefined) call.warn("took over the backfill that an interrupted run had started for it");
  const before = started ? [] : runsOf(await exportOf(call, args)).map((run) => textAt(run, "id"));
  const post = async () =>
    asObject(await call.client.post(path, call.writing({ start_at: startAt, end_at: endAt }))) ?? {};
  const answer =
    started ??
    (await attempt(
      call,
      { path, hash, traits: {}, besides: before },
      // The service starts the runs in its own time.
      () => makeNamed(call, post, () => look(before), { showsLate: true }),
      (made) => backfillId(made) ?? fallback,
    ));
  call.collection.invalidate();
  // The interface document shows the export as the answer, which says nothing of the backfill.
  const given = backfillId(answer);
  const id = given ?? fallback;
  // What was taken over stays written down until the state has it.
  await settleAttempts(earlier, started === undefined ? undefined : id);
  // Another range was asked for before: that one is past.
  await settleAttempts(
    all.filter((one) => !earlier.includes(one)),
    undefined,
  );
  const found = await exportOf(call, args).catch((error: unknown) => {
    if (!PostHogError.isInstance(error)) throw error;
    // It was done: a read that fails must not make the next run do it again.
    call.warn(`started; the export's runs could not be read (${error.message.split("\n")[0] ?? ""})`);
    return undefined;
  });
  return { id, object: withRuns(found, given === undefined ? {} : { backfill_id: given }) };
}

function backfillId(answer: JsonObject): string | undefined {
  const given = answer["backfill_id"];
  return typeof given === "string" && given !== "" ? given : undefined;
}

/** The answer of an attempt that is known to have had its effect. */
async function startedBefore(
  call: Call,
  earlier: readonly Intent[],
  fallback: string,
  look: (besides: readonly string[]) => Promise<JsonObject | undefined>,
): Promise<JsonObject | undefined> {
  for (const intent of earlier) {
    const { id, plan } = intent;
    if (id !== undefined) return id === fallback ? {} : { backfill_id: id };
    const seen = await lookTwice(call, intent, () => look(plan.besides));
    if (seen !== undefined) return seen;
  }
  return undefined;
}

function isWithin(run: JsonObject, startAt: unknown, endAt: unknown): boolean {
  const [from, to] = [
    Date.parse(textAt(run, "data_interval_start")),
    Date.parse(textAt(run, "data_interval_end")),
  ];
  return from >= Date.parse(String(startAt)) && to <= Date.parse(String(endAt));
}

/** Arguments of {@link BatchExportBackfill}. */
export interface BatchExportBackfillArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link BatchExportBackfill}. */
export interface BatchExportBackfillOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * Exports a past range of time once. A change of any argument, or of `trigger`, is another backfill; removing it from
 * the program undoes nothing.
 *
 * Endpoint: `POST /api/organizations/:organization_id/batch_exports/:id/backfill/`, or the project's where `projectId`
 * is given; scope `batch_export:write`.
 *
 * @remarks A range that is exported twice stands twice in a destination that only appends.
 * @destroy nothing
 *
 * @example
 * const config = new pulumi.Config();
 * const archive = posthog.BatchExport.get("archive", config.require("archive"));
 * new posthog.BatchExportBackfill("2025", {
 *   batchExportId: archive.id,
 *   startAt: "2025-01-01T00:00:00Z",
 *   endAt: "2026-01-01T00:00:00Z",
 * });
 */
export class BatchExportBackfill extends defineResource<BatchExportBackfillArgs, BatchExportBackfillOutputs>(
  batchExportBackfill,
) {}
