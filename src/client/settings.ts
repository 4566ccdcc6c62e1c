import { isIP } from "node:net";
import { z } from "zod";
import { ConfigurationError } from "./errors";

/** What one connection is configured with, before it is used. */
export interface Settings {
  apiKey?: string;
  host?: string;
  ingestHost?: string;
  region?: string;
  projectId?: string;
  organizationId?: string;
  projectApiKey?: string;
  /** Seconds that a request may take, all its tries together. */
  requestDeadline?: number;
  /** Pace to keep, below the service's own limit. */
  requestsPerMinute?: number;
}

/** Reads the stack's configuration by full key (`posthog:apiKey`). */
export type ConfigReader = (key: string) => string | undefined;

const VARIABLES = {
  apiKey: "POSTHOG_API_KEY",
  host: "POSTHOG_HOST",
  ingestHost: "POSTHOG_INGEST_HOST",
  region: "POSTHOG_REGION",
  projectId: "POSTHOG_PROJECT_ID",
  organizationId: "POSTHOG_ORGANIZATION_ID",
  projectApiKey: "POSTHOG_PROJECT_API_KEY",
} as const;

type TextKey = keyof typeof VARIABLES;
const TEXT_KEYS = Object.keys(VARIABLES) as TextKey[]; // Object.keys forgets the key type

const REGIONS: Readonly<Record<string, { host: string; ingestHost: string }>> = {
  us: { host: "https://us.posthog.com", ingestHost: "https://us.i.posthog.com" },
  eu: { host: "https://eu.posthog.com", ingestHost: "https://eu.i.posthog.com" },
};

const text = z.union([z.string(), z.number().transform(String)]);
const amount = z.coerce.number().positive();
const connectionEntry = z.strictObject({
  apiKey: text.exactOptional(),
  host: text.exactOptional(),
  ingestHost: text.exactOptional(),
  region: text.exactOptional(),
  projectId: text.exactOptional(),
  organizationId: text.exactOptional(),
  projectApiKey: text.exactOptional(),
  requestDeadline: amount.exactOptional(),
  requestsPerMinute: amount.exactOptional(),
});
const connectionMap = z.record(z.string(), z.unknown());

/**
 * The settings of the connection of that name, or of the default one: stack configuration before environment. A
 * named connection takes nothing from the environment or the default one, so that no key travels to a host that
 * it was not meant for; only deadline and pace are shared.
 */
export function settingsFor(
  connection: string | undefined,
  read: ConfigReader,
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  const shared = pace(read);
  if (connection !== undefined) return { ...shared, ...namedConnection(connection, read) };
  const settings: Settings = { ...shared };
  for (const key of TEXT_KEYS) {
    const value = nonEmpty(read(`posthog:${key}`)) ?? nonEmpty(env[VARIABLES[key]]);
    if (value !== undefined) settings[key] = value;
  }
  return settings;
}

function nonEmpty(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}

function pace(read: ConfigReader): Settings {
  const settings: Settings = {};
  for (const key of ["requestDeadline", "requestsPerMinute"] as const) {
    const value = nonEmpty(read(`posthog:${key}`));
    if (value === undefined) continue;
    const parsed = amount.safeParse(value);
    if (!parsed.success)
      throw new ConfigurationError(`posthog:${key} must be a number above 0, got "${value}"`);
    settings[key] = parsed.data;
  }
  return settings;
}

function namedConnection(name: string, read: ConfigReader): Settings {
  const entries = parseConnections(read("posthog:connections"));
  const entry = entries[name];
  if (entry === undefined) {
    const names = Object.keys(entries);
    throw new ConfigurationError(
      `connection "${name}" is not in posthog:connections, which ${names.length === 0 ? "names none" : `names ${names.join(", ")}`}. ` +
        `Add it: pulumi config set --path posthog:connections.${name}.host https://eu.posthog.com, and its apiKey with --secret`,
    );
  }
  const parsed = connectionEntry.safeParse(entry);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = ["posthog:connections", name, ...(issue?.path ?? []).map(String)].join(".");
    throw new ConfigurationError(
      `${where} cannot be used; a connection is an object of ${[...TEXT_KEYS, "requestDeadline", "requestsPerMinute"].join(", ")}`,
    );
  }
  return parsed.data;
}

function parseConnections(value: string | undefined): Record<string, unknown> {
  if (value === undefined) return {};
  try {
    return connectionMap.parse(JSON.parse(value));
  } catch {
    throw new ConfigurationError(
      "posthog:connections must be an object of connections; set its parts with pulumi config set --path posthog:connections.NAME.host VALUE",
    );
  }
}

/** The personal API key; the error names both ways to give it. */
export function personalKey(settings: Settings): string {
  const key = settings.apiKey;
  if (key === undefined) {
    throw new ConfigurationError(
      "no PostHog key: run pulumi config set --secret posthog:apiKey, or set POSTHOG_API_KEY, to a personal API key (phx_...)",
    );
  }
  if (key.startsWith("phc_")) {
    throw new ConfigurationError(
      "posthog:apiKey (POSTHOG_API_KEY) holds a project API key (phc_...), which only sends events: give a personal " +
        "API key (phx_...), made under Settings, Personal API keys",
    );
  }
  // A header cannot carry anything else, and the error that undici would raise shows the value.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigurationError(
      "posthog:apiKey (POSTHOG_API_KEY) holds white space or characters that no key has",
    );
  }
  return key;
}

/** Address of the management interface, without a slash at its end. */
export function managementHost(settings: Settings): URL {
  return address(settings, "host");
}

/** Address that takes events, without a slash at its end. */
export function ingestHost(settings: Settings): URL {
  return address(settings, "ingestHost");
}

function address(settings: Settings, key: "host" | "ingestHost"): URL {
  const named = `posthog:${key} (${VARIABLES[key]})`;
  const region = settings.region ?? "us";
  const hosts = REGIONS[region];
  if (hosts === undefined) {
    throw new ConfigurationError(`posthog:region (POSTHOG_REGION) must be us or eu, got "${region}"`);
  }
  const value = settings[key] ?? hosts[key];
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new ConfigurationError(
      `${named} must be an address such as ${hosts[key]}, got "${withoutCredentials(value)}"`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigurationError(
      `${named} must not hold a user or a password; the key is given as posthog:apiKey`,
    );
  }
  if (url.protocol !== "https:" && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      `${named} must start with https:// unless it is on this machine, or the key would travel in clear; got "${value}"`,
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, "");
  url.search = "";
  url.hash = "";
  return url;
}

function withoutCredentials(value: string): string {
  return value.replace(/\/\/[^/@]*@/, "//");
}

function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
