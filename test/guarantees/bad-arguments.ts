/** Arguments that no preview may accept, each with what a person has to be told. */
export interface BadArgument {
  readonly class: string;
  /** Only what is wrong, and what it is wrong beside; the rest of a valid resource is added. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The argument as the message names it. */
  readonly argument: string;
  /** What the message says is allowed. */
  readonly allowed: RegExp;
}

/** Stands wherever a secret may stand, and may be shown by no message. */
export const MARKER = "hush-7f3a";

/** What makes a resource of each kind valid. */
export const valid: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Dashboard: {},
  Organization: { name: "Acme" },
  BatchExport: { name: "Export", interval: "hour", destination: { type: "NoOp", config: {} } },
  Domain: { domain: "example.com" },
  Invite: { targetEmail: "grace@example.org" },
  Member: { email: "ada@example.com", level: 1 },
  PipelineDestination: { pluginType: "source" },
  FrontendApp: { pluginType: "source" },
  ImportApp: { pluginType: "source" },
};

const bad =
  (kind: string) =>
  (argument: string, value: unknown, allowed: RegExp, beside: Readonly<Record<string, unknown>> = {}) => ({
    class: kind,
    args: { [argument.split(".")[0] ?? argument]: value, ...beside },
    argument,
    allowed,
  });
const dashboard = bad("Dashboard");
const organization = bad("Organization");
const batchExport = bad("BatchExport");
const domain = bad("Domain");
const invite = bad("Invite");
const member = bad("Member");
const pipelineDestination = bad("PipelineDestination");
const frontendApp = bad("FrontendApp");
const importApp = bad("ImportApp");

/** Configurations that are valid. */
const configs = {
  S3: {
    bucketName: "lake",
    region: "eu-central-1",
    prefix: "posthog/",
    awsAccessKeyId: MARKER,
    awsSecretAccessKey: MARKER,
  },
  Postgres: { user: MARKER, password: MARKER, host: "db.example.com", database: "events" },
  Redshift: { user: MARKER, password: MARKER, host: "db.example.com", database: "events" },
  Snowflake: { user: MARKER, account: "a", database: "d", warehouse: "w", schema: "s" },
  BigQuery: {
    privateKey: MARKER,
    privateKeyId: MARKER,
    projectId: "p",
    datasetId: "d",
    tokenUri: MARKER,
    clientEmail: MARKER,
  },
  HTTP: { url: "https://eu.i.posthog.com/batch/", token: MARKER },
};
const destination = (
  argument: string,
  type: keyof typeof configs,
  changes: Readonly<Record<string, unknown>>,
  allowed: RegExp,
): BadArgument =>
  batchExport(
    argument === "" ? "destination.config" : `destination.config.${argument}`,
    { type, config: { ...configs[type], ...changes } },
    allowed,
  );

