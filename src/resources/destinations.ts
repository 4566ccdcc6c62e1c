import { z } from "zod";
import { anyJson, secret, strictObject, text } from "../engine/values/fields";

const compression = z.enum(["gzip", "brotli", "lz4", "snappy", "zstd"]);

/** Choice of events that every destination with events takes. */
const events = {
  /** Names of events to leave out. Default: none. */
  excludeEvents: z.array(z.string()).nullish(),
  /** Names of the only events to export. Default: all. */
  includeEvents: z.array(z.string()).nullish(),
};

const s3 = strictObject({
  /** Name of the bucket. */
  bucketName: text({ min: 1 }),
  /** AWS region of the bucket, such as `us-east-1`. */
  region: text({ min: 1 }),
  /** Start of every object's key; may hold `{year}`, `{month}`, `{day}`, `{hour}`, `{table}`. */
  prefix: text(),
  /** Access key id; kept as a secret, never read back. */
  awsAccessKeyId: secret(text()).nullish(),
  /** Secret access key; kept as a secret, never read back. */
  awsSecretAccessKey: secret(text()).nullish(),
  /** Compression of the files. Default: none. */
  compression: compression.nullish(),
  /** Encryption on the server's side: `AES256` or `aws:kms`. Default: the bucket's. */
  encryption: text().nullish(),
  /** Key for `aws:kms`. */
  kmsKeyId: text().nullish(),
  /** Address of a service that speaks S3, for others than AWS. */
  endpointUrl: text().nullish(),
  /** Format of the files: `JSONLines` (default) or `Parquet`. */
  fileFormat: z.enum(["JSONLines", "Parquet"]).nullish(),
  ...events,
});

const snowflake = strictObject({
  /** User; kept as a secret, never read back. */
  user: secret(text({ min: 1 })),
  /** Password; kept as a secret, never read back. */
  password: secret(text()).nullish(),
  /** `password` (default) or `keypair`. */
  authenticationType: z.enum(["password", "keypair"]).nullish(),
  /** Private key for `keypair`; kept as a secret, never read back. */
  privateKey: secret(z.string()).nullish(),
  /** Passphrase of the private key; kept as a secret, never read back. */
  privateKeyPassphrase: secret(z.string()).nullish(),
  /** Account, such as `ab12345.eu-west-1`. */
  account: text({ min: 1 }),
  /** Database. */
  database: text({ min: 1 }),
  /** Warehouse. */
  warehouse: text({ min: 1 }),
  /** Schema. */
  schema: text({ min: 1 }),
  /** Table. Default: `events`. */
  tableName: text().nullish(),
  /** Role. Default: the user's. */
  role: text().nullish(),
  ...events,
});

const postgresKeys = {
  /** User; kept as a secret, never read back. */
  user: secret(text({ min: 1 })),
  /** Password; kept as a secret, never read back. */
  password: secret(z.string().min(1)),
  /** Host name or address. */
  host: text({ min: 1 }),
  /** Database. */
  database: text({ min: 1 }),
  /** Whether the server's certificate is signed by itself. Default: false. */
  hasSelfSignedCert: z.boolean().nullish(),
  /** Schema. Default: `public`. */
  schema: text().nullish(),
  /** Table. Default: `events`. */
  tableName: text().nullish(),
  /** Port, 1 to 65535. Default: 5432. */
  port: z.int().min(1).max(65535).nullish(),
  ...events,
};

const postgres = strictObject(postgresKeys);

const redshift = strictObject({
  ...postgresKeys,
  /** Type of the properties column: `varchar` (default) or `super`. */
  propertiesDataType: z.enum(["varchar", "super"]).nullish(),
});

const bigQuery = strictObject({
  /** Google Cloud project. */
  projectId: text({ min: 1 }),
  /** Data set. */
  datasetId: text({ min: 1 }),
  /** Private key of the service account; kept as a secret, never read back. */
  privateKey: secret(z.string().min(1)),
  /** Id of the private key; kept as a secret, never read back. */
  privateKeyId: secret(text({ min: 1 })),
  /** Token address of the service account; kept as a secret, never read back. */
  tokenUri: secret(text({ min: 1 })),
  /** E-mail address of the service account; kept as a secret, never read back. */
  clientEmail: secret(text({ min: 1 })),
  /** Table. Default: `events`. */
  tableId: text().nullish(),
  /** Whether JSON columns are used. Default: false. */
  useJsonType: z.boolean().nullish(),
  ...events,
});

const http = strictObject({
  /** Address that receives the events: a `/batch/` endpoint of PostHog. */
  url: z.url({ error: 'must be an address, such as "https://eu.i.posthog.com/batch/"' }),
  /** Project API key of the receiving project; kept as a secret, never compared. */
  token: secret(text({ min: 1 })),
});

const noOp = strictObject({
  /** Anything; the destination drops what it gets. */
  arg: anyJson().optional(),
});

/** Configuration of the destination types that we know, by type. */
export const destinationConfigs = {
  S3: s3,
  Snowflake: snowflake,
  Postgres: postgres,
  Redshift: redshift,
  BigQuery: bigQuery,
  HTTP: http,
  NoOp: noOp,
} as const;

/** Destination types whose configuration we know. */
export type KnownDestination = keyof typeof destinationConfigs;

/** True for a destination type whose configuration we know. */
export function isKnownDestination(type: unknown): type is KnownDestination {
  return typeof type === "string" && type in destinationConfigs;
}

/**
 * Secret keys that a type does not require and that a configuration works with all the same: others that it does not
 * require may be missing.
 */
export function optionalSecretsInUse(
  type: KnownDestination,
  config: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (type === "S3") return ["awsAccessKeyId", "awsSecretAccessKey"];
  if (type !== "Snowflake") return [];
  return [config["authenticationType"] === "keypair" ? "privateKey" : "password"];
}
