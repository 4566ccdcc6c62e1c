import { z } from "zod";
import type { Judgement, ResourceDefinition } from "../engine/definition";
import { anyJson, text } from "../engine/values/fields";
import { isObject, type JsonObject, type Props } from "../engine/values/json";

/** Arguments that the three plugin kinds share. */
export const pluginInputs = {
  /** UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`. A change replaces the plugin. */
  organizationId: text({ min: 1 }).optional(),
  /**
   * Where its code comes from: `local`, `custom`, `repository`, `source` (its code is given as text) or `inline`.
   * Default: the service's. A change replaces the plugin.
   */
  pluginType: z.enum(["local", "custom", "repository", "source", "inline"]).optional(),
  /** Name, at most 200 characters. Default: from its `plugin.json`. Updated in place; taken out: emptied. */
  name: text({ max: 200 }).optional(),
  /** What it does. Default: from its `plugin.json`. Updated in place; taken out: emptied. */
  description: text().optional(),
  /**
   * Address of its repository or npm package, at most 800 characters, once per organization. Needed unless
   * `pluginType` is `source`. A `private_token` in it is kept as a secret. A change replaces the plugin.
   */
  url: text({ max: 800 }).optional(),
  /** Address of its picture, at most 800 characters. Default: none. Updated in place; taken out: emptied. */
  icon: text({ max: 800 }).optional(),
  /** What can be configured, in the service's own form, sent verbatim. Updated in place; taken out: emptied. */
  configSchema: anyJson().optional(),
  /**
   * Version that is installed, at most 200 characters. Default: the newest at the time. A change is an upgrade, which
   * PostHog closes to API keys with scopes; without `url` it is a mere label. `latest` asks for updates at every preview,
   * says what there is, and upgrades (not an ImportApp, which cannot be changed).
   */
  tag: text({ max: 200 }).optional(),
  /** Whether every organization of the instance sees it. Default: false. Needs root access. Updated in place. */
  isGlobal: z.boolean().optional(),
  /** What its code can do, in the service's own form, sent verbatim. It decides of what kind a plugin is. Default:
   * found out by the service. */
  capabilities: anyJson().optional(),
  /** What it measures, in the service's own form, sent verbatim. Default: none. */
  metrics: anyJson().optional(),
  /** Jobs that can be started by hand, in the service's own form, sent verbatim. Default: from its code. */
  publicJobs: anyJson().optional(),
};

/** Outputs that the three plugin kinds share. */
export const pluginOutputs = {
  /** Newest version that the service knows of. */
  latestTag: z.string().optional(),
  /** Name of the organization. */
  organizationName: z.string().optional(),
};

const PRIVATE_TOKEN = "private_token=";

/** What `url` and its hidden token need beyond the schema. */
const url: NonNullable<ResourceDefinition["fields"]>[string] = {
  // The service answers without the query string, where a private token may stand.
  settle: (live, stored) =>
    typeof live === "string" && typeof stored === "string" && live === publicPart(stored) ? stored : live,
  parts: (value) => ({ public: typeof value === "string" ? publicPart(value) : null }),
  secretPaths: (value) => (typeof value !== "string" || value.includes(PRIVATE_TOKEN) ? [[]] : []),
};

/** What the definitions of the three plugin kinds share. */
export const pluginDefinition = {
  outputs: pluginOutputs,
  scope: "organization",
  keyScope: "plugin",
  fields: { url },
  // An address is installed once, and what stands there decides of name, description and version.
  identity: (body: JsonObject) =>
    typeof body["url"] === "string" && body["url"] !== "" ? ["url"] : undefined,
  judge: (stored: Props, wanted: Props): Judgement => ({
    deletesFirst: isInstalledAt(stored["url"], wanted["url"]),
  }),
} as const;

/** Whether a new plugin would come from an address that is taken: the service installs each once. */
export function isInstalledAt(stored: unknown, wanted: unknown): boolean {
  return (
    typeof stored === "string" && typeof wanted === "string" && publicPart(stored) === publicPart(wanted)
  );
}

function publicPart(url: string): string | undefined {
  return url.split("?")[0];
}

/**
 * What plugin arguments are cleared to. Not `capabilities`, which decide of what kind a plugin is: without them a
 * destination would be none any more.
 */
export const pluginClears = {
  name: "",
  description: "",
  icon: "",
  configSchema: {},
  isGlobal: false,
  metrics: {},
  publicJobs: {},
};

/** Whether an answer is a plugin: the interface shows one where the service answers something else. */
export function isPlugin(answer: unknown): boolean {
  return isObject(answer) && "id" in answer && ("plugin_type" in answer || "name" in answer);
}

/** A plugin's code by file name, as the `source` endpoint answers. */
export function sourceFiles(answer: unknown): Record<string, string> {
  if (!isObject(answer)) return {};
  return Object.fromEntries(
    Object.entries(answer).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
