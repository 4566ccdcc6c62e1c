import { z } from "zod";
import { strictObject } from "../engine/values/fields";
import { mappingArgument } from "./mapping";

/** Faster than this, or more than {@link announcedTotal} events, and the provider wants to know beforehand. */
export const announcedRate = 10_000;
/** More events than this in all, and the provider wants to know beforehand. */
export const announcedTotal = 20_000_000;

/** Where checkpoints, scans and dead letters go where nothing else is said. */
export const defaultCheckpointFolder = ".pulumi-posthog";

const mebibyte = 1024 * 1024;

/** The arguments of an import, of the resource and of the command alike. */
export const importArguments = {
  /**
   * Files to import: a path, a glob (`\\[` is a bracket of a name), a folder, or a list of those, relative to the program's
   * folder. A change is a new import.
   */
  source: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  /** Form of the files: `ndjson` (one JSON object a line), `csv`, `json` (one array). Default: by name and first byte. Gzip is recognised in any case. */
  format: z.enum(["ndjson", "csv", "json"]).optional(),
  /** How the source's objects become events: `capture` (default: the service's own form), `mixpanel`, `amplitude`, `posthog` (a batch export), or an object that names columns or paths. A change counts for what is not sent yet. */
  mapping: mappingArgument.optional(),
  /** Event names to translate, old name to new, for example `{ "Page View": "$pageview" }`. A change counts for what is not sent yet. */
  rename: z.record(z.string().min(1), z.string().trim().min(1)).optional(),
  /** Most events a minute, over all shards; or `unlimited` where `announced` is true. Default 10000, the most that needs no announcement. A change sends nothing. */
  eventsPerMinute: z.union([z.number().positive(), z.literal("unlimited")]).optional(),
  /** True once the provider has confirmed the migration: needed above 10,000 events a minute or 20 million events. Default false. */
  announced: z.boolean().optional(),
  /** What an invalid event does: `fail` (default) stops before anything is sent where preview found it, `skip` sets it aside in the dead-letter file. */
  onInvalid: z.enum(["fail", "skip"]).optional(),
  /**
   * File for skipped events, one JSON object a line: `file` and `line` of the source, `reason`, `explanation`, `original`.
   * The original is what stands in the source; of an event that the service refused (`sent: true`) the event as it was
   * sent. Default: in the checkpoint folder.
   */
  deadLetterFile: z.string().min(1).optional(),
  /** Events equal in all their content: `merge` (default) makes them one, `keep` tells them apart by file and line. */
  duplicates: z.enum(["merge", "keep"]).optional(),
  /** Most bytes of one request before compression, 64 KiB to 16 MiB. Default 1 MiB. A change sends nothing. */
  batchBytes: z
    .number()
    .int()
    .min(64 * 1024)
    .max(16 * mebibyte)
    .optional(),
  /** Requests in flight at once, 1 to 64. Default 8. A change sends nothing. */
  concurrency: z.number().int().min(1).max(64).optional(),
  /** Whether requests are compressed. Default true, except to a loopback address. A change sends nothing. */
  gzip: z.boolean().optional(),
  /** The part of the files that this machine imports: `{ index, count }`, index from 0. It takes 1/count of the rate and of the announced total. */
  shard: strictObject({
    /** Which part, from 0. */
    index: z.number().int().min(0),
    /** Of how many, at most 10,000. */
    count: z.number().int().min(1).max(10_000),
  })
    .refine(({ index, count }) => index < count, { error: "index counts from 0 and must be below count" })
    .optional(),
  /** Most bytes of files that preview reads whole; of more it reads samples. Default 1 GB. */
  previewBytes: z.number().int().min(0).optional(),
  /** Folder for checkpoints, scans and dead letters, relative to the program's folder. Default `.pulumi-posthog`. */
  checkpointFolder: z.string().min(1).optional(),
  /** Any text; a change makes it a new import that sends everything. */
  runKey: z.string().optional(),
};

const schema = z.strictObject(importArguments);

/** The arguments of an import as they are declared. */
export type ImportArguments = z.input<typeof schema>;

/** One thing wrong with the arguments. */
export interface ArgumentProblem {
  /** The argument's name, with dots inside it. */
  readonly argument: string;
  readonly reason: string;
}

