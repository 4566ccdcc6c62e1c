import type { CaptureStore } from "./capture";
import { byText, newestFirst } from "./pages";
import { isExpired } from "./routes/invites";
import type { World } from "./world";

/** Rows of one kind that the page shows at most; the counts tell how many there are. */
const MOST_ROWS = 200;

/** What the emulator's page shows: everything that exists, without keys and secret configuration. */
export function snapshot(world: World, capture: CaptureStore) {
  const { store } = world;
  const organizationName = (id: string): string => store.organizations.get(id)?.name ?? "";
  const projectName = (id: number): string => store.projects.get(id)?.name ?? "";
  const dashboards = store.dashboards
    .filter((row) => !row.deleted)
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || byText(a.name, b.name));
  const exports = newestFirst(
    store.batchExports.filter((row) => !row.deleted),
    (row) => row.created_at,
  );
  return {
    time: world.time,
    shapes: world.shapes,
    counts: {
      organizations: store.organizations.size,
      projects: store.projects.size,
      dashboards: dashboards.length,
      exports: exports.length,
      domains: store.domains.size,
      members: store.memberships.size,
      invites: store.invites.size,
      plugins: store.plugins.size,
      events: capture.count,
    },
    organizations: store.organizations
      .all()
      .slice(0, MOST_ROWS)
      .map(({ name, slug, id }) => ({ name, slug, id })),
    projects: store.projects
      .all()
      .slice(0, MOST_ROWS)
      .map(({ id, name, organization_id }) => ({
        id,
        name,
        organization: organizationName(organization_id),
      })),
    dashboards: dashboards.slice(0, MOST_ROWS).map(({ id, name, description, pinned, tags, project_id }) => ({
      id,
      name,
      description,
      pinned,
      tags,
      project: projectName(project_id),
    })),
    exports: exports
      .slice(0, MOST_ROWS)
      .map(({ name, destination, interval, paused, model, project_id }) => ({
        name,
        destination: destination.type,
        interval,
        paused,
        model,
        project: projectName(project_id),
      })),
    domains: store.domains
      .all()
      .slice(0, MOST_ROWS)
      .map(({ domain, verified_at, sso_enforcement, organization_id }) => ({
        domain,
        verified: verified_at !== null,
        sso: sso_enforcement,
        organization: organizationName(organization_id),
      })),
    people: store.memberships
      .all()
      .slice(0, MOST_ROWS)
      .map(({ user_id, level, organization_id }) => ({
        email: store.users.require(user_id).email,
        level,
        organization: organizationName(organization_id),
      })),
    invites: store.invites
      .all()
      .slice(0, MOST_ROWS)
      .map((invite) => ({
        email: invite.target_email,
        level: invite.level,
        expired: isExpired(world, invite),
        organization: organizationName(invite.organization_id),
      })),
    plugins: store.plugins
      .all()
      .slice(0, MOST_ROWS)
      .map(({ id, name, plugin_type, tag, organization_id }) => ({
        id,
        name,
        type: plugin_type,
        tag,
        organization: organizationName(organization_id),
      })),
  };
}