export const badArguments: readonly BadArgument[] = [
  dashboard("name", 7, /must be a string \(got 7\)/),
  dashboard("name", "x".repeat(401), /at most 400 characters/),
  dashboard("description", ["a"], /must be a string/),
  dashboard("pinned", "yes", /must be true or false \(got "yes"\)/),
  dashboard("tags", "growth", /must be a list/),
  dashboard("tags.1", ["growth", ""], /must not be empty/),
  dashboard("tags.0", ["x".repeat(256)], /at most 255 characters/),
  dashboard("tags.0", [3], /must be a string \(got 3\)/),
  dashboard("restrictionLevel", 15, /one of 21 \("everyone"\), 37 \("collaborators"\) \(got 15\)/),
  dashboard("restrictionLevel", "all", /one of 21 \("everyone"\), 37 \("collaborators"\) \(got "all"\)/),
  dashboard("filters", [1], /must be an object/),
  dashboard("template", "default", /must be an object/),
  dashboard("useDashboard", -1, /must be more than 0 \(got -1\)/),
  dashboard("useDashboard", 1.5, /must be the number of an object, such as 12/),
  dashboard("useTemplate", "", /must not be empty/),
  dashboard("useTemplate", "DEFAULT_APP", /only one of template, useTemplate and useDashboard/, {
    useDashboard: 1,
  }),
  dashboard("useTemplate", "DEFAULT_APP", /only one of template, useTemplate and useDashboard/, {
    template: {},
  }),
  dashboard("deleteInsights", 1, /must be true or false/),
  dashboard("projectId", "", /must not be empty/),
  dashboard("projectId", true, /must be a string/),
  dashboard("projectId", `phx_${MARKER}`, /must be the project's id.*not a key/),
  dashboard("projectId", "@current", /must be the project's id.*\/project\/1.*whichever project/),
  domain("organizationId", `phc_${MARKER}`, /must be the organization's UUID or slug, not a key/),
  dashboard("title", "Growth", /no argument of this resource.*allowed: .*name, description/),
  dashboard("use_template", "x", /did you mean "useTemplate"\?/),
  dashboard("descripton", "x", /did you mean "description"\?/),
  dashboard("deleted", true, /no argument of this resource/),
  dashboard("connection", "nowhere", /"nowhere" is not in posthog:connections/),
  dashboard("connection", 3, /must be a string/),

  organization("name", undefined, /is required: a string/),
  organization("name", "", /must not be empty/),
  organization("name", "   ", /must not be empty/),
  organization("name", "x".repeat(65), /at most 64 characters/),
  organization("logoMediaId", "logo.png", /must be a UUID, such as .* \(got "logo.png"\)/),
  organization("enforce2fa", "true", /must be true or false/),
  organization("isMemberJoinEmailEnabled", 0, /must be true or false/),
  organization("slug", "acme", /no argument of this resource/),

  batchExport("name", "", /must not be empty/),
  batchExport("interval", "minute", /must be one of "hour", "day", "week", "every 5 minutes"/),
  batchExport("interval", undefined, /is required: one of "hour", "day"/),
  batchExport("model", "groups", /must be one of "events", "persons"/),
  batchExport("paused", "no", /must be true or false/),
  batchExport(
    "startAt",
    "2026-01-31T00:00:00",
    /ISO 8601 time with a zone, such as .* \(got "2026-01-31T00:00:00"\)/,
  ),
  batchExport("startAt", "2026-02-30T00:00:00Z", /ISO 8601 time with a zone/),
  batchExport("endAt", "next week", /ISO 8601 time with a zone/),
  batchExport("endAt", "2026-01-01T00:00:00Z", /must be after startAt \(2026-02-01T00:00:00Z\)/, {
    startAt: "2026-02-01T00:00:00Z",
  }),
  batchExport("endAt", "2026-02-01T00:00:00Z", /must be after startAt/, {
    startAt: "2026-02-01T01:00:00+01:00",
  }),
  batchExport("hogqlQuery", "", /must not be empty/),
  batchExport("destination", undefined, /is required/),
  batchExport("destination", "S3", /must be an object/),
  batchExport("destination.type", { config: { token: MARKER } }, /is required: a string/),
  batchExport("destination", { type: "S3", config: configs.S3, name: MARKER }, /has no key "name"/),
  batchExport("destination.config", { type: "S3", config: MARKER }, /must be an object/),
  destination("bucketName", "S3", { bucketName: undefined }, /is required: a string/),
  destination("region", "S3", { region: 7 }, /must be a string/),
  destination("compression", "S3", { compression: "zip" }, /must be one of "gzip", "brotli"/),
  destination("awsSecretAccessKey", "S3", { awsSecretAccessKey: [MARKER] }, /must be a string/),
  destination("excludeEvents", "S3", { excludeEvents: "pageview" }, /must be a list/),
  destination(
    "",
    "S3",
    { bucket_name: "lake" },
    /has no key .*"bucket_name" \(did you mean "bucketName"\?\)/,
  ),
  destination("", "S3", { bucketNmae: "lake" }, /has no key .*"bucketNmae" \(did you mean "bucketName"\?\)/),
  destination("", "S3", { secretKey: MARKER }, /has no key .*"secretKey".*allowed: .*awsSecretAccessKey/),
  destination("port", "Postgres", { port: 70000 }, /at most 65535/),
  destination("port", "Postgres", { port: "5432" }, /must be a (whole )?number/),
  destination("password", "Postgres", { password: undefined }, /is required: a string/),
  destination("password", "Postgres", { password: "" }, /must not be empty/),
  destination("account", "Snowflake", { account: undefined }, /is required: a string/),
  destination("privateKeyId", "BigQuery", { privateKeyId: undefined }, /is required: a string/),
  destination("propertiesDataType", "Redshift", { propertiesDataType: "json" }, /"varchar", "super"/),
  destination("url", "HTTP", { url: "eu.posthog.com" }, /must be an address, such as/),
  destination("token", "HTTP", { token: { value: MARKER } }, /must be a string/),

  domain("domain", undefined, /is required: /),
  domain("domain", "Example.com", /domain in lower case, such as "example.com".* \(got "Example.com"\)/),
  domain("domain", "https://example.com/", /without protocol or path/),
  domain("domain", "localhost", /such as "example.com"/),
  domain("domain", `${"a".repeat(130)}.com`, /at most 128 characters/),
  domain("jitProvisioningEnabled", "on", /must be true or false/),
  domain("ssoEnforcement", "x".repeat(29), /at most 28 characters/),
  domain("samlEntityId", "x".repeat(513), /at most 512 characters/),
  domain("samlAcsUrl", 5, /must be a string/),
  domain("saml_acs_url", "x", /did you mean "samlAcsUrl"\?/),

  invite("targetEmail", undefined, /is required: must be an e-mail address|is required: a/),
  invite("targetEmail", "grace", /must be an e-mail address, such as "ada@example.com" \(got "grace"\)/),
  invite("targetEmail", "grace hopper@example.com", /must be an e-mail address/),
  invite("level", 37, /1 \("member"\), 8 \("admin"\), 15 \("owner"\) \(got 37\)/),
  invite("level", "boss", /1 \("member"\), 8 \("admin"\), 15 \("owner"\)/),
  invite("firstName", "x".repeat(31), /at most 30 characters/),
  invite("message", { text: "hello" }, /must be a string/),
  invite("privateProjectAccess", { id: 1, level: 1 }, /must be a list/),
  invite(
    "privateProjectAccess.0.level",
    [{ id: 1, level: 15 }],
    /one of 1 \("member"\), 8 \("admin"\) \(got 15\)/,
  ),
  invite("privateProjectAccess.0.id", [{ id: "one", level: 1 }], /must be a (whole )?number/),
  invite("privateProjectAccess.0", [{ id: 1, level: 1, name: "x" }], /has no key "name"/),
  invite("sendEmail", "never", /must be true or false/),
  invite("renewExpired", 1, /must be true or false/),

  member("userUuid", undefined, /is required: give userUuid or email/, { email: undefined }),
  member("email", "ada@example.com", /give either userUuid or email, not both/, {
    userUuid: "018f3d2c-0000-4000-8000-00000000abcd",
  }),
  member("userUuid", "ada", /must be a UUID/, { email: undefined }),
  member("email", "ada@", /must be an e-mail address/),
  member("level", undefined, /is required: .*1 \("member"\), 8 \("admin"\), 15 \("owner"\)/),
  member("level", 21, /1 \("member"\), 8 \("admin"\), 15 \("owner"\) \(got 21\)/),
  member("level", "Admin", /8 \("admin"\)/),
  member("organizationId", "", /must not be empty/),

  pipelineDestination(
    "pluginType",
    "github",
    /must be one of "local", "custom", "repository", "source", "inline"/,
  ),
  pipelineDestination("name", "x".repeat(201), /at most 200 characters/),
  pipelineDestination("url", 8, /must be a string/),
  pipelineDestination(
    "url",
    `https://github.com/a/b?private_token=${MARKER}${"x".repeat(800)}`,
    /at most 800/,
  ),
  pipelineDestination("config_schema", {}, /did you mean "configSchema"\?/),
  frontendApp("isGlobal", "no", /must be true or false/),
  frontendApp("icon", "x".repeat(801), /at most 800 characters/),
  frontendApp("tag", 1, /must be a string/),
  importApp("name", false, /must be a string/),
  importApp("source", "code", /no argument of this resource/),
];

/** The arguments of a resource that is valid but for what is bad. */
export function completed({ class: kind, args }: BadArgument): Record<string, unknown> {
  return { ...valid[kind], ...args };
}

/** One resource with several bad arguments. */
export interface BadResource {
  readonly class: string;
  readonly args: Record<string, unknown>;
  readonly cases: readonly BadArgument[];
}

/**
 * As few resources as show every case: the engine stops a preview at the first resource that is refused, but reports
 * everything that is wrong with it.
 */
export function packed(): readonly BadResource[] {
  const resources: { class: string; given: Record<string, unknown>; cases: BadArgument[] }[] = [];
  for (const one of badArguments) {
    const room = resources.find(
      ({ class: kind, given }) => kind === one.class && merged(given, one.args) !== undefined,
    );
    if (room) {
      room.given = merged(room.given, one.args) ?? room.given;
      room.cases.push(one);
    } else resources.push({ class: one.class, given: { ...one.args }, cases: [one] });
  }
  return resources.map(({ class: kind, given, cases }) => ({
    class: kind,
    args: { ...valid[kind], ...given },
    cases,
  }));
}

/** Both together; undefined where both say something about the same argument or key. */
function merged(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const result: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    if (!(key in result)) result[key] = value;
    else if (key === "destination") {
      const both = mergedDestination(result[key], value);
      if (both === undefined) return undefined;
      result[key] = both;
    } else return undefined;
  }
  return result;
}

function mergedDestination(a: unknown, b: unknown): unknown {
  const [one, other] = [asKnown(a), asKnown(b)];
  if (one === undefined || other?.type !== one.type) return undefined;
  const base: Readonly<Record<string, unknown>> = configs[one.type];
  const config: Record<string, unknown> = { ...one.config };
  for (const key of new Set([...Object.keys(other.config), ...Object.keys(base)])) {
    if (other.config[key] === base[key]) continue;
    if (config[key] !== base[key]) return undefined;
    config[key] = other.config[key];
  }
  return { type: one.type, config };
}

function asKnown(
  value: unknown,
): { type: keyof typeof configs; config: Record<string, unknown> } | undefined {
  if (typeof value !== "object" || value === null || Object.keys(value).join() !== "type,config")
    return undefined;
  const { type, config } = value as { type?: unknown; config?: unknown }; // Looked at below.
  const known = Object.keys(configs).find((name): name is keyof typeof configs => name === type);
  return known && typeof config === "object" && config !== null
    ? { type: known, config: { ...config } }
    : undefined;
}
