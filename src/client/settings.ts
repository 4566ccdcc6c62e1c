import { isIP } from "node:net";
import { z } from "zod";
import { ConfigurationError } from "./errors";
import { VARIABLES, settingName, waysToGiveKey, type TextKey } from "./naming";

/** What one connection is configured with, before it is used. */
export interface Settings {
  /** Name of the connection in `posthog:connections`; the default one has none. */
  connection?: string;
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

const TEXT_KEYS = Object.keys(VARIABLES) as TextKey[]; // Object.keys forgets the key type

const REGIONS: Readonly<Record<string, { host: string; ingestHost: string }>> = {
  us: { host: "https://us.posthog.com", ingestHost: "https://us.i.posthog.com" },
  eu: { host: "https://eu.posthog.com", ingestHost: "https://eu.i.posthog.com" },
};
/** PostHog Cloud's own addresses; any other host is somebody's own PostHog, or a proxy. */
const CLOUD_HOST = /^https:\/\/(us|eu|app)(?:\.i)?\.posthog\.com(?:\/|$)/i;

const text = z.union([z.string(), z.number().transform(String)]);
/** A day is more than any operation takes, and far below what timers can count. */
const MAX_DEADLINE_S = 86_400;
const tuning = {
  requestDeadline: z.coerce.number().positive().max(MAX_DEADLINE_S),
  requestsPerMinute: z.coerce.number().positive(),
} as const;
const ALLOWED = {
  requestDeadline: `a number of seconds above 0, at most ${String(MAX_DEADLINE_S)}`,
  requestsPerMinute: "a number above 0",
} as const;
type TuningKey = keyof typeof tuning;
/** Every key of the stack's configuration that counts, without `posthog:`. */
export const SETTING_KEYS: readonly string[] = [...TEXT_KEYS, ...Object.keys(tuning), "connections"];
const connectionEntry = z.strictObject({
  apiKey: text.exactOptional(),
  host: text.exactOptional(),
  ingestHost: text.exactOptional(),
  region: text.exactOptional(),
  projectId: text.exactOptional(),
  organizationId: text.exactOptional(),
  projectApiKey: text.exactOptional(),
  requestDeadline: tuning.requestDeadline.exactOptional(),
  requestsPerMinute: tuning.requestsPerMinute.exactOptional(),
});
const connectionMap = z.record(z.string(), z.unknown());

/**
 * The settings of the connection of that name, or of the default one: stack configuration before environment. A
 * named connection takes nothing from the environment or the default one, so that no key travels to a host that
 * it was not meant for; only the deadline is shared.
 *
 * @throws ConfigurationError where the connection is unknown or a value cannot be used
 */
export function settingsFor(
  connection: string | undefined,
  read: ConfigReader,
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  const deadline = amount("requestDeadline", read);
  if (connection !== undefined) return { ...deadline, ...namedConnection(connection, read), connection };
  const settings: Settings = { ...deadline, ...amount("requestsPerMinute", read) };
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

function amount(key: TuningKey, read: ConfigReader): Settings {
  const value = nonEmpty(read(`posthog:${key}`));
  if (value === undefined) return {};
  const parsed = tuning[key].safeParse(value);
  if (parsed.success) return { [key]: parsed.data };
  throw new ConfigurationError(`posthog:${key} must be ${ALLOWED[key]}, got "${value}"`);
}

function namedConnection(name: string, read: ConfigReader): Settings {
  const entries = parseConnections(read("posthog:connections"));
  if (!Object.hasOwn(entries, name)) {
    const names = Object.keys(entries);
    throw new ConfigurationError(
      `connection "${name}" is not in posthog:connections, which ${names.length === 0 ? "names none" : `names ${names.join(", ")}`}. ` +
        `Add it: pulumi config set --path posthog:connections.${name}.host https://eu.posthog.com, and its apiKey with --secret`,
    );
  }
  const parsed = connectionEntry.safeParse(entries[name]);
  if (!parsed.success) throw unusableEntry(name, parsed.error);
  const settings: Settings = { ...parsed.data };
  for (const key of TEXT_KEYS) {
    const value = nonEmpty(settings[key]);
    if (value === undefined) delete settings[key];
    else settings[key] = value;
  }
  return settings;
}

/** Names the key that is wrong, never its value. */
function unusableEntry(name: string, error: z.ZodError): ConfigurationError {
  const issue = error.issues[0];
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const where = ["posthog:connections", name, ...(issue?.path ?? []).map(String), ...unknown].join(".");
  return new ConfigurationError(
    `${where} cannot be used; a connection is an object of ${[...TEXT_KEYS, ...Object.keys(tuning)].join(", ")}`,
  );
}

/** Names of the connections in the stack's configuration. */
export function connectionNames(read: ConfigReader): string[] {
  return Object.keys(parseConnections(read("posthog:connections")));
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

/**
 * The personal API key.
 *
 * @throws ConfigurationError with every way to give it, where there is none or it cannot be one
 */
export function personalKey(settings: Settings): string {
  const { apiKey: key, connection } = settings;
  const named = settingName("apiKey", connection);
  if (key === undefined) {
    throw new ConfigurationError(
      `no PostHog key: run ${waysToGiveKey(connection)}, to a personal API key (phx_...)`,
    );
  }
  if (key.startsWith("phc_")) {
    throw new ConfigurationError(
      `${named} holds a project API key (phc_...), which only sends events: give a personal ` +
        "API key (phx_...), made under Settings, Personal API keys",
    );
  }
  // A header cannot carry anything else, and the error that undici would raise shows the value.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigurationError(`${named} holds white space or characters that no key has`);
  }
  return key;
}

/**
 * Address of the management interface, without a slash at its end.
 *
 * @throws ConfigurationError where it is no address that the key may travel to
 */
export function managementHost(settings: Settings): URL {
  const url = address(settings, "host", settings.host ?? cloud(settings).host);
  if (/^(us|eu)\.i\.posthog\.com$/.test(url.hostname)) {
    throw new ConfigurationError(
      `${settingName("host", settings.connection)} is ${url.origin}, where only events go: give https://${url.hostname.replace(".i.", ".")}`,
    );
  }
  return url;
}

/**
 * Address that takes events, without a slash at its end. Where only `host` is given it decides: a PostHog of one's
 * own takes its events itself, and those of an account in the EU do not go to the US.
 *
 * @throws ConfigurationError where it is no address that a key may travel to
 */
export function ingestHost(settings: Settings): URL {
  const own = settings.region === undefined && settings.host !== undefined && !CLOUD_HOST.test(settings.host);
  const fallback = own && settings.host !== undefined ? settings.host : cloud(settings).ingestHost;
  return address(settings, "ingestHost", settings.ingestHost ?? fallback);
}

/** PostHog Cloud in the region that is given, or that the hosts which are given belong to. */
function cloud(settings: Settings): { host: string; ingestHost: string } {
  const given = settings.region?.toLowerCase();
  const implied = CLOUD_HOST.exec(settings.host ?? settings.ingestHost ?? "")?.[1]?.toLowerCase();
  const region = given ?? (implied === "eu" ? "eu" : "us");
  const hosts = Object.hasOwn(REGIONS, region) ? REGIONS[region] : undefined;
  if (hosts !== undefined) return hosts;
  throw new ConfigurationError(
    `${settingName("region", settings.connection)} must be us or eu, got "${settings.region ?? ""}"`,
  );
}

function address(settings: Settings, key: "host" | "ingestHost", value: string): URL {
  const named = settingName(key, settings.connection);
  // A region that is none is told even where the hosts make it superfluous.
  const example = cloud(settings)[key];
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new ConfigurationError(
      `${named} must be an address such as ${example}, got "${withoutCredentials(value)}"`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigurationError(
      `${named} must not hold a user or a password; the key is given as ${settingName("apiKey", settings.connection)}`,
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, "");
  url.search = "";
  url.hash = "";
  if (url.protocol !== "https:" && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      `${named} must start with https:// unless it is on this machine, or the key would travel in clear; got "${url.href}"`,
    );
  }
  return url;
}

function withoutCredentials(value: string): string {
  return value.replace(/^[^/@]*@|\/\/[^/@]*@/, "//");
}

function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
