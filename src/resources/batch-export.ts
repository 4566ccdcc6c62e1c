import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { definition, defineResource } from "../engine/program/define";
import type { Problem } from "../engine/definition";
import { instant, projectNumber, text } from "../engine/values/fields";
import { isObject, type Props } from "../engine/values/json";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import type { DestinationArgs } from "./destination-args";
import { destinationField, destinationSchema } from "./destination-field";
import { moment } from "./user";

const inputs = {
  /**
   * UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`, unless `projectId` is given.
   * A change replaces the export.
   */
  organizationId: text({ min: 1 }).optional(),
  /**
   * Id of a project: makes all calls go to `/api/projects/:project_id/batch_exports/`, which PostHog Cloud needs to
   * create exports. Default: none (the organization's route); never taken from configuration. A change replaces it.
   */
  projectId: projectNumber().optional(),
  /** Name that people read. Updated in place. */
  name: text({ min: 1 }),
  /** What is exported: `events` (default), `persons`, `sessions`. Updated in place; taken out: `events`. */
  model: z.enum(["events", "persons", "sessions"]).optional(),
  /** Where it goes: `type` and `config`, with the secret keys that the program gave. */
  destination: destinationSchema,
  /** How often: `hour`, `day`, `week`, `every 5 minutes`, `every 15 minutes`. Updated in place. */
  interval: z.enum(["hour", "day", "week", "every 5 minutes", "every 15 minutes"]),
  /** Whether it is paused. Default: false. Set by the pause and unpause actions. */
  paused: z.boolean().optional(),
  /** No run is triggered before this time (ISO 8601 with a zone). Default: none. Updated in place; taken out: none. */
  startAt: instant().optional(),
  /** No run is triggered after this time (ISO 8601 with a zone). Default: none. Updated in place; taken out: none. */
  endAt: instant().optional(),
  /**
   * Query that says which columns are exported: a SELECT from `events`. Never read back. Updated in place; the
   * service cannot remove it again: taken out, it stays and a warning says so.
   */
  hogqlQuery: text({ min: 1 }).optional(),
};

const outputs = {
  /** Number of the project that it belongs to. */
  teamId: z.number().optional(),
  /** When it was created. */
  createdAt: moment.optional(),
  /** When it was last changed. */
  lastUpdatedAt: moment.optional(),
  /** When it was last paused. */
  lastPausedAt: moment.optional(),
  /** The query as the service understood it. */
  schema: z.record(z.string(), z.unknown()).optional(),
};

/** The kind `BatchExport`. */
export const batchExport = definition({
  type: "BatchExport",
  inputs,
  outputs,
  scope: "projectOrOrganization",
  path: "/api/organizations/{organizationId}/batch_exports/",
  keyScope: "batch_export",
  replaceOnChanges: ["organizationId", "projectId"],
  clears: { model: "events", paused: false, startAt: null, endAt: null },
  writeOnly: ["hogqlQuery"],
  transitions: { paused: { true: "pause", false: "unpause" } },
  fields: { destination: destinationField },
  repeats: { schema: ["hogqlQuery"] },
  refine,
  judge: (stored, wanted) =>
    typeOf(stored["destination"]) === typeOf(wanted["destination"]) ||
    typeOf(wanted["destination"]) === undefined
      ? {}
      : { replaces: ["destination"] },
});

function typeOf(destination: unknown): unknown {
  return isObject(destination) ? destination["type"] : undefined;
}

function refine(args: Props): Problem[] {
  const { startAt, endAt } = args;
  if (typeof startAt !== "string" || typeof endAt !== "string" || Date.parse(startAt) < Date.parse(endAt))
    return [];
  return [{ argument: "endAt", reason: `must be after startAt (${startAt}), got ${endAt}` }];
}

/** Arguments of {@link BatchExport}. */
export interface BatchExportArgs extends ArgsOf<typeof inputs>, CommonArgs {
  /**
   * Where it goes: `type` and `config`. The types S3, Snowflake, Postgres, Redshift, BigQuery, HTTP and NoOp take
   * typed keys, their secret ones kept as secrets; any other type takes its keys verbatim, all of them secret.
   * `config` is updated in place (a key taken out stays in the service); a change of `type` replaces the export.
   */
  destination: pulumi.Input<DestinationArgs>;
}

/** Outputs of {@link BatchExport}. */
export interface BatchExportOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * A scheduled export of events or persons to storage, a warehouse or a database of yours.
 *
 * Secrets of the configuration are write-only: the state keeps them encrypted, and a change that someone makes to
 * them in PostHog cannot be seen. Endpoint: `/api/organizations/:organization_id/batch_exports/`, or the project's
 * where `projectId` is given; scope `batch_export:write`.
 *
 * @remarks PostHog Cloud answers 5xx to a new export at the organization's route: give `projectId` there.
 * @remarks PostHog merges configurations: a key that is taken out of `config` stays as it is, and a warning says so.
 *
 * @example
 * const config = new pulumi.Config();
 * new posthog.BatchExport("lake", {
 *   name: "Events to the lake",
 *   interval: "hour",
 *   destination: {
 *     type: "S3",
 *     config: {
 *       bucketName: "lake",
 *       region: "eu-central-1",
 *       prefix: "posthog/",
 *       awsAccessKeyId: config.requireSecret("awsAccessKeyId"),
 *       awsSecretAccessKey: config.requireSecret("awsSecretAccessKey"),
 *     },
 *   },
 * });
 */
export class BatchExport extends defineResource<BatchExportArgs, BatchExportOutputs>(batchExport) {}