/** What is wrong with each argument by itself; never their values. */
export function shapeProblems(args: unknown): ArgumentProblem[] {
  const result = schema.safeParse(args);
  if (result.success) return [];
  return result.error.issues.map((issue) => ({ argument: issue.path.join("."), reason: issue.message }));
}

/** A rate that the provider wants to know of beforehand, and does not yet. */
export function rateProblem({
  eventsPerMinute,
  announced,
}: Pick<ImportArguments, "eventsPerMinute" | "announced">): ArgumentProblem | undefined {
  const fast = eventsPerMinute === "unlimited" || (eventsPerMinute ?? 0) > announcedRate;
  if (!fast || announced === true) return undefined;
  return {
    argument: "eventsPerMinute",
    reason:
      `more than ${announcedRate.toLocaleString("en")} events a minute must be announced to the provider first: ` +
      "wait for its confirmation, then set announced to true",
  };
}

/** Everything that is wrong with the arguments, cross-checks included; never their values. */
export function argumentProblems(args: unknown): ArgumentProblem[] {
  const result = schema.safeParse(args);
  if (!result.success) return shapeProblems(args);
  const rate = rateProblem(result.data);
  return rate === undefined ? [] : [rate];
}

/** The project key and the host it belongs to. */
export interface Destination {
  /** Ingestion address, for example `https://us.i.posthog.com`. */
  readonly ingestHost: string;
  /** Project API key (`phc_…`); a personal key (`phx_…`) is refused. */
  readonly projectApiKey: string;
}

/** What is wrong with the destination; the key itself is never shown. */
export function destinationProblems(destination: Destination): ArgumentProblem[] {
  const { ingestHost, projectApiKey: key } = destination;
  const keyReason = key.startsWith("phx_")
    ? "this is a personal API key (phx_…): batch capture takes the project API key (phc_…) of the project's settings. Take the personal key out of here"
    : key === ""
      ? "is empty: set it to the project API key (phc_…) of the project's settings"
      : key.length > 64
        ? "is longer than 64 characters, which no project API key is"
        : // The service takes ASCII only.
          /^[\x21-\x7e]+$/.test(key)
          ? undefined
          : "holds a space or a character that is not ASCII, which no project API key does";
  const hostReason = hostProblem(ingestHost);
  return [
    ...(keyReason === undefined ? [] : [{ argument: "projectApiKey", reason: keyReason }]),
    ...(hostReason === undefined ? [] : [{ argument: "ingestHost", reason: hostReason }]),
  ];
}

/** Whether an address is this machine's own. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" || hostname === "[::1]" || hostname === "::1" || /^127(\.\d+){3}$/.test(hostname)
  );
}

function hostProblem(host: string): string | undefined {
  if (!URL.canParse(host)) return "is no URL: for example https://us.i.posthog.com";
  const url = new URL(host);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must start with https://";
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    return "must be https: only a loopback address may be plain http";
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password";
  return undefined;
}

/** The arguments with their defaults, per shard where that counts. */
export interface Settings {
  readonly args: ImportArguments;
  /** Events a minute of this shard; undefined where it is unlimited. */
  readonly eventsPerMinute: number | undefined;
  readonly announced: boolean;
  /** More events than this in this shard must be announced. */
  readonly announcedTotal: number;
  readonly onInvalid: "fail" | "skip";
  readonly keepDuplicates: boolean;
  readonly batchBytes: number;
  readonly concurrency: number;
  readonly previewBytes: number;
  readonly checkpointFolder: string;
}

/** Fills in the defaults. */
export function settingsOf(args: ImportArguments): Settings {
  const shards = args.shard?.count ?? 1;
  const rate = args.eventsPerMinute ?? announcedRate;
  return {
    args,
    eventsPerMinute: rate === "unlimited" ? undefined : rate / shards,
    announced: args.announced ?? false,
    announcedTotal: announcedTotal / shards,
    onInvalid: args.onInvalid ?? "fail",
    keepDuplicates: args.duplicates === "keep",
    batchBytes: args.batchBytes ?? mebibyte,
    concurrency: args.concurrency ?? 8,
    previewBytes: args.previewBytes ?? 1_000_000_000,
    checkpointFolder: args.checkpointFolder ?? defaultCheckpointFolder,
  };
}
