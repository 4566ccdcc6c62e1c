import type { Emulator } from "../../src/emulator";

/**
 * Spellings that the service normalises, as a careless but sensible person writes them: each must be applied
 * without a warning and be no difference ever after.
 */
export interface Spelling {
  readonly class: string;
  /** The field that is spelt, and what is peculiar about the spelling. */
  readonly title: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** What takes care of it, by the names of `scripts/mutate-normalisers.mjs`: each of them alone is not enough. */
  readonly by: readonly string[];
}

/** Ids that only the emulator knows, put in place of `$LOGO`, `$PROJECT` and `$USER` in any case. */
export type Known = Readonly<Record<"LOGO" | "PROJECT" | "USER", string>>;

const s3 = {
  bucketName: "lake",
  region: "eu-central-1",
  prefix: "posthog/",
  awsAccessKeyId: "AKIAEXAMPLE",
  awsSecretAccessKey: "example",
};
const postgres = { user: "u", password: "p", host: "db.example.com", database: "events" };
const template = {
  template_name: "Traffic",
  dashboard_description: "Who comes.",
  dashboard_filters: { date_from: "-14d" },
  tiles: [{ type: "TEXT", body: "Hello", color: null, layouts: {} }],
};
const noOp = { type: "NoOp", config: {} };

const dashboard = (title: string, by: string[], args: Spelling["args"]): Spelling => ({
  class: "Dashboard",
  title,
  by,
  args: { name: `Dashboard: ${title}`, ...args },
});
const organization = (title: string, by: string[], args: Spelling["args"]): Spelling => ({
  class: "Organization",
  title,
  by,
  args: { name: "Acme Research", ...args },
});
const batchExport = (title: string, by: string[], args: Spelling["args"]): Spelling => ({
  class: "BatchExport",
  title,
  by,
  args: { name: `Export: ${title}`, interval: "hour", destination: noOp, ...args },
});
const destination = (title: string, by: string[], type: string, config: object): Spelling =>
  batchExport(`destination, ${title}`, by, { destination: { type, config } });

let count = 0;
const domain = (title: string, by: string[], args: Spelling["args"]): Spelling => ({
  class: "Domain",
  title,
  by,
  args: { domain: `d${++count}.example.com`, ...args },
});
const invite = (title: string, by: string[], args: Spelling["args"]): Spelling => ({
  class: "Invite",
  title,
  by,
  args: { targetEmail: `person${++count}@example.org`, ...args },
});
const plugin =
  (kind: string) =>
  (title: string, by: string[], args: Spelling["args"]): Spelling => ({
    class: kind,
    title,
    by,
    args: "url" in args ? args : { pluginType: "source", name: `${kind} ${++count}`, ...args },
  });
const pipelineDestination = plugin("PipelineDestination");
const frontendApp = plugin("FrontendApp");
const importApp = plugin("ImportApp");

