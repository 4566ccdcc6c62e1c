import { type Answer, type Call, created, ok } from "../http/call";
import { builtInTemplate, applyTemplate, readTemplate } from "../rules/dashboard-templates";
import { copyTiles, deleteTiles, restoreTiles, upsertTiles } from "../rules/dashboard-tiles";
import { crash, invalid, notFound, permissionDenied } from "../http/errors";
import { boolean, choice, integer, list, nullable, text, validate } from "../fields/fields";
import { isObject, isTruthy, type Json, type JsonObject, parseJson } from "../fields/json";
import { byText, page } from "../http/pages";
import type { Route } from "../http/router";
import type { Dashboard } from "../store/entities";
import { canEdit, canRestrict, printDashboard, printDashboardInList } from "../views/dashboard";
import { mayTag } from "../views/people";

const LIST = "/api/projects/:project_id/dashboards/";
const ONE = `${LIST}:id/`;

const FIELDS = {
  name: nullable(text({ max: 400, blank: true })),
  description: text({ blank: true }),
  pinned: boolean(),
  deleted: boolean(),
  use_template: text({ blank: true }),
  use_dashboard: nullable(integer()),
  delete_insights: boolean(),
  tags: list(),
  restriction_level: choice([21, 37]),
};

function find(call: Call, { deletedToo = false } = {}): Dashboard {
  const dashboard = call.world.store.dashboards.get(call.numericId("id"));
  if (dashboard?.project_id !== call.project.id || (dashboard.deleted && !deletedToo)) throw notFound();
  return dashboard;
}

function writable(call: Call, dashboard: Dashboard): Dashboard {
  if (!canEdit(call.world, dashboard, call.user)) {
    throw permissionDenied("You don't have edit permissions for this dashboard.");
  }
  return dashboard;
}

/** `filters` is taken from the raw body, and only where it is truthy: it can be replaced but not cleared. */
function filtersOf(body: JsonObject): JsonObject | undefined {
  const { filters } = body;
  if (!isTruthy(filters)) return undefined;
  if (!isObject(filters)) throw invalid("Filters must be a dictionary");
  return filters;
}

/** Stripped, lower-cased and without doubles; what is no text makes upstream stumble. */
function normaliseTags(tags: readonly Json[]): string[] {
  const names = tags.map((tag) => {
    if (typeof tag !== "string") throw crash(`a tag is a text, not ${JSON.stringify(tag)}`);
    if (tag.length > 255) throw crash("a tag is longer than the 255 characters that the database takes");
    return tag.trim().toLowerCase();
  });
  return [...new Set(names)].sort(byText);
}

function newDashboard(call: Call): Dashboard {
  const { world } = call;
  return world.store.dashboards.insert({
    id: world.store.dashboards.nextId(),
    project_id: call.project.id,
    name: null,
    description: "",
    pinned: false,
    created_at: world.time,
    created_by_id: call.user.id,
    deleted: false,
    creation_mode: "default",
    tags: [],
    restriction_level: 21,
    filters: {},
  });
}

function create(call: Call): Answer {
  const { world } = call;
  const body = call.body();
  const fields = validate(FIELDS, body);
  const { use_template: template, use_dashboard: original } = fields;
  if (original && template) throw invalid("`use_dashboard` and `use_template` cannot be used together");
  const filters = isObject(body) ? filtersOf(body) : undefined;

  const dashboard = world.store.dashboards.update(newDashboard(call), {
    name: fields.name ?? null,
    description: fields.description ?? "",
    pinned: fields.pinned ?? false,
    deleted: fields.deleted ?? false,
    creation_mode: template ? "template" : original ? "duplicate" : "default",
    restriction_level: fields.restriction_level ?? 21,
    filters: filters ?? {},
    ...(template ? { use_template: template } : {}),
    ...(original ? { use_dashboard: original } : {}),
  });
  // From here on the dashboard exists, also where what follows is refused: upstream leaves the same orphan.
  if (template) {
    const known = builtInTemplate(template);
    if (!known) throw invalid(`Invalid template provided: ${template}`, "use_template");
    applyTemplate(call, dashboard, known);
  } else if (original) {
    const source = world.store.dashboards.get(original);
    if (source?.project_id !== call.project.id || source.deleted) {
      throw invalid("Invalid value provided", "use_dashboard");
    }
    copyTiles(call, source, dashboard, isObject(body) && isTruthy(body["duplicate_tiles"]));
  }
  setTags(call, dashboard, fields.tags);
  return created(printDashboard(world, dashboard, call.user));
}

function setTags(call: Call, dashboard: Dashboard, tags: readonly Json[] | undefined): void {
  // Without the feature the service ignores tags rather than refuse the whole request.
  if (tags === undefined || !mayTag(call.world, call.user)) return;
  call.world.store.dashboards.update(dashboard, { tags: normaliseTags(tags) });
}

