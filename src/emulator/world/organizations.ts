import { randomUUID } from "node:crypto";

import { ALL_FEATURES } from "./features";
import { randomToken } from "./identity";
import { createProject, join, switchTo } from "./people";
import type { Organization, User } from "../store/entities";
import type { World } from "./world";

const MAX_SLUG_LENGTH = 48;

export interface NewOrganization {
  name: string;
  logo_media_id?: string | null;
  is_member_join_email_enabled?: boolean;
  enforce_2fa?: boolean | null;
}

export interface BootstrapOptions {
  id?: string;
  projectUuid?: string;
  features?: readonly string[];
}

/**
 * Makes an organization the way the service does: the user becomes its owner, it gets a default project, and
 * both become the user's current ones.
 */
export function bootstrapOrganization(
  world: World,
  owner: User,
  fields: NewOrganization,
  { id = randomUUID(), projectUuid, features = ALL_FEATURES }: BootstrapOptions = {},
): Organization {
  const organization = world.store.organizations.insert({
    id,
    name: fields.name,
    slug: freeSlug(world, fields.name),
    logo_media_id: fields.logo_media_id ?? null,
    created_at: world.time,
    updated_at: world.time,
    plugins_access_level: 9,
    features: [...features],
    is_member_join_email_enabled: fields.is_member_join_email_enabled ?? true,
    customer_id: null,
    enforce_2fa: fields.enforce_2fa ?? null,
  });
  const project = createProject(world, organization.id, "Default project", projectUuid);
  join(world, owner, organization.id, 15);
  switchTo(world, owner, organization.id, project.id);
  return organization;
}

/** Removes an organization with everything that belongs to it. */
export function removeOrganization(world: World, organization: Organization): void {
  const { store } = world;
  const inOrganization = (row: { organization_id: string }): boolean =>
    row.organization_id === organization.id;
  const projects = new Set(store.projects.deleteWhere(inOrganization).map((project) => project.id));
  const inProject = (row: { project_id: number }): boolean => projects.has(row.project_id);
  const dashboards = new Set(store.dashboards.deleteWhere(inProject).map((dashboard) => dashboard.id));
  const onDashboard = (row: { dashboard_id: number }): boolean => dashboards.has(row.dashboard_id);
  const exports = new Set(store.batchExports.deleteWhere(inProject).map((batchExport) => batchExport.id));
  const ofExport = (row: { batch_export: string }): boolean => exports.has(row.batch_export);

  store.tiles.deleteWhere(onDashboard);
  store.collaborators.deleteWhere(onDashboard);
  store.sharing.deleteWhere(onDashboard);
  store.insights.deleteWhere(inProject);
  store.texts.deleteWhere(inProject);
  store.exportRuns.deleteWhere(ofExport);
  store.backfills.deleteWhere(ofExport);
  store.logEntries.deleteWhere((entry) => exports.has(entry.log_source_id));
  store.domains.deleteWhere(inOrganization);
  store.invites.deleteWhere(inOrganization);
  store.plugins.deleteWhere(inOrganization);
  store.activity.deleteWhere(inOrganization);
  store.memberships.deleteWhere(inOrganization);
  store.deleteOwn(
    ({ organization_id = "", project_id = 0 }) =>
      organization_id === organization.id || projects.has(project_id),
  );
  store.organizations.delete(organization.id);
  for (const user of store.users.filter((row) => row.current_organization_id === organization.id)) {
    store.users.update(user, { current_organization_id: null, current_project_id: null });
  }
}

function freeSlug(world: World, name: string): string {
  const slug = slugify(name).slice(0, MAX_SLUG_LENGTH);
  const taken = (candidate: string): boolean =>
    world.store.organizations.find((row) => row.slug === candidate) !== undefined;
  let candidate = slug;
  while (taken(candidate)) {
    candidate = `${slug.slice(0, MAX_SLUG_LENGTH - 5)}-${randomToken("", 4).toLowerCase()}`;
  }
  return candidate;
}

function slugify(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[^\p{ASCII}]/gu, "")
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replace(/[-\s]+/g, "-")
    .replace(/^[-_]+|[-_]+$/g, "");
}
