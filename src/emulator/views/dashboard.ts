import { hasFeature } from "../world/features";
import type { JsonObject } from "../fields/json";
import { membershipOf } from "../world/people";
import type { Dashboard, Tile, User } from "../store/entities";
import type { World } from "../world/world";
import { mayTag, printAuthor } from "./people";

/** What one user may do with one dashboard, and how the dashboard is shown to them. */

/** A restriction counts only where the organization of the dashboard's project has paid for it. */
export function effectiveRestriction(world: World, dashboard: Dashboard): 21 | 37 {
  const project = world.store.projects.require(dashboard.project_id);
  const organization = world.store.organizations.require(project.organization_id);
  return hasFeature(organization, "advanced_permissions") ? dashboard.restriction_level : 21;
}

/** The dashboard's creator and the project's admins. */
export function canRestrict(world: World, dashboard: Dashboard, user: User): boolean {
  if (dashboard.created_by_id === user.id) return true;
  const project = world.store.projects.require(dashboard.project_id);
  return (membershipOf(world, user, project.organization_id)?.level ?? 0) >= 8;
}

export function effectivePrivilege(world: World, dashboard: Dashboard, user: User): 21 | 37 {
  if (effectiveRestriction(world, dashboard) === 21 || canRestrict(world, dashboard, user)) return 37;
  const privilege = world.store.collaborators.find(
    (row) => row.dashboard_id === dashboard.id && row.user_id === user.id,
  );
  return privilege?.level ?? 21;
}

export function canEdit(world: World, dashboard: Dashboard, user: User): boolean {
  return effectivePrivilege(world, dashboard, user) === 37;
}

export function printDashboardInList(world: World, dashboard: Dashboard, user: User) {
  const sharing = world.store.sharing.find((row) => row.dashboard_id === dashboard.id);
  return {
    id: dashboard.id,
    name: dashboard.name,
    description: dashboard.description,
    pinned: dashboard.pinned,
    created_at: dashboard.created_at,
    created_by: printAuthor(world, dashboard.created_by_id),
    is_shared: sharing?.enabled ?? false,
    deleted: dashboard.deleted,
    creation_mode: dashboard.creation_mode,
    tags: mayTag(world, user) ? [...dashboard.tags] : [],
    restriction_level: dashboard.restriction_level,
    effective_restriction_level: effectiveRestriction(world, dashboard),
    effective_privilege_level: effectivePrivilege(world, dashboard, user),
  };
}

/**
 * The detail form. The document shows `use_template`, `use_dashboard` and `delete_insights` in it, which the service
 * never reads back. A caller may ask to see it under other filters than its own.
 */
export function printDashboard(world: World, dashboard: Dashboard, user: User, override?: JsonObject) {
  const tiles = world.store.tiles.filter(
    (tile) => tile.dashboard_id === dashboard.id && isShown(world, tile),
  );
  return {
    ...printDashboardInList(world, dashboard, user),
    ...(world.upstream ? {} : writtenFields(dashboard)),
    filters: override ?? dashboard.filters,
    tiles: tiles.map((tile) => printTile(world, tile)),
  };
}

function writtenFields({ use_template, use_dashboard }: Dashboard) {
  return {
    use_template: use_template ?? null,
    use_dashboard: use_dashboard ?? null,
    delete_insights: false,
  };
}

function isShown(world: World, tile: Tile): boolean {
  if (tile.deleted) return false;
  return tile.insight_id === null || !world.store.insights.require(tile.insight_id).deleted;
}

function printTile(world: World, tile: Tile) {
  const insight = tile.insight_id === null ? undefined : world.store.insights.require(tile.insight_id);
  const text = tile.text_id === null ? undefined : world.store.texts.require(tile.text_id);
  return {
    id: tile.id,
    layouts: tile.layouts,
    color: tile.color,
    insight: insight
      ? {
          id: insight.id,
          short_id: insight.short_id,
          name: insight.name,
          derived_name: null,
          description: insight.description,
          filters: insight.filters,
          query: insight.query,
          deleted: insight.deleted,
          dashboards: dashboardsOf(world, insight.id),
          created_at: insight.created_at,
          created_by: printAuthor(world, insight.created_by_id),
          tags: [],
          result: null,
          last_refresh: null,
          is_cached: false,
        }
      : null,
    text: text
      ? {
          id: text.id,
          body: text.body,
          created_by: printAuthor(world, text.created_by_id),
          last_modified_by: printAuthor(world, text.last_modified_by_id),
          last_modified_at: text.last_modified_at,
          team: text.project_id,
        }
      : null,
    last_refresh: null,
    is_cached: false,
  };
}

function dashboardsOf(world: World, insightId: number): number[] {
  return world.store.tiles
    .filter((tile) => tile.insight_id === insightId && !tile.deleted)
    .map((tile) => tile.dashboard_id);
}
