/** Environment variable of each setting that has one. */
export const VARIABLES = {
  apiKey: "POSTHOG_API_KEY",
  host: "POSTHOG_HOST",
  ingestHost: "POSTHOG_INGEST_HOST",
  region: "POSTHOG_REGION",
  projectId: "POSTHOG_PROJECT_ID",
  organizationId: "POSTHOG_ORGANIZATION_ID",
  projectApiKey: "POSTHOG_PROJECT_API_KEY",
} as const;

/** A setting that is text. */
export type TextKey = keyof typeof VARIABLES;

/** Where a setting of this connection is written: the configuration's key, and the variable where one counts. */
export function settingName(key: TextKey, connection: string | undefined): string {
  return connection === undefined
    ? `posthog:${key} (${VARIABLES[key]})`
    : `posthog:connections.${connection}.${key}`;
}

/** Every way to give a setting of this connection besides as an argument, to end a list of ways. */
export function waysToGive(key: TextKey, connection: string | undefined): string {
  return connection === undefined
    ? `run pulumi config set posthog:${key} VALUE, or set ${VARIABLES[key]}`
    : `or run pulumi config set --path posthog:connections.${connection}.${key} VALUE`;
}

/** Every way to give the personal API key of this connection, or the project's. */
export function waysToGiveKey(
  connection: string | undefined,
  key: "apiKey" | "projectApiKey" = "apiKey",
): string {
  return connection === undefined
    ? `pulumi config set --secret posthog:${key}, or set ${VARIABLES[key]}`
    : `pulumi config set --secret --path posthog:connections.${connection}.${key}`;
}
