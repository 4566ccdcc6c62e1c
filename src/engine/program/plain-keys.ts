import * as pulumi from "@pulumi/pulumi";
import { isObject } from "../values/json";

const SECRET_KEYS = ["apiKey", "projectApiKey"] as const;
const config = new pulumi.Config("posthog");

/** Exported by Pulumi since 2020, but left out of its type declarations. */
const runtime: typeof pulumi.runtime & { isConfigSecret?: (key: string) => boolean } = pulumi.runtime;

/**
 * Stops the program where a key stands in plain text in the stack's configuration: the engine would store it in
 * clear on its provider's entry as soon as the first resource is registered.
 */
export function refusePlainKeys(): void {
  for (const key of SECRET_KEYS) {
    if (isPlain(key)) refuse(`posthog:${key}`, `pulumi config set --secret posthog:${key}`);
  }
  if (!isPlain("connections")) return;
  for (const path of plainKeysOf(config.get("connections") ?? "").map((parts) => parts.join("."))) {
    refuse(`posthog:connections.${path}`, `pulumi config set --secret --path "posthog:connections.${path}"`);
  }
}

function isPlain(key: string): boolean {
  // Asked first: reading a secret as if it were plain makes Pulumi print a warning.
  return runtime.isConfigSecret?.(`posthog:${key}`) === false && config.get(key) !== undefined;
}

function plainKeysOf(connections: string): [connection: string, key: string][] {
  let entries: unknown;
  try {
    entries = JSON.parse(connections);
  } catch {
    return []; // What is no JSON is reported where it is used.
  }
  if (!isObject(entries)) return [];
  return Object.entries(entries).flatMap(([name, entry]) =>
    SECRET_KEYS.filter((key) => isObject(entry) && key in entry).map((key): [string, string] => [name, key]),
  );
}

function refuse(name: string, command: string): never {
  throw new pulumi.RunError(
    `${name} stands in plain text in the stack's configuration, and would be stored in plain text in its state. ` +
      `Make it a secret:\n    ${command}\nor remove it (pulumi config rm) and give it by environment. ` +
      `If it was committed or applied like this, make a new key in PostHog.`,
  );
}
