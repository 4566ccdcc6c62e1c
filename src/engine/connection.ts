import { clientFor, type ApiClient } from "../client/client";
import { settingsFor, type ConfigReader, type Settings } from "../client/settings";
import type { Props } from "./json";

let readConfig: ConfigReader = () => undefined;

/** Takes the stack's configuration. Called before anything is awaited: see rule 9 of the lifecycle. */
export function useConfig(read: ConfigReader): void {
  readConfig = read;
}

/** The settings of the connection that a resource names, or of the default one. */
export function settingsOf(props: Props): Settings {
  const connection = props["connection"];
  return settingsFor(typeof connection === "string" ? connection : undefined, readConfig, process.env);
}

/** The client of the connection that a resource names, or of the default one. */
export function clientOf(props: Props): ApiClient {
  return clientFor(settingsOf(props));
}
