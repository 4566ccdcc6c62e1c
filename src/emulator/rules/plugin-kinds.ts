import type { Call } from "../http/call";
import { notFound, permissionDenied } from "../http/errors";
import { isObject, isTruthy, type Json, type JsonObject } from "../fields/json";
import { capabilitiesOf, publishedCapabilities } from "./plugin-installer";
import type { Plugin } from "../store/entities";
import type { World } from "../world/world";

/** The three plugin endpoints are one list, filtered by what the plugins can do. */
export type PluginKind = "pipeline_destinations" | "pipeline_frontend_apps" | "pipeline_import_apps";

export function isOfKind(kind: PluginKind, capabilities: Json): boolean {
  const known = isObject(capabilities) ? capabilities : {};
  const { methods, scheduled_tasks: scheduled } = known;
  const has = (method: string): boolean => Array.isArray(methods) && methods.includes(method);
  switch (kind) {
    case "pipeline_destinations":
      return has("onEvent") || has("composeWebhook");
    case "pipeline_frontend_apps":
      return !("methods" in known) && !("scheduled_tasks" in known);
    case "pipeline_import_apps":
      return (
        isTruthy(scheduled) ||
        ("methods" in known && !has("onEvent") && !has("composeWebhook") && !has("processEvent"))
      );
  }
}

const ORDINARY: Readonly<Record<PluginKind, JsonObject>> = {
  pipeline_destinations: { jobs: [], methods: ["onEvent"], scheduled_tasks: [] },
  pipeline_frontend_apps: {},
  pipeline_import_apps: { jobs: [], methods: [], scheduled_tasks: ["runEveryMinute"] },
};

/**
 * What the plugin server finds out about a plugin: what was published at its URL, else what its code exports,
 * else what is ordinary for the kind that it was posted to.
 */
export function inferCapabilities(world: World, plugin: Plugin, kind: PluginKind): JsonObject | undefined {
  const fromCode = capabilitiesOf(plugin.source);
  if (fromCode !== undefined) return fromCode;
  return (
    publishedCapabilities(world, plugin.url) ?? (isTruthy(plugin.capabilities) ? undefined : ORDINARY[kind])
  );
}

/** Lets the plugin server know of a new or changed plugin. */
export function scheduleInference(world: World, plugin: Plugin, kind: PluginKind): void {
  if (world.inferCapabilities === "never") return;
  const capabilities = inferCapabilities(world, plugin, kind);
  if (capabilities === undefined) return;
  const delay = world.inferCapabilities === "immediately" ? 0 : world.inferCapabilities;
  world.store.plugins.update(plugin, { inference: { capabilities, due: world.now().getTime() + delay } });
  settleInference(world);
}

/** Writes the capabilities whose time has come. */
export function settleInference(world: World): void {
  const now = world.now().getTime();
  for (const plugin of world.store.plugins.filter(
    (row) => row.inference !== null && row.inference.due <= now,
  )) {
    world.store.plugins.update(plugin, {
      capabilities: plugin.inference?.capabilities ?? plugin.capabilities,
      inference: null,
    });
  }
}

export function pluginsOf(call: Call, kind: PluginKind): Plugin[] {
  const { world, organization } = call;
  settleInference(world);
  return world.store.plugins.filter(
    (row) => (row.organization_id === organization.id || row.is_global) && isOfKind(kind, row.capabilities),
  );
}

export function findPlugin(call: Call, kind: PluginKind): Plugin {
  settleInference(call.world);
  const plugin = call.world.store.plugins.get(call.numericId("id"));
  if (!plugin) throw notFound();
  const visible = plugin.organization_id === call.organization.id || plugin.is_global;
  if (!visible || !isOfKind(kind, plugin.capabilities)) throw notFound();
  if (call.method !== "GET" && plugin.organization_id !== call.organization.id) {
    throw permissionDenied("This plugin installation is managed by another organization");
  }
  return plugin;
}

/** For actions: a global plugin of another organization can be seen but not worked on. */
export function findOwnPlugin(call: Call, kind: PluginKind): Plugin {
  const plugin = findPlugin(call, kind);
  if (plugin.organization_id !== call.organization.id) throw notFound();
  return plugin;
}
