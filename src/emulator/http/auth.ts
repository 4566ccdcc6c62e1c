import type { Call, Caller } from "./call";
import { authenticationFailed, crash, notAuthenticated, notFound, permissionDenied } from "./errors";
import { canonicalUuid, isUuid } from "../fields/fields";
import { isObject } from "../fields/json";
import { currentOrganization, currentProject, membershipOf, organizationsOf } from "../world/people";
import type { Scope } from "./router";
import type { ApiKey, Organization, Project } from "../store/entities";
import type { World } from "../world/world";

/**
 * Authentication and permissions in upstream's order: the key, then what the key may do, then what its user may
 * see. Only after these comes the method (405), the object (404) and the body (400).
 */

/** The only route whose own id is the organization that it lies below. */
export const ORGANIZATION_TEMPLATE = "/api/organizations/:id/";

/** Finds the caller: bearer header, else `personal_api_key` in the body, else in the query. Only the first is tried. */
export function authenticate(call: Call): Caller {
  const { value, source } = findKey(call);
  const key = value === undefined ? undefined : call.world.store.keys.find((row) => row.value === value);
  const user = key && call.world.store.users.get(key.user_id);
  if (!key || !user?.is_active) {
    throw authenticationFailed(`Personal API key found in request ${source} is invalid.`);
  }
  return { user, key };
}

function findKey(call: Call): { value: string | undefined; source: string } {
  const bearer = /^Bearer\s+(\S.+)$/.exec(call.request.authorization ?? "")?.[1];
  if (bearer !== undefined) return { value: bearer.trim(), source: "Authorization header" };
  const body = call.body();
  if (isObject(body) && "personal_api_key" in body) {
    const value = body["personal_api_key"];
    return { value: typeof value === "string" ? value : undefined, source: "body" };
  }
  const value = call.query.get("personal_api_key");
  if (value !== null) return { value, source: "query string" };
  throw notAuthenticated();
}

/** What a route lies below, as its path names it. */
export interface Parent {
  readonly organization: Organization;
  readonly project: Project | undefined;
}

/**
 * Checks a key's scopes. A key without scopes is a legacy one and passes everything, even actions that no scoped
 * key may call and even where it is restricted to other projects.
 */
export function checkKey(call: Call, scope: Scope, parent: () => Parent | undefined): void {
  const { key } = requireCaller(call);
  if (key.scopes === null || key.scopes.length === 0 || scope === "own") return;
  if (scope === "closed") throw permissionDenied("This action does not support Personal API Key access");
  checkRestrictions(key, scope, parent);
  if (key.scopes.includes("*")) return;
  const accepted = scope.endsWith(":read") ? [scope, scope.replace(/:read$/, ":write")] : [scope];
  if (!key.scopes.some((owned) => accepted.includes(owned))) {
    throw permissionDenied(`API key missing required scope '${scope}'`);
  }
}

function checkRestrictions(key: ApiKey, scope: Scope, find: () => Parent | undefined): void {
  const restricted = (key.projects?.length ?? 0) > 0 || (key.organizations?.length ?? 0) > 0;
  // The endpoint about the key's own user is open to restricted keys too.
  if (!restricted || scope.startsWith("user:")) return;
  const parent = find();
  if (key.projects && key.projects.length > 0) {
    if (!parent?.project) {
      throw permissionDenied("API keys with scoped projects are only supported on project-based endpoints.");
    }
    if (!key.projects.includes(parent.project.id)) {
      throw permissionDenied(
        `API key does not have access to the requested project: ID ${parent.project.id}.`,
      );
    }
  }
  if (key.organizations && key.organizations.length > 0 && parent) {
    if (!key.organizations.includes(parent.organization.id)) {
      throw permissionDenied(
        `API key does not have access to the requested organization: ID ${parent.organization.id}.`,
      );
    }
  }
}

/** The organization or project that the path names, whether the caller may see it or not. */
export function findParent(call: Call): Parent | undefined {
  if (call.has("project_id")) {
    const project = findProject(call, call.parameter("project_id"));
    return { project, organization: call.world.store.organizations.require(project.organization_id) };
  }
  if (call.has("organization_id")) {
    return { organization: findOrganization(call, call.parameter("organization_id")), project: undefined };
  }
  return call.template === ORGANIZATION_TEMPLATE ? findOwnOrganization(call) : undefined;
}

/** The route of one organization looks among the caller's own ones only, so a foreign one is not found. */
function findOwnOrganization(call: Call): Parent {
  const { world } = call;
  const name = call.parameter("id");
  const own = organizationsOf(world, call.user);
  let organization: Organization | undefined;
  if (name === "@current") {
    organization = currentOrganization(world, call.user);
    if (!organization) throw notFound("Current organization not found.");
  } else if (isUuid(name)) {
    organization = own.find((row) => row.id === canonicalUuid(name));
  } else {
    refuseMalformedOrganization(world, name);
    organization = own.find((row) => row.slug === name);
  }
  if (!organization) throw notFound();
  return { organization, project: undefined };
}

function findProject(call: Call, name: string): Project {
  const { world } = call;
  const project =
    name === "@current"
      ? currentProject(world, call.user)
      : /^\d+$/.test(name)
        ? world.store.projects.get(Number(name))
        : undefined;
  if (!project) throw notFound("Project not found.");
  return project;
}

function findOrganization(call: Call, name: string): Organization {
  const { world } = call;
  if (name !== "@current") refuseMalformedOrganization(world, name);
  const organization =
    name === "@current"
      ? currentOrganization(world, call.user)
      : isUuid(name)
        ? world.store.organizations.get(canonicalUuid(name))
        : undefined;
  if (!organization) throw notFound("Organization not found.");
  return organization;
}

/** Upstream passes the path's id to the database without a look at it, which raises on anything but a UUID. */
function refuseMalformedOrganization(world: World, name: string): void {
  if (world.upstream && !isUuid(name))
    throw crash(`"${name}" is no UUID, and upstream does not guard against that`);
}

/** Lets members in and nobody else. */
export function enterParent(call: Call, parent: Parent): void {
  const membership = membershipOf(call.world, call.user, parent.organization.id);
  if (!membership) {
    throw permissionDenied(parent.project ? "You don't have access to the project." : undefined);
  }
  call.scope = { ...parent, membership };
}

/** A guard for routes below an organization whose writes are for its admins and owners. */
export function adminToWrite(call: Call): void {
  if (call.method !== "GET" && call.membership.level < 8) {
    throw permissionDenied("Your organization access level is insufficient.");
  }
}

function requireCaller(call: Call): Caller {
  if (!call.caller) throw new Error(`${call.template} checks a key before it is known`);
  return call.caller;
}
