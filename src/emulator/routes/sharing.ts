import { type Call, ok } from "../http/call";
import { notFound, permissionDenied } from "../http/errors";
import { boolean, validatePartial } from "../fields/fields";
import { urlSafeToken } from "../world/identity";
import type { Route } from "../http/router";
import type { Dashboard, Sharing } from "../store/entities";
import { canEdit } from "../views/dashboard";

const TEMPLATE = "/api/projects/:project_id/dashboards/:dashboard_id/sharing/";
const TOKEN_BYTES = 22;

function dashboardOf(call: Call): Dashboard {
  const dashboard = call.world.store.dashboards.get(call.numericId("dashboard_id"));
  if (dashboard?.project_id !== call.project.id || dashboard.deleted) throw notFound("Dashboard not found.");
  return dashboard;
}

function sharingOf(call: Call, dashboard: Dashboard): Sharing | undefined {
  return call.world.store.sharing.find((row) => row.dashboard_id === dashboard.id);
}

/** Until sharing is enabled for the first time nothing is stored, and every answer makes up a token anew. */
function print(sharing: Sharing | undefined) {
  return {
    created_at: sharing?.created_at ?? null,
    enabled: sharing?.enabled ?? false,
    access_token: sharing?.access_token ?? urlSafeToken(TOKEN_BYTES),
  };
}

export const sharingRoutes: readonly Route[] = [
  {
    method: "GET",
    template: TEMPLATE,
    scope: "sharing_configuration:read",
    handler: (call) => ok(print(sharingOf(call, dashboardOf(call)))),
  },
  {
    method: "PATCH",
    template: TEMPLATE,
    scope: "sharing_configuration:write",
    handler: (call) => {
      const { world } = call;
      const dashboard = dashboardOf(call);
      if (!canEdit(world, dashboard, call.user)) {
        throw permissionDenied("You don't have edit permissions for this dashboard.");
      }
      const { enabled } = validatePartial({ enabled: boolean() }, call.body());
      const sharing =
        sharingOf(call, dashboard) ??
        world.store.sharing.insert({
          id: world.store.sharing.nextId(),
          dashboard_id: dashboard.id,
          created_at: world.time,
          enabled: false,
          access_token: urlSafeToken(TOKEN_BYTES),
        });
      if (enabled !== undefined) world.store.sharing.update(sharing, { enabled });
      return ok(print(sharing));
    },
  },
];
