import { createHash } from "node:crypto";

import { invalid } from "../http/errors";
import { isObject, type Json, type JsonObject, parseJson } from "../fields/json";
import type { Plugin, PluginRelease } from "../store/entities";
import type { World } from "../world/world";

/**
 * Stands in for the service's plugin installer, which downloads repositories and packages. The emulator reaches
 * no network: what a repository holds is what `publishPlugin` said, and for any other address a `plugin.json`
 * that agrees with the request, its name taken from the address where the request gives none.
 */

const REPOSITORY = /^https:\/\/(?:www\.)?(?:github\.com|gitlab\.com)\/[\w.-]+\/[\w./-]+$/;
const PACKAGE = /^https:\/\/(?:www\.)?npmjs\.com\/package\/(?:@[\w.-]+\/)?[\w.-]+(?:\/v\/[\w.-]+)?\/?$/;
const TAG = /\/(?:-\/)?(?:tree|commit|commits|blob|releases\/tag|v)\/([\w.-]+)/;

/** An address without its query string, which may hold a private token. */
export function publicUrl(url: string): string {
  return url.split("?")[0] ?? url;
}

/** The address of the repository itself, whatever revision the URL names. */
function repositoryOf(url: string): string {
  return publicUrl(url).replace(TAG, "").replace(/\/$/, "");
}

export function refuseUnknownHost(url: string): void {
  const address = publicUrl(url);
  if (!url.startsWith("file:") && !REPOSITORY.test(address) && !PACKAGE.test(address)) {
    throw invalid("Must be a GitHub/GitLab repository or a npm package URL!");
  }
}

/** A URL is installed once on the whole instance, whatever token it is fetched with. */
export function refuseInstalledTwice(world: World, url: string): void {
  const address = publicUrl(url);
  if (world.store.plugins.find((plugin) => plugin.url !== null && publicUrl(plugin.url) === address)) {
    throw invalid(`Plugin from URL "${address}" already installed!`);
  }
}

export interface Fetched {
  readonly name: string;
  readonly description: string | null;
  readonly icon: string | null;
  readonly config_schema: Json;
  readonly public_jobs: Json;
  readonly tag: string | null;
  readonly source: Record<string, string>;
}

/** Fetches what the URL points to. `given` fills in for addresses of which nothing was published. */
export function fetchPlugin(world: World, url: string, given: Partial<Plugin>): Fetched {
  const release = world.store.pluginReleases.get(repositoryOf(url));
  if (release) {
    const { name, description, icon, config, public_jobs, source } = release;
    return {
      name,
      description,
      icon,
      config_schema: config,
      public_jobs,
      tag: tagOf(url) ?? release.tag,
      source: { ...source },
    };
  }
  const name = given.name ?? repositoryOf(url).split("/").pop() ?? url;
  const config = given.config_schema ?? [];
  return {
    name,
    description: given.description ?? "",
    icon: given.icon ?? null,
    config_schema: config,
    public_jobs: given.public_jobs ?? {},
    tag: url.startsWith("file:") ? null : (tagOf(url) ?? latestTag(world, url)),
    source: { "plugin.json": JSON.stringify({ name, config }) },
  };
}

function tagOf(url: string): string | undefined {
  return TAG.exec(publicUrl(url))?.[1];
}

/** What the repository's newest revision is called. Made up from the address where nothing was published. */
export function latestTag(world: World, url: string): string {
  const repository = repositoryOf(url);
  const release = world.store.pluginReleases.get(repository);
  return release?.tag ?? createHash("sha1").update(repository).digest("hex");
}

const METHODS = [
  "onEvent",
  "composeWebhook",
  "processEvent",
  "exportEvents",
  "onSnapshot",
  "setupPlugin",
  "teardownPlugin",
  "getSettings",
];
const SCHEDULED = ["runEveryMinute", "runEveryHour", "runEveryDay"];

/** Reads from a plugin's code which hooks it exports; undefined where it has no code that runs on the server. */
export function capabilitiesOf(source: Readonly<Record<string, string>>): JsonObject | undefined {
  const code = source["index.ts"] ?? source["index.js"];
  if (code === undefined) {
    return "frontend.tsx" in source || "site.ts" in source ? {} : undefined;
  }
  const exported = (name: string): boolean =>
    new RegExp(
      `export\\s+(?:async\\s+)?(?:function|const|let|var)\\s+${name}\\b|\\bexports\\.${name}\\b|export\\s*\\{[^}]*\\b${name}\\b`,
    ).test(code);
  const jobs = /export\s+const\s+jobs\b[^=]*=\s*\{([^}]*)/.exec(code)?.[1] ?? "";
  return {
    jobs: [...jobs.matchAll(/(\w+)\s*[:(,]/g)].map((match) => match[1] ?? ""),
    methods: METHODS.filter(exported),
    scheduled_tasks: SCHEDULED.filter(exported),
  };
}

export function publishedCapabilities(
  world: World,
  url: string | null,
): PluginRelease["capabilities"] | undefined {
  return url === null ? undefined : world.store.pluginReleases.get(repositoryOf(url))?.capabilities;
}

/** Values of the `plugin.json` that an update of the source brings along, undefined where it is no JSON. */
export function readPluginJson(text: string | undefined): { name?: string; config?: Json } | undefined {
  if (!text) return {};
  let parsed: Json;
  try {
    parsed = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isObject(parsed)) return {};
  const { name, config } = parsed;
  return { ...(typeof name === "string" && { name }), ...(config !== undefined && { config }) };
}
