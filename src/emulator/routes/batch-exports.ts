import { randomUUID } from "node:crypto";

import { type Answer, type Call, created, noContent, ok } from "../http/call";
import { crash, invalid, permissionDenied } from "../http/errors";
import { DESTINATION_TYPES, missingKey } from "../rules/export-destinations";
import {
  boolean,
  checked,
  choice,
  dateTime,
  dictionary,
  type Field,
  json,
  nested,
  nestedPartial,
  nullable,
  required,
  text,
  validate,
  validatePartial,
} from "../fields/fields";
import { hasFeature } from "../world/features";
import { parseExportQuery } from "../rules/hogql";
import { isObject, type Json, type JsonObject } from "../fields/json";
import { exportVisible, findExport, projectFor } from "../rules/export-scope";
import { newestFirst, page } from "../http/pages";
import type { Route } from "../http/router";
import type { BatchExport, DestinationType } from "../store/entities";
import { printBatchExport } from "../views/batch-export";
import { backfill, logs, pause, unpause } from "./batch-export-actions";

/** The document's route; the service's own tools use the ones below a project. */
const PREFIXES = [
  "/api/organizations/:organization_id/batch_exports/",
  "/api/projects/:project_id/batch_exports/",
  "/api/environments/:project_id/batch_exports/",
];

function destinationFields({ world }: Call) {
  // The document allows a config of null, which the service refuses, and nothing but an object beside it, where the
  // service stumbles.
  const config: Field<Json> = world.upstream
    ? json()
    : { ...dictionary(), parse: (value) => (value === null ? {} : dictionary().parse(value)) };
  return { type: required(choice(DESTINATION_TYPES)), config };
}

function fieldsOf(call: Call) {
  return {
    name: required(text()),
    model: nullable(choice(["events", "persons", ""])),
    destination: required(nested(destinationFields(call))),
    interval: required(choice(["hour", "day", "week", "every 5 minutes"])),
    paused: boolean(),
    last_paused_at: nullable(dateTime()),
    start_at: nullable(dateTime()),
    end_at: nullable(dateTime()),
    hogql_query: checkedQuery(call),
  };
}

function checkedQuery(call: Call) {
  return checked(json(), (query) => {
    if (call.world.upstream && !call.belowProject) {
      throw crash("upstream needs a project to read a query, and the organization's route names none");
    }
    if (typeof query !== "string") throw invalid("Failed to parse query");
    // Checked here so that the error carries the field's name; parsed again where it is stored.
    parseExportQuery(query);
    return query;
  });
}

/** The schedule is written before the row, and refuses a configuration that lacks what its type needs. */
function checkConfig(call: Call, type: DestinationType, config: Json): JsonObject {
  if (!isObject(config)) throw crash("upstream takes every destination's config for an object");
  const missing = missingKey(type, config);
  if (missing === undefined) return config;
  if (call.world.upstream) throw crash(`the configuration of a ${type} destination lacks "${missing}"`);
  throw invalid(`Configuration missing required field: '${missing}'`, "destination");
}

function create(call: Call): Answer {
  const { world } = call;
  const fields = validate(fieldsOf(call), call.body());
  const project = projectFor(call);
  if (
    fields.interval === "every 5 minutes" &&
    !hasFeature(call.organization, "high-frequency-batch-exports")
  ) {
    throw permissionDenied("Higher frequency exports are not enabled for this team.");
  }
  const { type, config = {} } = fields.destination;
  const batchExport = world.store.batchExports.insert({
    id: randomUUID(),
    project_id: project.id,
    name: fields.name,
    model: fields.model === undefined ? "events" : fields.model,
    destination: { type, config: checkConfig(call, type, config) },
    interval: fields.interval,
    paused: fields.paused ?? false,
    created_at: world.time,
    last_updated_at: world.time,
    last_paused_at: fields.last_paused_at ?? null,
    start_at: fields.start_at ?? null,
    end_at: fields.end_at ?? null,
    ...storedQuery(fields.hogql_query),
    deleted: false,
  });
  return created(printBatchExport(world, batchExport));
}

function storedQuery(query: string | undefined): Pick<BatchExport, "schema" | "hogql_query"> {
  return query === undefined ? { schema: null } : { schema: parseExportQuery(query), hogql_query: query };
}

/** Configuration is merged, by PUT too: a key can be overwritten but not taken out. */
function update(call: Call): Answer {
  const { world } = call;
  const batchExport = findExport(call);
  const shape = fieldsOf(call);
  const body = call.body();
  const {
    destination,
    hogql_query: query,
    ...rest
  } = call.method === "PUT"
    ? validate(shape, body)
    : validatePartial({ ...shape, destination: nestedPartial(destinationFields(call)) }, body);
  let merged = batchExport.destination;
  if (destination) {
    const { config = {} } = destination;
    if (!isObject(config)) throw crash("upstream takes every destination's config for an object");
    merged = { type: destination.type ?? merged.type, config: { ...merged.config, ...config } };
    checkConfig(call, merged.type, merged.config);
  }
  world.store.batchExports.update(batchExport, {
    ...rest,
    destination: merged,
    ...(query === undefined ? {} : storedQuery(query)),
    last_updated_at: world.time,
  });
  return ok(printBatchExport(world, batchExport));
}

function list(call: Call): Answer {
  const { world } = call;
  const rows = world.store.batchExports.filter((row) => !row.deleted && exportVisible(call, row));
  const newest = newestFirst(rows, (row) => row.created_at);
  return ok(page(call, newest, (row) => printBatchExport(world, row)));
}

function remove(call: Call): Answer {
  call.world.store.batchExports.update(findExport(call), { deleted: true });
  return noContent;
}

function routesBelow(prefix: string): Route[] {
  const one = `${prefix}:id/`;
  const write = "batch_export:write";
  return [
    { method: "GET", template: prefix, scope: "batch_export:read", handler: list },
    { method: "POST", template: prefix, scope: write, handler: create },
    {
      method: "GET",
      template: one,
      scope: "batch_export:read",
      handler: (call) => ok(printBatchExport(call.world, findExport(call))),
    },
    { method: "PATCH", template: one, scope: write, handler: update },
    { method: "PUT", template: one, scope: write, handler: update },
    { method: "DELETE", template: one, scope: write, handler: remove },
    { method: "POST", template: `${one}backfill/`, scope: write, handler: backfill },
    { method: "POST", template: `${one}pause/`, scope: write, handler: pause },
    { method: "POST", template: `${one}unpause/`, scope: write, handler: unpause },
    { method: "GET", template: `${one}logs/`, scope: "closed", handler: logs },
  ];
}

export const batchExportRoutes: readonly Route[] = PREFIXES.flatMap(routesBelow);
