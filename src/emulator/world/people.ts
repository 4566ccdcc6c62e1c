import { randomUUID } from "node:crypto";

import { randomToken } from "./identity";
import type { Level, Membership, Organization, Project, User } from "../store/entities";
import type { World } from "./world";

/** Users, their organizations and projects, and which of them are current. */

export function membershipOf(world: World, user: User, organizationId: string): Membership | undefined {
  return world.store.memberships.find(
    (row) => row.user_id === user.id && row.organization_id === organizationId,
  );
}

export function organizationsOf(world: World, user: User): Organization[] {
  return world.store.memberships
    .filter((row) => row.user_id === user.id)
    .map((row) => world.store.organizations.require(row.organization_id))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0));
}

export function projectsOf(world: World, organizationId: string): Project[] {
  return world.store.projects.filter((project) => project.organization_id === organizationId);
}

/** The organization behind `@current`; where it is unset, upstream settles on the user's first one. */
export function currentOrganization(world: World, user: User): Organization | undefined {
  if (user.current_organization_id === null) {
    const first = organizationsOf(world, user)[0];
    if (first) world.store.users.update(user, { current_organization_id: first.id });
  }
  return user.current_organization_id === null
    ? undefined
    : world.store.organizations.get(user.current_organization_id);
}

/** The project behind `@current`. */
export function currentProject(world: World, user: User): Project | undefined {
  if (user.current_project_id === null) {
    const organization = currentOrganization(world, user);
    const first = organization && projectsOf(world, organization.id)[0];
    if (first) world.store.users.update(user, { current_project_id: first.id });
  }
  return user.current_project_id === null ? undefined : world.store.projects.get(user.current_project_id);
}

export function createProject(
  world: World,
  organizationId: string,
  name: string,
  uuid: string = randomUUID(),
): Project {
  return world.store.projects.insert({
    id: world.store.projects.nextId(),
    uuid,
    organization_id: organizationId,
    name,
    api_token: randomToken("phc_"),
    timezone: "UTC",
    created_at: world.time,
    updated_at: world.time,
  });
}

export interface NewUser {
  email: string;
  firstName: string;
  lastName?: string;
  uuid?: string;
}

export function createUser(
  world: World,
  { email, firstName, lastName = "", uuid = randomUUID() }: NewUser,
): User {
  return world.store.users.insert({
    id: world.store.users.nextId(),
    uuid,
    distinct_id: randomToken("", 43),
    first_name: firstName,
    last_name: lastName,
    email,
    is_email_verified: true,
    is_active: true,
    is_2fa_enabled: false,
    has_social_auth: false,
    last_login: world.time,
    date_joined: world.time,
    current_organization_id: null,
    current_project_id: null,
  });
}

/** Makes someone a member; their first organization becomes their current one. */
export function join(
  world: World,
  user: User,
  organizationId: string,
  level: Level,
  id: string = randomUUID(),
): Membership {
  const membership = world.store.memberships.insert({
    id,
    organization_id: organizationId,
    user_id: user.id,
    level,
    joined_at: world.time,
    updated_at: world.time,
  });
  if (user.current_organization_id === null) switchTo(world, user, organizationId);
  return membership;
}

export function switchTo(world: World, user: User, organizationId: string, projectId?: number): void {
  world.store.users.update(user, {
    current_organization_id: organizationId,
    current_project_id: projectId ?? projectsOf(world, organizationId)[0]?.id ?? null,
  });
}

/** Ends a membership. Where it was the user's current one, the next look settles on another. */
export function leave(world: World, membership: Membership): void {
  const user = world.store.users.require(membership.user_id);
  world.store.memberships.delete(membership.id);
  if (user.current_organization_id === membership.organization_id) {
    world.store.users.update(user, { current_organization_id: null, current_project_id: null });
  }
}