export const spellings: readonly Spelling[] = [
  dashboard("name, padded", ["trim"], { name: "  Growth  " }),
  dashboard("name, with a tab and a line end", ["trim"], { name: "\tGrowth\n" }),
  dashboard("name, null", ["null is not given"], { name: null }),
  dashboard("description, padded", ["trim"], { description: "  What new users do.\n" }),
  dashboard("description, only spaces", ["trim"], { description: "   " }),
  dashboard("description, null", ["null is not given"], { description: null }),
  dashboard("tags, in capitals", ["tags"], { tags: ["Team:Growth"] }),
  dashboard("tags, in another order", ["tags"], { tags: ["growth", "weekly", "acquisition"] }),
  dashboard("tags, doubled", ["tags"], { tags: ["growth", "GROWTH", "growth"] }),
  dashboard("tags, padded", ["trim"], { tags: [" growth ", "weekly\t"] }),
  dashboard("tags, beyond ASCII", ["tags"], { tags: ["Ärger", "Éclair"] }),
  dashboard("tags, null", ["null is not given"], { tags: null }),
  dashboard("restrictionLevel, by name", ["named numbers"], { restrictionLevel: "collaborators" }),
  dashboard("restrictionLevel, the default by name", ["named numbers"], { restrictionLevel: "everyone" }),
  dashboard("restrictionLevel, null", ["null is not given"], { restrictionLevel: null }),
  dashboard("pinned, null", ["null is not given"], { pinned: null }),
  dashboard("filters, with a null inside", ["null is missing"], {
    filters: { date_from: "-7d", properties: null, breakdown: { type: null, value: "plan" } },
  }),
  dashboard("filters, keys in another order", ["order of keys"], {
    filters: { properties: { values: [{ type: "AND", key: "plan" }], type: "AND" }, date_from: "-7d" },
  }),
  dashboard("filters, emptied beside a template's", ["filters cannot be emptied"], { template, filters: {} }),
  dashboard("filters, null", ["null is not given"], { filters: null }),
  dashboard("projectId, padded", ["trim"], { projectId: " $PROJECT " }),
  dashboard("deleteInsights, never read back", ["not read back"], { deleteInsights: true }),
  dashboard("useTemplate, never read back", ["not read back"], { useTemplate: "DEFAULT_APP" }),

  organization("name, padded", ["trim"], { name: "  Acme Research " }),
  organization("name, with a line end", ["trim"], { name: "Acme Research\n" }),
  organization("logoMediaId, in capitals", ["uuid"], { logoMediaId: "$LOGO:upper" }),
  organization("logoMediaId, padded", ["trim"], { logoMediaId: " $LOGO " }),
  organization("logoMediaId, null", ["null is not given"], { logoMediaId: null }),
  organization("enforce2fa, null", ["null is not given"], { enforce2fa: null }),
  organization("isMemberJoinEmailEnabled, null", ["null is not given"], { isMemberJoinEmailEnabled: null }),

  batchExport("name, padded", ["trim"], { name: " Events to the lake " }),
  batchExport("model, null", ["null is not given"], { model: null }),
  batchExport("startAt, with an offset", ["instants"], { startAt: "2026-01-31T02:00:00+02:00" }),
  batchExport("startAt, with a short offset", ["instants"], { startAt: "2026-01-30T18:30:00-0530" }),
  batchExport("startAt, with +00:00", ["live values"], { startAt: "2026-01-31T00:00:00+00:00" }),
  batchExport("startAt, with a small z", ["instants"], { startAt: "2026-01-31t00:00:00z" }),
  batchExport("startAt, with .000", ["instants"], { startAt: "2026-01-31T00:00:00.000Z" }),
  batchExport("startAt, with milliseconds", ["instants"], { startAt: "2026-01-31T00:00:00.250Z" }),
  batchExport("startAt, with nanoseconds", ["instants"], { startAt: "2026-01-31T00:00:00.123456789Z" }),
  batchExport("startAt, without seconds", ["instants"], { startAt: "2026-01-31T00:00Z" }),
  batchExport("startAt, with a space", ["instants"], { startAt: "2026-01-31 00:00:00Z" }),
  batchExport("startAt, padded", ["trim"], { startAt: " 2026-01-31T00:00:00Z " }),
  batchExport("startAt, null", ["null is not given"], { startAt: null }),
  batchExport("endAt, with an offset", ["instants"], { endAt: "2027-01-31T05:45:00+05:45" }),
  batchExport("endAt, with .000000", ["instants"], { endAt: "2027-01-31T00:00:00.000000Z" }),
  batchExport("endAt, null", ["null is not given"], { endAt: null }),
  batchExport("hogqlQuery, printed anew by the service", ["not read back"], {
    hogqlQuery: "select  event ,  timestamp from events",
  }),
  batchExport("hogqlQuery, padded", ["not read back"], { hogqlQuery: "\n  SELECT event FROM events\n" }),
  batchExport("paused, null", ["null is not given"], { paused: null }),
  destination("secrets left out by reads", ["secrets are not read back"], "S3", s3),
  destination(
    "secrets left out by reads, of a database",
    ["secrets are not read back"],
    "Postgres",
    postgres,
  ),
  destination("type padded", ["trim"], " NoOp ", {}),
  destination("null keys", ["configurations merge"], "S3", { ...s3, compression: null, kmsKeyId: null }),
  destination("keys that the service adds", ["configurations merge"], "S3", { ...s3, bucketName: "other" }),
  destination("keys that the service adds to a nearly empty one", ["configurations merge"], "S3", {
    bucketName: "lake",
    region: "eu-central-1",
    prefix: "",
  }),
  destination("keys in another order", ["secrets are not read back"], "Postgres", {
    port: 5433,
    schema: "analytics",
    database: "events",
    host: "db.example.com",
    password: "p",
    user: "u",
  }),
  destination("deep in a free form", ["order of keys"], "NoOp", {
    arg: { b: [1, { y: null, x: 2 }], a: null },
  }),
  domain("domain, padded", ["trim"], { domain: " padded.example.com\n" }),
  domain("ssoEnforcement, waits for verification", ["waits"], { ssoEnforcement: "saml" }),
  domain("jitProvisioningEnabled, waits for verification", ["waits"], { jitProvisioningEnabled: true }),
  domain("jitProvisioningEnabled, null", ["null is not given"], { jitProvisioningEnabled: null }),
  domain("samlEntityId, empty", ["empty is nothing"], { samlEntityId: "" }),
  domain("samlEntityId, null", ["null is not given"], { samlEntityId: null }),
  domain("samlEntityId, padded", ["trim"], { samlEntityId: " https://idp.example.com/entity " }),
  domain("samlAcsUrl, empty", ["empty is nothing"], { samlAcsUrl: "" }),
  domain("samlAcsUrl, padded", ["trim"], { samlAcsUrl: "https://idp.example.com/acs\n" }),
  domain("samlX509Cert, with its last line end", ["trim"], {
    samlX509Cert: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
  }),
  domain("samlX509Cert, only spaces", ["trim"], { samlX509Cert: "  " }),

  invite("targetEmail, its domain in capitals", ["email"], { targetEmail: "Grace.H@EXAMPLE.Org" }),
  invite("targetEmail, its top level domain in capitals", ["email"], {
    targetEmail: "grace@mail.example.ORG",
  }),
  invite("targetEmail, padded", ["trim"], { targetEmail: " padded@example.org " }),
  invite("firstName, padded", ["trim"], { firstName: " Grace " }),
  invite("firstName, null", ["null is not given"], { firstName: null }),
  invite("level, by name", ["named numbers"], { level: "admin" }),
  invite("level, the default by name", ["named numbers"], { level: "member" }),
  invite("level, null", ["null is not given"], { level: null }),
  invite("message, empty", ["empty is nothing"], { message: "" }),
  invite("message, padded", ["trim"], { message: "Welcome!\n\n" }),
  invite("message, null", ["null is not given"], { message: null }),
  invite("privateProjectAccess, none", ["empty is nothing"], { privateProjectAccess: [] }),
  invite("privateProjectAccess, null", ["null is not given"], { privateProjectAccess: null }),
  invite("sendEmail, never read back", ["not read back"], { sendEmail: false }),
  {
    class: "Member",
    title: "userUuid, in capitals",
    by: ["uuid"],
    args: { userUuid: "$USER:upper", level: 1 },
  },
  { class: "Member", title: "userUuid, padded", by: ["trim"], args: { userUuid: " $USER ", level: 1 } },
  {
    class: "Member",
    title: "email, with capitals",
    by: ["case of members"],
    args: { email: "Katherine@Example.com", level: 1 },
  },
  {
    class: "Member",
    title: "email, all in capitals",
    by: ["case of members"],
    args: { email: "KATHERINE@EXAMPLE.COM", level: 1 },
  },
  {
    class: "Member",
    title: "level, by name",
    by: ["named numbers"],
    args: { email: "ada@example.com", level: "admin" },
  },
  {
    class: "Member",
    title: "level, another by name",
    by: ["named numbers"],
    args: { email: "katherine@example.com", level: "member" },
  },

  pipelineDestination("name, padded", ["trim"], { name: " Warehouse " }),
  pipelineDestination("description, padded", ["trim"], { description: "Sends events on.\n" }),
  pipelineDestination("icon, empty", ["empty is nothing"], { icon: "" }),
  pipelineDestination("url, with a private token", ["url without its query"], {
    url: "https://github.com/acme/sender-one?private_token=t0ken",
  }),
  pipelineDestination("url, with a query", ["url without its query"], {
    url: "https://github.com/acme/sender-two?branch=main&depth=1",
  }),
  pipelineDestination("url, padded", ["trim"], { url: " https://github.com/acme/sender-three " }),
  pipelineDestination("configSchema, an empty list", ["empty is nothing"], { configSchema: [] }),
  pipelineDestination("configSchema, with nulls", ["null is missing"], {
    configSchema: [{ key: "host", default: null, required: false }],
  }),
  pipelineDestination("metrics, keys in another order", ["order of keys"], {
    metrics: { z: "sum", a: "max" },
  }),
  pipelineDestination("isGlobal, null", ["null is not given"], { isGlobal: null }),

  frontendApp("name, padded", ["trim"], { name: "Banner\t" }),
  frontendApp("icon, padded", ["trim"], { icon: " https://example.com/icon.png " }),
  frontendApp("publicJobs, empty", ["empty is nothing"], { publicJobs: {} }),
  frontendApp("publicJobs, with nulls", ["null is missing"], { publicJobs: { run: { payload: null } } }),
  frontendApp("url, with a private token", ["url without its query"], {
    url: "https://gitlab.com/acme/banner?private_token=t0ken",
  }),
  frontendApp("tag, padded", ["trim"], { tag: " v1.2.0 " }),
  frontendApp("tag, null", ["null is not given"], { tag: null }),

  importApp("name, padded", ["trim"], { name: "  Stripe" }),
  importApp("url, with a query", ["url without its query"], {
    url: "https://www.npmjs.com/package/posthog-import?private_token=t0ken",
  }),
  importApp("description, null", ["null is not given"], { description: null }),
];

/** What an emulator calls the things that spellings name. */
export function knownTo({ environment, store }: Emulator): Known {
  return {
    LOGO: store.media.all()[0]?.id ?? "",
    PROJECT: environment.POSTHOG_PROJECT_ID,
    USER: store.users.find((user) => user.first_name === "Alan")?.uuid ?? "",
  };
}

/** The arguments with the ids that only the emulator knows. */
export function spelt(args: Spelling["args"], known: Known): Record<string, unknown> {
  const text = JSON.stringify(args).replaceAll(
    /\$(LOGO|PROJECT|USER)(:upper)?/g,
    (_, name: keyof Known, upper?: string) => (upper ? known[name].toUpperCase() : known[name]),
  );
  return JSON.parse(text) as Record<string, unknown>; // It was an object before.
}
