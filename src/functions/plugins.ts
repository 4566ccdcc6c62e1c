import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { isObject } from "../engine/values/json";
import { numberOf } from "../engine/values/lenient";
import { isPlugin, pluginInputs, pluginOutputs, sourceFiles } from "../resources/plugin";
import { dataFunction, recordOf, type ConnectionArgs, type LiftedArgs, type RecordOf } from "./data-function";
import { idArgs, organizationArgs } from "./scope-args";

const { organizationId: _organizationId, url: _url, ...readable } = pluginInputs;
const own = {
  /** Number of the plugin. */
  id: z.number(),
  /** Address of its repository, without the query string where a token may stand. */
  url: z.string().transform((url) => url.split("?")[0]),
  /** UUID of the organization. */
  organizationId: z.string(),
};
const pluginRecord = recordOf({ ...readable, ...pluginOutputs, ...own });

/** A pipeline plugin as the service shows it. */
export interface PluginResult
  extends
    RecordOf<Omit<typeof pluginInputs, "organizationId" | "url">>,
    RecordOf<typeof pluginOutputs>,
    RecordOf<typeof own> {}

const kindOf = {
  /** Which of the two kinds with actions: `pipelineDestination` (default) or `frontendApp`. */
  kind: z.enum(["pipelineDestination", "frontendApp"]).optional(),
};
const kindArgs = { ...organizationArgs, ...kindOf };
const onePluginArgs = { ...kindArgs, ...idArgs };
const pageOf = {
  /** Entries on a page: makes it one page instead of all. Default: the service's 10. */
  limit: z.int().min(1).optional(),
  /** Page, from 1: makes it one page instead of all. Default: 1. */
  page: z.int().min(1).optional(),
};
const activityArgs = { ...kindArgs, ...pageOf };

/** Arguments of the lists of plugins. */
export type GetPluginsArgs = z.input<z.ZodObject<typeof organizationArgs>> & ConnectionArgs;
/** Arguments of {@link getPipelineDestination} and {@link getFrontendApp}. */
export type GetPluginArgs = GetPluginsArgs & z.input<z.ZodObject<typeof idArgs>>;
/** Arguments of the functions about one plugin of either kind. */
export type OfPluginArgs = GetPluginArgs & z.input<z.ZodObject<typeof kindOf>>;
/** Arguments of the functions about all plugins of a kind. */
export type OfPluginKindArgs = GetPluginsArgs & z.input<z.ZodObject<typeof kindOf>>;
/** Arguments of {@link getPluginActivity}. */
export type GetPluginActivityArgs = OfPluginKindArgs & z.input<z.ZodObject<typeof pageOf>>;

const ORGANIZATION = "/api/organizations/{organizationId}";
const SCOPE = "plugin:read";
/** Entries on a page where all are wanted. */
const MOST_ON_A_PAGE = 100;

function collection(kind: z.output<typeof kindArgs.kind>): string {
  return `${ORGANIZATION}/${kind === "frontendApp" ? "pipeline_frontend_apps" : "pipeline_destinations"}/`;
}

function single(name: string, kind: "pipelineDestination" | "frontendApp") {
  return dataFunction({
    name,
    scope: "organization",
    args: { ...organizationArgs, ...idArgs },
    ask: async ({ get }) => pluginRecord.parse(await get(`${collection(kind)}{id}/`, SCOPE)),
  });
}

function pluginList(name: string, template: string) {
  return dataFunction({
    name,
    scope: "organization",
    args: organizationArgs,
    ask: async ({ list }) => (await list(template, SCOPE)).map((item) => pluginRecord.parse(item)),
  });
}

/** An action of a kind whose answer has a form of its own. */
function action<R>(name: string, suffix: string, understand: (answer: unknown) => R) {
  return dataFunction({
    name,
    scope: "organization",
    args: kindArgs,
    ask: async ({ get }, { kind }) => understand(await get(`${collection(kind)}${suffix}/`, SCOPE)),
  });
}

