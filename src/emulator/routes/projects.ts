import { ok } from "../http/call";
import { invalid, notFound } from "../http/errors";
import { text, validatePartial } from "../fields/fields";
import { page } from "../http/pages";
import { membershipOf, organizationsOf, projectsOf, switchTo } from "../world/people";
import type { Route } from "../http/router";
import { printProject, printSelf, printTeam } from "../views/people";

/** What clients ask on the way to the endpoints of the interface: projects, the key itself and its own user. */
export const projectRoutes: readonly Route[] = [
  {
    method: "GET",
    template: "/api/personal_api_keys/@current/",
    scope: "own",
    handler: ({ key, user }) => {
      const { scopes } = key;
      return ok({
        id: String(key.id),
        label: `Key ${key.id}`,
        value: null,
        user_id: user.id,
        // A key from before there were scopes may do everything, and is shown like one that has them all.
        scopes: scopes === null || scopes.length === 0 ? ["*"] : scopes,
        scoped_teams: key.projects ?? [],
        scoped_organizations: key.organizations ?? [],
      });
    },
  },
  {
    method: "GET",
    template: "/api/projects/",
    scope: "project:read",
    handler: (call) => {
      const projects = organizationsOf(call.world, call.user).flatMap(({ id }) => projectsOf(call.world, id));
      return ok(page(call, projects, printTeam));
    },
  },
  {
    method: "GET",
    template: "/api/projects/:project_id/",
    scope: "project:read",
    handler: ({ world, project, user }) => ok(printProject(world, project, user)),
  },
  {
    method: "GET",
    template: "/api/organizations/:organization_id/projects/",
    scope: "project:read",
    handler: (call) => ok(page(call, projectsOf(call.world, call.organization.id), printTeam)),
  },
  {
    method: "GET",
    template: "/api/users/@me/",
    scope: "user:read",
    handler: ({ world, user }) => ok(printSelf(world, user)),
  },
  {
    method: "PATCH",
    template: "/api/users/@me/",
    scope: "user:write",
    handler: (call) => {
      const { world, user } = call;
      const fields = { set_current_organization: text(), set_current_team: text() };
      const changes = validatePartial(fields, call.body());
      const { set_current_organization: organizationId, set_current_team: projectId } = changes;
      if (organizationId !== undefined) {
        if (!membershipOf(world, user, organizationId)) {
          throw invalid(
            `Object with id=${organizationId} does not exist.`,
            "set_current_organization",
            "does_not_exist",
          );
        }
        switchTo(world, user, organizationId);
      }
      if (projectId !== undefined) {
        const project = world.store.projects.get(Number(projectId));
        if (!project) throw notFound();
        if (!membershipOf(world, user, project.organization_id)) {
          throw invalid(`Object with id=${projectId} does not exist.`, "set_current_team", "does_not_exist");
        }
        switchTo(world, user, project.organization_id, project.id);
      }
      return ok(printSelf(world, user));
    },
  },
];
