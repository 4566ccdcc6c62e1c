import { randomUUID } from "node:crypto";

import { type Answer, type Call, created, noContent, ok } from "../http/call";
import { invalid, notFound, permissionDenied } from "../http/errors";
import { canonicalUuid, choice, isUuid, required, uuid, validate } from "../fields/fields";
import { membershipOf } from "../world/people";
import type { Route } from "../http/router";
import type { Collaborator, Dashboard } from "../store/entities";
import { canEdit, canRestrict, effectiveRestriction } from "../views/dashboard";
import { printUser } from "../views/people";
import type { World } from "../world/world";

const LIST = "/api/projects/:project_id/dashboards/:dashboard_id/collaborators/";
const ONE = `${LIST}:user__uuid/`;

const FIELDS = { level: required(choice([21, 37])), user_uuid: required(uuid()) };

function find(call: Call): Dashboard {
  const dashboard = call.world.store.dashboards.get(call.numericId("dashboard_id"));
  if (dashboard?.project_id !== call.project.id || dashboard.deleted) throw notFound("Dashboard not found.");
  return dashboard;
}

function canEditDashboard(call: Call): void {
  if (!canEdit(call.world, find(call), call.user)) {
    throw permissionDenied("You don't have edit permissions for this dashboard.");
  }
}

/**
 * The service answers a plain array. The document shows one collaborator: with exactly one, that is the answer;
 * for none or several it says nothing, so the page form of its other lists is taken.
 */
function list(call: Call): Answer {
  const { world } = call;
  const dashboard = find(call);
  const rows = world.store.collaborators
    .filter((row) => row.dashboard_id === dashboard.id && world.store.users.require(row.user_id).is_active)
    .map((row) => printCollaborator(world, row));
  if (world.upstream) return ok(rows);
  return ok(rows.length === 1 ? rows[0] : { count: rows.length, next: null, previous: null, results: rows });
}

function create(call: Call): Answer {
  const { world } = call;
  const dashboard = find(call);
  const fields = validate(FIELDS, call.body());
  if (effectiveRestriction(world, dashboard) === 21) {
    throw invalid("Cannot add collaborators to a dashboard on the lowest restriction level.");
  }
  if (fields.level !== 37) throw invalid("Only edit access can be explicitly specified currently.");
  const user = world.store.users.find((row) => row.uuid === fields.user_uuid && row.is_active);
  if (!user) throw invalid("User does not exist.");
  if (!membershipOf(world, user, call.organization.id)) {
    throw invalid("Cannot add collaborators that have no access to the project.");
  }
  if (canRestrict(world, dashboard, user)) {
    throw invalid(
      "Cannot add collaborators that already have inherent access (the dashboard owner or a project admins).",
    );
  }
  if (world.store.collaborators.find((row) => row.dashboard_id === dashboard.id && row.user_id === user.id)) {
    throw invalid("User already is a collaborator.");
  }
  const collaborator = world.store.collaborators.insert({
    id: randomUUID(),
    dashboard_id: dashboard.id,
    user_id: user.id,
    level: 37,
    added_at: world.time,
    updated_at: world.time,
  });
  return created(printCollaborator(world, collaborator));
}

function remove(call: Call): Answer {
  const { world } = call;
  const dashboard = find(call);
  const wanted = call.parameter("user__uuid");
  const user = isUuid(wanted)
    ? world.store.users.find((row) => row.uuid === canonicalUuid(wanted))
    : undefined;
  const row = world.store.collaborators.find(
    (candidate) => candidate.dashboard_id === dashboard.id && candidate.user_id === user?.id,
  );
  if (!row) throw notFound();
  if (effectiveRestriction(world, dashboard) === 21) {
    throw invalid("Cannot remove collaborators from a dashboard on the lowest restriction level.");
  }
  world.store.collaborators.delete(row.id);
  return noContent;
}

/** The document shows `user_uuid`; the service never reads it back, it stands in `user.uuid`. */
function printCollaborator(world: World, row: Collaborator) {
  const user = world.store.users.require(row.user_id);
  return {
    id: row.id,
    dashboard_id: row.dashboard_id,
    user: printUser(user),
    level: row.level,
    added_at: row.added_at,
    updated_at: row.updated_at,
    ...(world.upstream ? {} : { user_uuid: user.uuid }),
  };
}

export const collaboratorRoutes: readonly Route[] = [
  { method: "GET", template: LIST, scope: "dashboard:read", handler: list },
  { method: "POST", template: LIST, scope: "dashboard:write", guard: canEditDashboard, handler: create },
  { method: "DELETE", template: ONE, scope: "dashboard:write", guard: canEditDashboard, handler: remove },
];
