import { type Answer, type Call, ok } from "../http/call";
import { crash } from "../http/errors";
import { isObject } from "../fields/json";
import { newestFirst } from "../http/pages";
import { currentProject } from "../world/people";
import { capabilitiesOf, fetchPlugin, latestTag, readPluginJson } from "../rules/plugin-installer";
import { findOwnPlugin, type PluginKind, pluginsOf, scheduleInference } from "../rules/plugin-kinds";
import type { Route } from "../http/router";
import type { Plugin } from "../store/entities";
import { printPlugin } from "../views/plugin";

/**
 * The document shows the plugin's own shape as the answer of every action; of the service's answers only that of
 * `upgrade` has it.
 */
function answer(call: Call, plugin: Plugin, upstream: unknown): Answer {
  return ok(call.world.upstream ? upstream : printPlugin(call.world, plugin));
}

/** Actions on the list have no plugin of their own to show: the first one stands for all, or an empty shape. */
function answerForList(call: Call, plugin: Plugin | undefined, upstream: () => unknown): Answer {
  if (call.world.upstream) return ok(upstream());
  return ok(plugin ? printPlugin(call.world, plugin) : emptyShape(call));
}

function emptyShape(call: Call) {
  const names = [
    "id",
    "plugin_type",
    "name",
    "description",
    "url",
    "icon",
    "config_schema",
    "tag",
    "latest_tag",
  ];
  const rest = ["capabilities", "metrics", "public_jobs"];
  return {
    ...Object.fromEntries([...names, ...rest].map((name) => [name, null])),
    is_global: false,
    organization_id: call.organization.id,
    organization_name: call.organization.name,
  };
}

function checkForUpdates(call: Call, plugin: Plugin): Answer {
  const { world } = call;
  if (plugin.url === null && world.upstream) throw crash("upstream asks the plugin's url, and it has none");
  if (plugin.url !== null && !plugin.url.startsWith("file:")) {
    world.store.plugins.update(plugin, { latest_tag: latestTag(world, plugin.url) });
  }
  return answer(call, plugin, { plugin: printPlugin(world, plugin) });
}

function updateSource(call: Call, plugin: Plugin, kind: PluginKind): Answer {
  const { world } = call;
  const body = call.body();
  if (!isObject(body)) throw crash("upstream expects an object of file names and texts");
  const source = { ...plugin.source };
  for (const [name, text] of Object.entries(body)) {
    if (text === null) delete source[name];
    else if (typeof text === "string") source[name] = text;
    else throw crash(`the source of ${name} is not a text`);
  }
  const described = readPluginJson(source["plugin.json"]);
  const { name, config } = described ?? {};
  world.store.plugins.update(plugin, {
    source,
    ...(name !== undefined && { name }),
    ...(config !== undefined && { config_schema: config }),
  });
  // Only now: upstream keeps the files before it reads what is in them.
  if (!described) throw crash("upstream reads plugin.json without a guard, and it is no JSON");
  if (capabilitiesOf(source) !== undefined) scheduleInference(world, plugin, kind);
  return answer(call, plugin, source);
}

/**
 * Upstream fetches the URL anew, at the revision that it names or the newest, and ignores the body. By the
 * document the body holds the plugin's writable fields, so there a `tag` in it says which revision is wanted.
 */
function upgrade(call: Call, plugin: Plugin, kind: PluginKind): Answer {
  const { world } = call;
  const body = call.body();
  const asked =
    !world.upstream && isObject(body) && typeof body["tag"] === "string" ? body["tag"] : undefined;
  const installed = plugin.plugin_type !== "source" && plugin.plugin_type !== "local";
  if (installed && plugin.url !== null) {
    const fetched = fetchPlugin(world, plugin.url, plugin);
    world.store.plugins.update(plugin, { ...fetched, latest_tag: fetched.tag });
    scheduleInference(world, plugin, kind);
  } else if (installed && world.upstream) {
    throw crash("upstream fetches the plugin's url, and it has none");
  }
  if (asked !== undefined) world.store.plugins.update(plugin, { tag: asked });
  return ok(printPlugin(world, plugin));
}

