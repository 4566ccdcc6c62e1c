import { hasFeature, planFeatures } from "../world/features";
import {
  currentOrganization,
  currentProject,
  membershipOf,
  organizationsOf,
  projectsOf,
} from "../world/people";
import type { Membership, Organization, Project, User } from "../store/entities";
import type { World } from "../world/world";

/** The user as it is embedded in other records. */
export function printUser(user: User) {
  return {
    id: user.id,
    uuid: user.uuid,
    distinct_id: user.distinct_id,
    first_name: user.first_name,
    last_name: user.last_name,
    email: user.email,
    is_email_verified: user.is_email_verified,
    hedgehog_config: null,
  };
}

/** The author of a record; null where the user is gone. */
export function printAuthor(world: World, id: number | null) {
  const user = id === null ? undefined : world.store.users.get(id);
  return user ? printUser(user) : null;
}

export function printMember(world: World, membership: Membership) {
  const user = world.store.users.require(membership.user_id);
  return {
    id: membership.id,
    user: printUser(user),
    level: membership.level,
    joined_at: membership.joined_at,
    updated_at: membership.updated_at,
    is_2fa_enabled: user.is_2fa_enabled,
    has_social_auth: user.has_social_auth,
    last_login: user.last_login,
  };
}

/** The project as organizations and lists show it, with its API key in clear as upstream has it. */
export function printTeam(project: Project) {
  return {
    id: project.id,
    uuid: project.uuid,
    organization: project.organization_id,
    project_id: project.id,
    api_token: project.api_token,
    name: project.name,
    completed_snippet_onboarding: true,
    has_completed_onboarding_for: { product_analytics: true },
    ingested_event: true,
    is_demo: false,
    timezone: project.timezone,
    access_control: false,
  };
}

export function printProject(world: World, project: Project, user: User) {
  return {
    ...printTeam(project),
    created_at: project.created_at,
    updated_at: project.updated_at,
    effective_membership_level: membershipOf(world, user, project.organization_id)?.level ?? null,
    app_urls: [],
    test_account_filters: [],
    has_group_types: false,
    primary_dashboard: null,
    week_start_day: null,
  };
}

/** The document shows `metadata` and `member_count` as strings; the service answers an object and an integer. */
export function printOrganization(world: World, organization: Organization, user: User) {
  const projects = projectsOf(world, organization.id);
  const members = world.store.memberships.filter(
    (row) => row.organization_id === organization.id && world.store.users.require(row.user_id).is_active,
  );
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    logo_media_id: organization.logo_media_id,
    created_at: organization.created_at,
    updated_at: organization.updated_at,
    membership_level: membershipOf(world, user, organization.id)?.level ?? null,
    plugins_access_level: organization.plugins_access_level,
    teams: projects.map(printTeam),
    projects: projects.map(({ id, name }) => ({ id, organization_id: organization.id, name })),
    available_product_features: planFeatures(organization),
    is_member_join_email_enabled: organization.is_member_join_email_enabled,
    metadata: world.upstream ? { instance_tag: "none" } : "none",
    customer_id: organization.customer_id,
    enforce_2fa: organization.enforce_2fa,
    member_count: world.upstream ? members.length : String(members.length),
  };
}

/** The key's own user, as `/api/users/@me/` shows it. */
export function printSelf(world: World, user: User) {
  const organization = currentOrganization(world, user);
  const project = currentProject(world, user);
  return {
    date_joined: user.date_joined,
    uuid: user.uuid,
    distinct_id: user.distinct_id,
    first_name: user.first_name,
    last_name: user.last_name,
    email: user.email,
    pending_email: null,
    is_email_verified: user.is_email_verified,
    has_password: true,
    is_staff: false,
    is_impersonated: null,
    team: project ? printTeam(project) : null,
    organization: organization ? printOrganization(world, organization, user) : null,
    organizations: organizationsOf(world, user).map(({ id, name, slug, logo_media_id }) => ({
      id,
      name,
      slug,
      logo_media_id,
      membership_level: membershipOf(world, user, id)?.level ?? null,
    })),
    is_2fa_enabled: user.is_2fa_enabled,
    has_social_auth: user.has_social_auth,
    hedgehog_config: null,
  };
}

/** Tags are a paid feature of the organization that the key's owner has open, not of the project's. */
export function mayTag(world: World, user: User): boolean {
  return hasFeature(currentOrganization(world, user), "tagging");
}