/** The entries of an answer: a plain list or a page in the service, a single record in the interface. */
function entries(answer: unknown): unknown[] {
  if (Array.isArray(answer)) return answer;
  const results = isObject(answer) ? answer["results"] : undefined;
  if (Array.isArray(results)) return results;
  return answer === undefined || answer === null ? [] : [answer];
}

/** Numbers of plugins, from a list of numbers or of records. */
function numbers(answer: unknown): number[] {
  return entries(answer)
    .map((entry) => numberOf(isObject(entry) ? entry["id"] : entry))
    .filter((id) => id !== undefined);
}

const pipelineDestinationFunction = single("getPipelineDestination", "pipelineDestination");
const frontendAppFunction = single("getFrontendApp", "frontendApp");
const pipelineDestinationsFunction = pluginList("getPipelineDestinations", collection("pipelineDestination"));
const frontendAppsFunction = pluginList("getFrontendApps", collection("frontendApp"));
const importAppsFunction = pluginList("getImportApps", `${ORGANIZATION}/pipeline_import_apps/`);
const pluginRepositoryFunction = action("getPluginRepository", "repository", entries);
const unusedPluginsFunction = action("getUnusedPlugins", "unused", numbers);
const pluginUnsubscribeConfigsFunction = action(
  "getPluginUnsubscribeConfigs",
  "exports_unsubscribe_configs",
  entries,
);

const pluginSourceFunction = dataFunction({
  name: "getPluginSource",
  scope: "organization",
  args: onePluginArgs,
  ask: async ({ get }, { kind }) => {
    const answer = await get(`${collection(kind)}{id}/source/`, SCOPE);
    return isPlugin(answer) ? {} : sourceFiles(answer);
  },
});
const pluginUpdatesFunction = dataFunction({
  name: "getPluginUpdates",
  scope: "organization",
  args: onePluginArgs,
  ask: async ({ get }, { kind }) => {
    const answer = await get(`${collection(kind)}{id}/check_for_updates/`, SCOPE);
    return pluginRecord.parse(isObject(answer) && isObject(answer["plugin"]) ? answer["plugin"] : answer);
  },
});
const pluginActivityFunction = dataFunction({
  name: "getPluginActivity",
  scope: "organization",
  args: activityArgs,
  ask: async ({ get, list }, { kind, limit, page }) => {
    const path = `${collection(kind)}activity/`;
    if (limit === undefined && page === undefined) {
      const most = { limit: MOST_ON_A_PAGE };
      const first = await get(path, SCOPE, most);
      // In the document's shape, which is no page, there is no other one.
      return isObject(first) && typeof first["next"] === "string"
        ? await list(path, SCOPE, most)
        : entries(first);
    }
    const query = { ...(limit === undefined ? {} : { limit }), ...(page === undefined ? {} : { page }) };
    return entries(await get(path, SCOPE, query));
  },
});

/** A pipeline destination by its number. `GET .../pipeline_destinations/:id/` */
export function getPipelineDestination(args: GetPluginArgs): Promise<PluginResult> {
  return pipelineDestinationFunction.call(args);
}
/** {@link getPipelineDestination} of arguments that may be outputs. */
export function getPipelineDestinationOutput(args: LiftedArgs<GetPluginArgs>): pulumi.Output<PluginResult> {
  return pipelineDestinationFunction.output(args);
}

/** Every pipeline destination. `GET .../pipeline_destinations/` */
export function getPipelineDestinations(args: GetPluginsArgs = {}): Promise<PluginResult[]> {
  return pipelineDestinationsFunction.call(args);
}
/** {@link getPipelineDestinations} of arguments that may be outputs. */
export function getPipelineDestinationsOutput(
  args: LiftedArgs<GetPluginsArgs> = {},
): pulumi.Output<PluginResult[]> {
  return pipelineDestinationsFunction.output(args);
}

/** A frontend app by its number. `GET .../pipeline_frontend_apps/:id/` */
export function getFrontendApp(args: GetPluginArgs): Promise<PluginResult> {
  return frontendAppFunction.call(args);
}
/** {@link getFrontendApp} of arguments that may be outputs. */
export function getFrontendAppOutput(args: LiftedArgs<GetPluginArgs>): pulumi.Output<PluginResult> {
  return frontendAppFunction.output(args);
}

