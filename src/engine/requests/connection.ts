import { clientFor, type ApiClient } from "../../client/client";
import { VARIABLES } from "../../client/naming";
import { connectionNames, settingsFor, type ConfigReader, type Settings } from "../../client/settings";
import { ConfigurationError } from "../../client/errors";
import type { Props } from "../values/json";
import { HIDDEN } from "../state/state";

let readConfig: ConfigReader = () => undefined;

/** Every verb of every resource asks for these, and they are the same all along. */
const settled = new Map<string | undefined, { environment: string; settings: Settings }>();
const clients = new WeakMap<Settings, ApiClient>();

/** Takes the stack's configuration. Called before anything is awaited: see rule 9 of the lifecycle. */
export function useConfig(read: ConfigReader): void {
  readConfig = read;
  settled.clear();
}

/** The settings of the connection that a resource names, or of the default one. */
export function settingsOf(props: Props): Settings {
  const connection = typeof props["connection"] === "string" ? props["connection"] : undefined;
  const environment = Object.values(VARIABLES)
    .map((name) => process.env[name] ?? "")
    .join("\n");
  const known = settled.get(connection);
  if (known?.environment === environment) return known.settings;
  const settings = settingsFor(connection, readConfig, process.env);
  settled.set(connection, { environment, settings });
  return settings;
}

/** The client of the connection that a resource names, or of the default one. */
export function clientOf(props: Props): ApiClient {
  const settings = settingsOf(props);
  const known = clients.get(settings);
  if (known) return known;
  const made = clientFor(settings);
  clients.set(settings, made);
  return made;
}

/** The clients of all connections that lead to this host. */
export function clientsAt(host: string): ApiClient[] {
  const names = ifConfigured(() => connectionNames(readConfig)) ?? [];
  const all = [undefined, ...names].map((connection) => ifConfigured(() => clientOf({ connection })));
  return all.filter((client) => client !== undefined).filter((client) => client.host === host);
}

/** What nobody uses need not be configured. */
function ifConfigured<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (ConfigurationError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Where an object of the state was made. */
export function homeOf(stored: Props): string {
  const host = stored[HIDDEN.host];
  return typeof host === "string" ? host : clientOf(stored).host;
}
