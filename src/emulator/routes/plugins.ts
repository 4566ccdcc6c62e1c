import { randomUUID } from "node:crypto";

import { type Answer, type Call, created, noContent, ok } from "../http/call";
import { crash, invalid, permissionDenied } from "../http/errors";
import { boolean, choice, json, nullable, text, validate, validatePartial } from "../fields/fields";
import { isObject, type Json } from "../fields/json";
import { page } from "../http/pages";
import { currentProject } from "../world/people";
import { fetchPlugin, refuseInstalledTwice, refuseUnknownHost } from "../rules/plugin-installer";
import { findPlugin, type PluginKind, pluginsOf, scheduleInference } from "../rules/plugin-kinds";
import type { Route } from "../http/router";
import type { Plugin } from "../store/entities";
import { printPlugin } from "../views/plugin";
import { pluginActions } from "./plugin-actions";

const KINDS: readonly PluginKind[] = [
  "pipeline_destinations",
  "pipeline_frontend_apps",
  "pipeline_import_apps",
];

const READ_LEVEL = 3;
const WRITE_LEVEL = 6;
const GLOBAL_LEVEL = 9;

function accessLevel(call: Call): void {
  const least = call.method === "GET" ? READ_LEVEL : WRITE_LEVEL;
  if (call.organization.plugins_access_level < least) {
    throw permissionDenied("Your organization's plugin access level is insufficient.");
  }
}

function fieldsOf({ world }: Call) {
  // The document shows null for these two, which the service's database does not take.
  const structure = world.upstream ? json() : nullable<Json>(json());
  return {
    plugin_type: nullable(choice(["local", "custom", "repository", "source", "inline", ""])),
    name: nullable(text({ max: 200, blank: true })),
    description: nullable(text({ blank: true })),
    icon: nullable(text({ max: 800, blank: true })),
    config_schema: structure,
    tag: nullable(text({ max: 200, blank: true })),
    is_global: boolean(),
    capabilities: structure,
    metrics: nullable<Json>(json()),
    public_jobs: nullable<Json>(json()),
  };
}

function refuseGlobal(call: Call): void {
  if (call.organization.plugins_access_level < GLOBAL_LEVEL) {
    throw permissionDenied("This organization can't manage global plugins!");
  }
}

/** `url` is taken from the raw body: no list of writable fields names it. */
function urlOf(call: Call): string | null {
  const body = call.body();
  const url = isObject(body) ? (body["url"] ?? null) : null;
  if (url === null || url === "") return null;
  if (typeof url !== "string" || url.length > 800)
    throw crash("a plugin's url is a text of at most 800 characters");
  return url;
}

function create(kind: PluginKind): (call: Call) => Answer {
  return (call) => {
    const { world, organization } = call;
    const fields = validate(fieldsOf(call), call.body());
    if (fields.is_global) refuseGlobal(call);
    const url = urlOf(call);
    if (url === null && fields.plugin_type !== "source" && world.upstream) {
      throw crash('upstream installs every plugin from a url unless its plugin_type is "source"');
    }
    const plugin = blank(call, fields);
    if (url !== null && fields.plugin_type !== "source") install(call, plugin, url);
    else if (url !== null) plugin.url = url;
    world.store.plugins.insert(plugin);
    if (!isObject(plugin.capabilities) || Object.keys(plugin.capabilities).length === 0 || world.upstream) {
      scheduleInference(world, plugin, kind);
    }
    record(call, plugin, "installed");
    return created(printPlugin(world, plugin));

    function blank(at: Call, given: typeof fields): Plugin {
      return {
        id: at.world.store.plugins.nextId(),
        organization_id: organization.id,
        plugin_type: given.plugin_type ?? null,
        name: given.name ?? null,
        description: given.description ?? null,
        url: null,
        icon: given.icon ?? null,
        config_schema: given.config_schema === undefined ? {} : given.config_schema,
        tag: given.tag ?? null,
        latest_tag: null,
        is_global: given.is_global ?? false,
        capabilities: given.capabilities ?? {},
        metrics: given.metrics === undefined ? {} : given.metrics,
        public_jobs: given.public_jobs === undefined ? {} : given.public_jobs,
        source: {},
        inference: null,
      };
    }
  };
}

/** The repository's plugin.json wins over what the request says; so does the revision that its URL names. */
function install(call: Call, plugin: Plugin, url: string): void {
  const { world } = call;
  refuseUnknownHost(url);
  const fetched = fetchPlugin(world, url, plugin);
  refuseInstalledTwice(world, url);
  const wanted = world.upstream ? null : plugin.tag;
  Object.assign(plugin, fetched, {
    url,
    tag: wanted ?? fetched.tag,
    latest_tag: fetched.tag,
    plugin_type: url.startsWith("file:")
      ? "local"
      : plugin.plugin_type === "repository"
        ? "repository"
        : "custom",
  });
}

/** `url` is not among the fields, so a PATCH that names it changes nothing. */
function update(kind: PluginKind): (call: Call) => Answer {
  return (call) => {
    const { world } = call;
    const plugin = findPlugin(call, kind);
    const shape = fieldsOf(call);
    const body = call.body();
    const changes = call.method === "PUT" ? validate(shape, body) : validatePartial(shape, body);
    if (changes.is_global !== undefined) refuseGlobal(call);
    world.store.plugins.update(plugin, changes);
    return ok(printPlugin(world, plugin));
  };
}

function remove(kind: PluginKind): (call: Call) => Answer {
  return (call) => {
    const plugin = findPlugin(call, kind);
    if (plugin.is_global)
      throw invalid("This plugin is marked as global! Make it local before uninstallation");
    call.world.store.plugins.delete(plugin.id);
    record(call, plugin, "uninstalled");
    return noContent;
  };
}

function record(call: Call, plugin: Plugin, activity: string): void {
  const { world } = call;
  world.store.activity.insert({
    id: randomUUID(),
    organization_id: call.organization.id,
    project_id: currentProject(world, call.user)?.id ?? 0,
    user_id: call.user.id,
    activity,
    scope: "Plugin",
    item_id: String(plugin.id),
    detail: {
      id: null,
      changes: null,
      merge: null,
      trigger: null,
      name: plugin.name,
      short_id: null,
      type: null,
    },
    created_at: world.time,
  });
}

function routesOf(kind: PluginKind): Route[] {
  const list = `/api/organizations/:organization_id/${kind}/`;
  const one = `${list}:id/`;
  const routes: Omit<Route, "guard">[] = [
    {
      method: "GET",
      template: list,
      scope: "plugin:read",
      handler: (call) => ok(page(call, pluginsOf(call, kind), (row) => printPlugin(call.world, row))),
    },
    { method: "POST", template: list, scope: "plugin:write", handler: create(kind) },
    {
      method: "GET",
      template: one,
      scope: "plugin:read",
      handler: (call) => ok(printPlugin(call.world, findPlugin(call, kind))),
    },
    { method: "PATCH", template: one, scope: "plugin:write", handler: update(kind) },
    { method: "PUT", template: one, scope: "plugin:write", handler: update(kind) },
    { method: "DELETE", template: one, scope: "plugin:write", handler: remove(kind) },
    ...pluginActions(kind, list),
  ];
  return routes.map((route) => ({ ...route, guard: accessLevel }));
}

/** Import apps have every route of the other kinds too, though the document lists two. */
export const pluginRoutes: readonly Route[] = KINDS.flatMap(routesOf);
