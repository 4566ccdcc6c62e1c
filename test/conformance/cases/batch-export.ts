import type { KindCases, Sent } from "./case";

const s3 = {
  type: "S3",
  config: {
    bucketName: "lake",
    region: "eu-central-1",
    prefix: "one/",
    awsAccessKeyId: { $secret: "AKIA-conformance" },
    awsSecretAccessKey: { $secret: "hush-conformance" },
  },
};

/** The whole destination travels, since the service's newer versions need the type and check the whole of it. */
const sentS3 = (changes: Record<string, unknown>) => ({
  type: "S3",
  config: {
    bucket_name: "lake",
    region: "eu-central-1",
    prefix: "one/",
    aws_access_key_id: "AKIA-conformance",
    aws_secret_access_key: "hush-conformance",
    ...changes,
  },
});

const patchS3 = (changes: Record<string, unknown>): readonly Sent[] => [
  ["PATCH", "", { destination: sentS3(changes) }],
];

/** A secret of an export that someone else has made; nothing may show it. */
export const HUSHED = "hush-of-someone-else";

export const batchExport: KindCases = {
  kind: "BatchExport",
  path: "/api/organizations/$organization/batch_exports/",
  base: (slug) => ({ name: `Export of ${slug}`, interval: "hour", destination: s3 }),
  marker: "name",
  order: "new first",
  removal: ["DELETE", ""],
  existing: {
    made: (name) => ({
      name,
      interval: "hour",
      destination: {
        type: "S3",
        config: { bucket_name: "lake", region: "r", prefix: "p/", aws_secret_access_key: HUSHED },
      },
    }),
    equal: (name) => ({
      name,
      interval: "hour",
      destination: {
        type: "S3",
        config: { bucketName: "lake", region: "r", prefix: "p/", awsSecretAccessKey: { $secret: "unknown" } },
      },
    }),
    differing: { interval: "day" },
    named: 'interval: "hour" → "day"',
    patch: { interval: "day" },
    shown: (name) => ({ name, interval: "hour" }),
  },
  arguments: [
    {
      argument: "organizationId",
      field: "organization_id",
      first: { $world: "organization" },
      second: { $world: "otherOrganization" },
      creation: "path",
      update: "replacement",
      cleared: "replacement",
    },
    {
      argument: "projectId",
      field: "project_id",
      first: { $world: "project" },
      second: { $world: "otherProject" },
      creation: "path",
      update: "replacement",
      cleared: "replacement",
    },
    {
      argument: "name",
      field: "name",
      first: "Export of name",
      second: "Export renamed",
      update: "patch",
      outside: { by: [["PATCH", "", { name: "Renamed by hand" }]], shown: "Renamed by hand" },
      cleared: "required",
    },
    {
      argument: "model",
      field: "model",
      first: "events",
      second: "persons",
      update: "patch",
      outside: { by: [["PATCH", "", { model: "events" }]], shown: "events" },
      cleared: { to: "events" },
    },
    {
      argument: "destination.config.prefix",
      field: "destination",
      first: "one/",
      second: "two/",
      sent: [sentS3({}), sentS3({ prefix: "two/" })],
      update: "patch",
      outside: {
        by: [["PATCH", "", { destination: { type: "S3", config: { prefix: "by-hand/" } } }]],
        shown: "by-hand/",
      },
      cleared: "required",
    },
    {
      argument: "destination.config.awsSecretAccessKey",
      field: "destination",
      first: { $secret: "hush-conformance" },
      second: { $secret: "hush-rotated" },
      sent: [sentS3({}), sentS3({ aws_secret_access_key: "hush-rotated" })],
      update: "patch",
      cleared: "stays",
    },
    {
      argument: "destination.config.compression",
      field: "destination",
      first: "gzip",
      second: "brotli",
      sent: [sentS3({ compression: "gzip" }), sentS3({ compression: "brotli" })],
      update: "patch",
      outside: {
        by: [["PATCH", "", { destination: { type: "S3", config: { compression: "gzip" } } }]],
        shown: "gzip",
      },
      cleared: "stays",
    },
    {
      argument: "destination.config.includeEvents",
      field: "destination",
      first: ["$pageview"],
      second: ["$pageview", "paid"],
      sent: [sentS3({ include_events: ["$pageview"] }), sentS3({ include_events: ["$pageview", "paid"] })],
      update: "patch",
      outside: {
        by: [["PATCH", "", { destination: { type: "S3", config: { include_events: null } } }]],
        shown: undefined,
        back: patchS3({ include_events: ["$pageview", "paid"] }),
      },
      cleared: "stays",
    },
    {
      argument: "destination",
      field: "destination",
      first: s3,
      second: { type: "NoOp", config: {} },
      sent: [sentS3({}), { type: "NoOp", config: {} }],
      update: "replacement",
      // It could turn out to be of the same type.
      whileUnknown: "update",
      cleared: "required",
    },
    {
      argument: "interval",
      field: "interval",
      first: "hour",
      second: "day",
      update: "patch",
      outside: { by: [["PATCH", "", { interval: "week" }]], shown: "week" },
      cleared: "required",
    },
    {
      argument: "paused",
      field: "paused",
      first: false,
      second: true,
      update: [["POST", "pause/"]],
      outside: { by: [["POST", "unpause/", {}]], shown: false },
      cleared: { sends: [["POST", "unpause/"]] },
    },
    {
      argument: "startAt",
      field: "start_at",
      first: "2026-01-01T00:00:00Z",
      second: "2026-02-01T02:00:00+02:00",
      sent: ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"],
      update: "patch",
      outside: {
        by: [["PATCH", "", { start_at: "2026-03-01T00:00:00Z" }]],
        shown: "2026-03-01T00:00:00Z",
      },
      cleared: { to: null },
    },
    {
      argument: "endAt",
      field: "end_at",
      first: "2027-01-01T00:00:00Z",
      second: "2027-02-01T00:00:00.500Z",
      sent: ["2027-01-01T00:00:00Z", "2027-02-01T00:00:00.500000Z"],
      update: "patch",
      outside: { by: [["PATCH", "", { end_at: null }]], shown: null },
      cleared: { to: null },
    },
    {
      argument: "hogqlQuery",
      field: "hogql_query",
      first: "SELECT event FROM events",
      second: "SELECT event, timestamp FROM events",
      update: "patch",
      cleared: "stays",
    },
  ],
};