/** Every frontend app. `GET .../pipeline_frontend_apps/` */
export function getFrontendApps(args: GetPluginsArgs = {}): Promise<PluginResult[]> {
  return frontendAppsFunction.call(args);
}
/** {@link getFrontendApps} of arguments that may be outputs. */
export function getFrontendAppsOutput(args: LiftedArgs<GetPluginsArgs> = {}): pulumi.Output<PluginResult[]> {
  return frontendAppsFunction.output(args);
}

/** Every import app. `GET .../pipeline_import_apps/` */
export function getImportApps(args: GetPluginsArgs = {}): Promise<PluginResult[]> {
  return importAppsFunction.call(args);
}
/** {@link getImportApps} of arguments that may be outputs. */
export function getImportAppsOutput(args: LiftedArgs<GetPluginsArgs> = {}): pulumi.Output<PluginResult[]> {
  return importAppsFunction.output(args);
}

/** A plugin's code, by file name; closed to keys with scopes. `GET .../:id/source/` */
export function getPluginSource(args: OfPluginArgs): Promise<Record<string, string>> {
  return pluginSourceFunction.call(args);
}
/** {@link getPluginSource} of arguments that may be outputs. */
export function getPluginSourceOutput(args: LiftedArgs<OfPluginArgs>): pulumi.Output<Record<string, string>> {
  return pluginSourceFunction.output(args);
}

/** A plugin with the newest version looked up; closed to keys with scopes. `GET .../:id/check_for_updates/` */
export function getPluginUpdates(args: OfPluginArgs): Promise<PluginResult> {
  return pluginUpdatesFunction.call(args);
}
/** {@link getPluginUpdates} of arguments that may be outputs. */
export function getPluginUpdatesOutput(args: LiftedArgs<OfPluginArgs>): pulumi.Output<PluginResult> {
  return pluginUpdatesFunction.output(args);
}

/** What was done to the plugins of a kind, newest first, in the service's own form; closed to keys with scopes. `GET .../activity/` */
export function getPluginActivity(args: GetPluginActivityArgs = {}): Promise<unknown[]> {
  return pluginActivityFunction.call(args);
}
/** {@link getPluginActivity} of arguments that may be outputs. */
export function getPluginActivityOutput(
  args: LiftedArgs<GetPluginActivityArgs> = {},
): pulumi.Output<unknown[]> {
  return pluginActivityFunction.output(args);
}

/** Plugins that could be installed, in the service's own form; closed to keys with scopes. `GET .../repository/` */
export function getPluginRepository(args: OfPluginKindArgs = {}): Promise<unknown[]> {
  return pluginRepositoryFunction.call(args);
}
/** {@link getPluginRepository} of arguments that may be outputs. */
export function getPluginRepositoryOutput(args: LiftedArgs<OfPluginKindArgs> = {}): pulumi.Output<unknown[]> {
  return pluginRepositoryFunction.output(args);
}

/** Numbers of plugins that no project uses; closed to keys with scopes. `GET .../unused/` */
export function getUnusedPlugins(args: OfPluginKindArgs = {}): Promise<number[]> {
  return unusedPluginsFunction.call(args);
}
/** {@link getUnusedPlugins} of arguments that may be outputs. */
export function getUnusedPluginsOutput(args: LiftedArgs<OfPluginKindArgs> = {}): pulumi.Output<number[]> {
  return unusedPluginsFunction.output(args);
}

/** Configurations of plugins that handle unsubscriptions, in the service's own form; closed to keys with scopes. `GET .../exports_unsubscribe_configs/` */
export function getPluginUnsubscribeConfigs(args: OfPluginKindArgs = {}): Promise<unknown[]> {
  return pluginUnsubscribeConfigsFunction.call(args);
}
/** {@link getPluginUnsubscribeConfigs} of arguments that may be outputs. */
export function getPluginUnsubscribeConfigsOutput(
  args: LiftedArgs<OfPluginKindArgs> = {},
): pulumi.Output<unknown[]> {
  return pluginUnsubscribeConfigsFunction.output(args);
}