/** Plugins cannot be switched on through this interface, so all of them are unused. */
function unused(call: Call, kind: PluginKind): Answer {
  const plugins = pluginsOf(call, kind);
  return answerForList(call, plugins[0], () =>
    call.world.store.plugins
      .filter((row) => row.organization_id === call.organization.id)
      .map((row) => row.id),
  );
}

function repository(call: Call, kind: PluginKind): Answer {
  return answerForList(call, pluginsOf(call, kind)[0], () =>
    call.world.store.pluginReleases.all().map(({ id, name, description, icon }) => ({
      name,
      url: id,
      description,
      icon,
      verified: false,
      maintainer: "community",
    })),
  );
}

function activity(call: Call, kind: PluginKind): Answer {
  const { world } = call;
  const limit = pageNumber(call, "limit", 10);
  const number = pageNumber(call, "page", 1);
  const projectId = currentProject(world, call.user)?.id;
  const entries = newestFirst(
    world.store.activity.filter((row) => row.project_id === projectId),
    (row) => row.created_at,
  );
  const plugins = pluginsOf(call, kind);
  const latest = plugins.find((row) => entries.some((entry) => entry.item_id === String(row.id)));
  return answerForList(call, latest ?? plugins[0], () => ({
    results: entries.slice((number - 1) * limit, number * limit).map((entry) => {
      const { first_name, email } = world.store.users.require(entry.user_id);
      const { activity: what, scope, item_id, detail, created_at } = entry;
      return { user: { first_name, email }, activity: what, scope, item_id, detail, created_at };
    }),
    next: number * limit < entries.length ? activityPage(call, limit, number + 1) : null,
    previous: number > 1 ? activityPage(call, limit, number - 1) : null,
    total_count: entries.length,
  }));
}

function pageNumber(call: Call, name: string, fallback: number): number {
  const text = call.query.get(name);
  if (text === null) return fallback;
  if (!/^[1-9]\d*$/.test(text)) throw crash(`upstream reads "${name}" as a number`);
  return Number(text);
}

function activityPage(call: Call, limit: number, number: number): string {
  const url = new URL(call.request.url);
  url.searchParams.set("limit", String(limit));
  url.searchParams.set("page", String(number));
  return url.href;
}

/** None of them names a scope upstream, so no scoped key may call them. */
export function pluginActions(kind: PluginKind, list: string): Omit<Route, "guard">[] {
  const one = `${list}:id/`;
  const scope = "closed";
  const onPlugin =
    (act: (call: Call, plugin: Plugin, kind: PluginKind) => Answer) =>
    (call: Call): Answer =>
      act(call, findOwnPlugin(call, kind), kind);
  return [
    { method: "GET", template: `${one}check_for_updates/`, scope, handler: onPlugin(checkForUpdates) },
    {
      method: "GET",
      template: `${one}source/`,
      scope,
      handler: onPlugin((call, plugin) => answer(call, plugin, plugin.source)),
    },
    { method: "PATCH", template: `${one}update_source/`, scope, handler: onPlugin(updateSource) },
    { method: "POST", template: `${one}upgrade/`, scope, handler: onPlugin(upgrade) },
    { method: "GET", template: `${list}activity/`, scope, handler: (call) => activity(call, kind) },
    {
      method: "GET",
      template: `${list}exports_unsubscribe_configs/`,
      scope,
      // No plugin is switched on, so there is no configuration to unsubscribe from.
      handler: (call) => answerForList(call, undefined, () => []),
    },
    { method: "GET", template: `${list}repository/`, scope, handler: (call) => repository(call, kind) },
    { method: "GET", template: `${list}unused/`, scope, handler: (call) => unused(call, kind) },
  ];
}