/** A deleted dashboard is found only by a PATCH whose whole body is a falsy `deleted`. */
function restores(call: Call): boolean {
  const body = call.body();
  if (call.method !== "PATCH" || !isObject(body) || !("deleted" in body)) return false;
  return Object.keys(body).length === 1 && !isTruthy(body["deleted"]);
}

function update(call: Call): Answer {
  const { world } = call;
  const dashboard = writable(call, find(call, { deletedToo: restores(call) }));
  const body = call.body();
  const fields = validate(FIELDS, body);
  if (fields.restriction_level !== undefined && !canRestrict(world, dashboard, call.user)) {
    throw permissionDenied(
      "Only the dashboard owner and project admins have the restriction rights required to change the dashboard's restriction level.",
    );
  }
  if (fields.use_dashboard && fields.use_template) {
    throw invalid("`use_dashboard` and `use_template` cannot be used together");
  }
  if (dashboard.deleted && fields.deleted === false) restoreTiles(world, dashboard);
  if (fields.deleted) deleteTiles(world, dashboard, fields.delete_insights ?? false);
  const raw = isObject(body) ? body : {};
  const filters = filtersOf(raw);
  const { name, description, pinned, deleted, restriction_level } = fields;
  world.store.dashboards.update(dashboard, {
    ...(filters !== undefined && { filters }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(pinned !== undefined && { pinned }),
    ...(deleted !== undefined && { deleted }),
    ...(restriction_level !== undefined && { restriction_level }),
  });
  setTags(call, dashboard, fields.tags);
  upsertTiles(call, dashboard, raw["tiles"] ?? null);
  return ok(printDashboard(world, dashboard, call.user));
}

/** `{"tile": {"id": 1}, "toDashboard": 2}`; answers the dashboard that the tile left. */
function moveTile(call: Call): Answer {
  const { world } = call;
  const body = call.body();
  const tile = isObject(body) ? body["tile"] : undefined;
  const target = isObject(body) ? body["toDashboard"] : undefined;
  if (!isObject(tile) || typeof tile["id"] !== "number") throw crash('the body has no {"tile": {"id": ...}}');
  if (typeof target !== "number") throw crash('the body has no "toDashboard"');
  const source = world.store.dashboards.get(call.numericId("id"));
  const row = world.store.tiles.get(tile["id"]);
  if (!source || row?.dashboard_id !== source.id || row.deleted)
    throw crash(`the dashboard has no tile ${tile["id"]}`);
  if (!world.store.dashboards.get(target)) throw crash(`there is no dashboard ${target}`);
  world.store.tiles.update(row, { dashboard_id: target });
  return ok(printDashboard(world, source, call.user));
}

function createFromTemplate(call: Call): Answer {
  const template = readTemplate(call.body());
  const dashboard = newDashboard(call);
  applyTemplate(call, dashboard, template);
  return ok(printDashboard(call.world, dashboard, call.user));
}

function filtersOverride(call: Call): JsonObject | undefined {
  const text = call.query.get("filters_override");
  if (text === null) return undefined;
  let filters: Json;
  try {
    filters = parseJson(text);
  } catch {
    throw invalid("Invalid JSON passed in filters_override parameter");
  }
  return isObject(filters) ? filters : undefined;
}

export const dashboardRoutes: readonly Route[] = [
  {
    method: "GET",
    template: LIST,
    scope: "dashboard:read",
    handler: (call) => {
      const rows = call.world.store.dashboards
        .filter((row) => row.project_id === call.project.id && !row.deleted)
        .sort((a, b) => Number(b.pinned) - Number(a.pinned) || byText(a.name, b.name) || a.id - b.id);
      return ok(page(call, rows, (row) => printDashboardInList(call.world, row, call.user)));
    },
  },
  { method: "POST", template: LIST, scope: "dashboard:write", handler: create },
  {
    method: "GET",
    template: ONE,
    scope: "dashboard:read",
    handler: (call) => ok(printDashboard(call.world, find(call), call.user, filtersOverride(call))),
  },
  { method: "PATCH", template: ONE, scope: "dashboard:write", handler: update },
  { method: "PUT", template: ONE, scope: "dashboard:write", handler: update },
  // Hard deletion is refused for every id, known or not, and without a word.
  { method: "DELETE", template: ONE, scope: "dashboard:write", handler: () => ({ status: 405 }) },
  { method: "PATCH", template: `${ONE}move_tile/`, scope: "closed", handler: moveTile },
  {
    method: "POST",
    template: `${LIST}create_from_template_json/`,
    scope: "closed",
    handler: createFromTemplate,
  },
];
