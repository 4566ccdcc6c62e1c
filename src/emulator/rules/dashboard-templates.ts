import type { Call } from "../http/call";
import { addTemplateTile } from "./dashboard-tiles";
import { crash, invalid } from "../http/errors";
import { hasFeature } from "../world/features";
import { isObject, type Json, type JsonObject } from "../fields/json";
import type { Dashboard } from "../store/entities";

/** Dashboard templates: the ones that every instance has, and those that a request brings along. */

export interface DashboardTemplate {
  readonly name: string;
  readonly description: string;
  readonly filters: JsonObject;
  readonly tags: readonly string[];
  readonly tiles: readonly JsonObject[];
}

function trend(name: string, description: string, event: string, math: string, dateFrom: string): JsonObject {
  const events = [{ id: event, math, type: "events" }];
  return {
    type: "INSIGHT",
    name,
    description,
    filters: { events, insight: "TRENDS", date_from: dateFrom },
    color: "blue",
  };
}

const PRODUCT_ANALYTICS: DashboardTemplate = {
  name: "Product analytics",
  description: "",
  filters: {},
  tags: [],
  tiles: [
    trend(
      "Daily active users (DAUs)",
      "Shows the number of unique users that use your app every day.",
      "$pageview",
      "dau",
      "-30d",
    ),
    trend(
      "Weekly active users (WAUs)",
      "Shows the number of unique users that use your app every week.",
      "$pageview",
      "dau",
      "-90d",
    ),
    {
      type: "INSIGHT",
      name: "Retention",
      description: "Weekly retention of your users.",
      filters: { insight: "RETENTION", period: "Week" },
    },
    {
      type: "INSIGHT",
      name: "Growth accounting",
      description: "How many of your users are new, returning, resurrecting, or dormant each week.",
      filters: { insight: "LIFECYCLE", interval: "week" },
    },
    trend(
      "Referring domain (last 14 days)",
      "Shows the most common referring domains for your users over the past 14 days.",
      "$pageview",
      "dau",
      "-14d",
    ),
    {
      type: "INSIGHT",
      name: "Pageview funnel, by browser",
      description: "Three consecutive pageviews, by browser.",
      filters: { insight: "FUNNELS", breakdown: "$browser" },
    },
  ],
};

const WEBSITE_TRAFFIC: DashboardTemplate = {
  name: "Website traffic",
  description: "",
  filters: {},
  tags: [],
  tiles: [
    trend(
      "Website Unique Users (Total)",
      "Shows the number of unique users that use your app over time.",
      "$pageview",
      "dau",
      "-30d",
    ),
    trend(
      "Organic SEO Unique Users (Total)",
      "Shows the number of unique users that use your app from a search engine.",
      "$pageview",
      "dau",
      "-30d",
    ),
    trend(
      "Website Users by Location",
      "A world map of the countries your users are in.",
      "$pageview",
      "dau",
      "-30d",
    ),
  ],
};

const BUILT_IN: ReadonlyMap<string, DashboardTemplate> = new Map([
  ["DEFAULT_APP", PRODUCT_ANALYTICS],
  ["WEBSITE_TRAFFIC", WEBSITE_TRAFFIC],
  ["Product analytics", PRODUCT_ANALYTICS],
]);

export function builtInTemplate(key: string): DashboardTemplate | undefined {
  return BUILT_IN.get(key);
}

/** The template's description and filters replace the dashboard's; its name only where the dashboard has none. */
export function applyTemplate(call: Call, dashboard: Dashboard, template: DashboardTemplate): void {
  const { store } = call.world;
  const organization = store.organizations.require(
    store.projects.require(dashboard.project_id).organization_id,
  );
  store.dashboards.update(dashboard, {
    name: dashboard.name || template.name,
    description: template.description,
    filters: template.filters,
    ...(hasFeature(organization, "tagging") && template.tags.length > 0
      ? { tags: [...new Set([...dashboard.tags, ...template.tags])] }
      : {}),
  });
  for (const tile of template.tiles) addTemplateTile(call, dashboard, tile);
}

const TEMPLATE_KEYS = new Set([
  "id",
  "template_name",
  "team_id",
  "created_at",
  "image_url",
  "dashboard_description",
  "dashboard_filters",
  "tiles",
  "variables",
  "tags",
  "deleted",
  "created_by",
  "scope",
  "github_url",
]);

/** Reads the `template` of `create_from_template_json` as upstream's JSON schema and model do. */
export function readTemplate(body: Json): DashboardTemplate {
  if (!isObject(body) || !("template" in body)) throw crash("the body has no template");
  const { template } = body;
  if (!isObject(template)) throw schemaError(template, "is not of type 'object'");
  for (const key of ["template_name", "dashboard_description", "dashboard_filters", "tiles"]) {
    if (!(key in template)) throw invalid(`'${key}' is a required property`);
  }
  const name = typed(template["template_name"], "string");
  const description = typed(template["dashboard_description"], "string");
  const { dashboard_filters: filters, tiles, tags = [] } = template;
  if (!isObject(filters)) throw schemaError(filters, "is not of type 'object'");
  if (!Array.isArray(tiles)) throw schemaError(tiles, "is not of type 'array'");
  if (tiles.length === 0) throw invalid("[] should be non-empty");
  if (!Array.isArray(tags)) throw schemaError(tags, "is not of type 'array'");
  const unknown = Object.keys(template).find((key) => !TEMPLATE_KEYS.has(key));
  if (unknown !== undefined) throw crash(`a dashboard template has no "${unknown}"`);
  return {
    name,
    description,
    filters,
    tags: tags.map((tag) => typed(tag, "string")),
    tiles: tiles.map((tile) => {
      if (!isObject(tile)) throw schemaError(tile, "is not of type 'object'");
      if (!("type" in tile)) throw crash("a tile has no type");
      return tile;
    }),
  };
}

function typed(value: Json | undefined, type: "string"): string {
  if (typeof value !== "string") throw schemaError(value, `is not of type '${type}'`);
  return value;
}

function schemaError(value: Json | undefined, problem: string) {
  return invalid(`${JSON.stringify(value ?? null)} ${problem}`);
}
