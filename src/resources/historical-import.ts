import { z } from "zod";
import { definition, defineResource } from "../engine/program/define";
import { secret, text } from "../engine/values/fields";
import type { ArgsOf, OutputsOf } from "../engine/program/types";
import { importArguments } from "../ingest/arguments";
import { optimiseWebAssembly } from "../provider-memory";
import type * as Lifecycle from "./historical-import-lifecycle";

const where = {
  /**
   * Project API key (`phc_...`) of the project that receives the events; kept as a secret. Default:
   * `posthog:projectApiKey`, `POSTHOG_PROJECT_API_KEY`. After a finished import a change sends nothing: a new
   * `runKey` makes it a new import.
   */
  projectApiKey: secret(text({ min: 1 })).optional(),
  /** Ingestion address. Default: `posthog:ingestHost`, `POSTHOG_INGEST_HOST`, or by region. A change sends nothing. */
  ingestHost: text({ min: 1 }).optional(),
};

const inputs = { ...importArguments, ...where };

const outputs = {
  /** `finished`, or `interrupted` where the next `pulumi up` goes on. */
  status: z.enum(["finished", "interrupted"]).optional(),
  /** Events that the service acknowledged. */
  eventsSent: z.number().optional(),
  /** Repetitions of an event within one request, which were sent once. */
  eventsMerged: z.number().optional(),
  /** Events set aside in the dead-letter file. */
  eventsSkipped: z.number().optional(),
  /** Events set aside, by reason. */
  skipped: z.record(z.string(), z.number()).optional(),
  /** Events sent although they are younger than 48 hours. */
  eventsRecent: z.number().optional(),
  /** Requests made, all runs together. */
  requests: z.number().optional(),
  /** Requests made again after a failure. */
  retries: z.number().optional(),
  /** Bytes of all requests as sent. */
  bytesSent: z.number().optional(),
  /** Time of the earliest event. */
  firstTime: z.string().optional(),
  /** Time of the latest event. */
  lastTime: z.string().optional(),
  /** When the import began. */
  startedAt: z.string().optional(),
  /** When it finished. */
  finishedAt: z.string().optional(),
  /** Checksum over the uuids of what was acknowledged, in any order: 16 hexadecimal digits. */
  checksum: z.string().optional(),
  /** Number of files. */
  files: z.number().optional(),
};

/** The kind `HistoricalImport`: an action that runs once, with a lifecycle of its own. */
export const historicalImport = definition({
  type: "HistoricalImport",
  inputs,
  outputs,
  scope: "none",
  path: "/batch/",
  keyScope: "",
  replaceOnChanges: ["source", "runKey"],
  clears: {},
  // It names the files of an import that was interrupted.
  repeats: { __checkpoint: ["source"] },
  lifecycle(given) {
    // What reads, scans and sends files is loaded by those who import: every other operation is smaller without it.
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- a lifecycle is made at once, import() is not
    const module = require("./historical-import-lifecycle") as typeof Lifecycle;
    optimiseWebAssembly();
    return new module.ImportLifecycle(given);
  },
});

/** Arguments of {@link HistoricalImport}. */
export interface HistoricalImportArgs extends ArgsOf<typeof importArguments>, ArgsOf<typeof where> {}

/** Outputs of {@link HistoricalImport}. */
export interface HistoricalImportOutputs
  extends OutputsOf<typeof importArguments>, OutputsOf<typeof where>, OutputsOf<typeof outputs> {}

/**
 * Imports past events from files exactly once, by batch capture with `historical_migration`.
 *
 * Preview reads the files and says what they hold; `pulumi up` sends them, and goes on where it was after an
 * interruption. Once finished, nothing is ever sent again unless `source` or `runKey` changes. Destroying it sends
 * nothing: events cannot be deleted. Endpoint: `POST {ingest_url}/batch/`, with the project API key.
 *
 * @remarks PostHog checks the project API key by its shape alone: events for a key that is of no project are accepted
 * and lost. Rehearse on a fresh project.
 * @remarks Above 10,000 events a minute or 20 million in all, PostHog wants to know beforehand; `announced` says that it
 * does.
 * @remarks A file that changed since an interruption is read again from its start. It is known by its size, its first
 * 64 KiB, its last 32 KiB and samples between them: where a change keeps all of these, set a new `runKey`.
 * @destroy nothing: events cannot be deleted; released with a warning
 *
 * @example
 * new posthog.HistoricalImport("mixpanel-2023", {
 *   source: "exports/2023-*.ndjson.gz",
 *   mapping: "mixpanel",
 *   rename: { "Page View": "$pageview" },
 * });
 */
export class HistoricalImport extends defineResource<HistoricalImportArgs, HistoricalImportOutputs>(
  historicalImport,
) {}
