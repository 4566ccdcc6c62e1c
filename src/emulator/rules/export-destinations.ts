import type { JsonObject } from "../fields/json";
import type { DestinationType } from "../store/entities";
import type { World } from "../world/world";

/** What a destination's configuration must hold, and which of its keys no answer shows. */
interface Destination {
  readonly required: readonly string[];
  readonly secret: ReadonlySet<string>;
}

const DESTINATIONS: Readonly<Record<DestinationType, Destination>> = {
  S3: {
    required: ["bucket_name", "region", "prefix"],
    secret: new Set(["aws_access_key_id", "aws_secret_access_key"]),
  },
  Snowflake: {
    required: ["user", "password", "account", "database", "warehouse", "schema"],
    secret: new Set(["user", "password"]),
  },
  Postgres: { required: ["user", "password", "host", "database"], secret: new Set(["user", "password"]) },
  Redshift: { required: ["user", "password", "host", "database"], secret: new Set(["user", "password"]) },
  BigQuery: {
    required: ["project_id", "dataset_id", "private_key", "private_key_id", "token_uri", "client_email"],
    secret: new Set(["private_key", "private_key_id", "token_uri", "client_email"]),
  },
  HTTP: { required: ["url", "token"], secret: new Set(["token"]) },
  NoOp: { required: [], secret: new Set() },
};

/** Upstream wrote `set("token")`, which is the set of the word's letters: the token comes back in clear. */
const UPSTREAM_HTTP_SECRETS = new Set("token");

export const DESTINATION_TYPES = [
  "S3",
  "Snowflake",
  "Postgres",
  "Redshift",
  "BigQuery",
  "HTTP",
  "NoOp",
] as const satisfies readonly DestinationType[];

export function missingKey(type: DestinationType, config: JsonObject): string | undefined {
  return DESTINATIONS[type].required.find((key) => !(key in config));
}

/** Secrets are removed from what is shown, not masked. */
export function withoutSecrets(world: World, type: DestinationType, config: JsonObject): JsonObject {
  const secret = world.upstream && type === "HTTP" ? UPSTREAM_HTTP_SECRETS : DESTINATIONS[type].secret;
  return Object.fromEntries(Object.entries(config).filter(([key]) => !secret.has(key)));
}
