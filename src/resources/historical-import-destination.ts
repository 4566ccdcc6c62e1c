import { ConfigurationError } from "../client/errors";
import { waysToGiveKey } from "../client/naming";
import { ingestHost } from "../client/settings";
import { settingsOf as connectionOf } from "../engine/requests/connection";
import type { Problem } from "../engine/definition";
import type { Props } from "../engine/values/json";
import { destinationProblems, type Destination } from "../ingest";
import { destinationHash } from "../ingest/checkpoint/checkpoint";

/** Where an import goes: its arguments first, then the configuration. @throws ConfigurationError where there is no key */
export function destinationOf(props: Props): Destination {
  const settings = connectionOf(props);
  const key = props["projectApiKey"] ?? settings.projectApiKey;
  const host =
    typeof props["ingestHost"] === "string" ? { ...settings, ingestHost: props["ingestHost"] } : settings;
  if (typeof key !== "string") {
    throw new ConfigurationError(
      `no project API key: give projectApiKey or run ${waysToGiveKey(settings.connection, "projectApiKey")}, ` +
        "to the key (phc_...) in the project's settings",
    );
  }
  return { ingestHost: ingestHost(host).href.replace(/\/$/, ""), projectApiKey: key };
}

/** What is wrong with the destination; one that is not configured is an error only where something is left to send. */
export function destinationErrors(args: Props, isNeeded: boolean): Problem[] {
  try {
    return destinationProblems(destinationOf(args));
  } catch (error) {
    if (!ConfigurationError.isInstance(error)) throw error;
    return isNeeded ? [{ argument: "configuration", reason: error.message }] : [];
  }
}

/** The hash of today's destination; undefined where none is configured any more. */
export function destinationNow(props: Props): string | undefined {
  try {
    return destinationHash(destinationOf(props));
  } catch (error) {
    if (!ConfigurationError.isInstance(error)) throw error;
    return undefined;
  }
}
