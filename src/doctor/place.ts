import type { ApiClient } from "../client/client";
import { NotFoundError, PermissionError } from "../client/errors";
import type { Settings } from "../client/settings";
import type { ResourceDefinition } from "../engine/definition";
import { at, isObject, textAt } from "../engine/values/json";
import { CURRENT, resolveOrganization } from "../engine/requests/organization";
import { collectionPath } from "../engine/requests/scope";
import { failed, failure, ok, skipped, warning, type Finding } from "./finding";
import type { KeyRights } from "./key";
import type { Needs } from "./needs";

const ADMIN = 8;
const MAY_INSTALL_PLUGINS = 6;

/** The place that a program's resources are in, as far as it was found. */
export interface Place {
  readonly organization: unknown;
  readonly organizationId: string | undefined;
  readonly project: unknown;
}

/** Whether the organization is there, and what the key's owner is in it. */
export async function checkOrganization(
  client: ApiClient,
  settings: Settings,
  needs: Needs,
  rights: KeyRights,
): Promise<{ findings: Finding[]; organization: unknown }> {
  const asked = settings.organizationId;
  if (asked === undefined && !needs.organization)
    return {
      findings: [skipped("organization", "nothing needs posthog:organizationId")],
      organization: undefined,
    };
  if (rights.projects.length > 0) {
    const said = "the key is limited to projects, and PostHog then refuses everything of an organization";
    const remedy =
      "Make a key that covers the organization, for exports, domains, invites, members and plugins.";
    return {
      findings: [
        needs.organization ? failed("organization", said, remedy) : warning("organization", said, remedy),
      ],
      organization: undefined,
    };
  }
  try {
    const id = await resolveOrganization(client, asked ?? CURRENT);
    const organization = await client.get(`/api/organizations/${encodeURIComponent(id)}/`, {
      scope: "organization:read",
    });
    const findings = [ok("organization", `organization ${textAt(organization, "name")} (${id})`)];
    if (asked === undefined) findings.push(unconfigured(organization, id));
    return { findings: [...findings, ...checkLevels(organization, needs)], organization };
  } catch (error) {
    return { findings: [failure("organization", error)], organization: undefined };
  }
}

function unconfigured(organization: unknown, id: string): Finding {
  return warning(
    "organization",
    `no organization is configured; the key's owner has ${textAt(organization, "name")} open`,
    `Run pulumi config set posthog:organizationId ${id}, or set POSTHOG_ORGANIZATION_ID, unless each resource says which.`,
  );
}

function checkLevels(organization: unknown, { forAdmins, plugins }: Needs): Finding[] {
  const level = at(organization, "membership_level");
  const access = at(organization, "plugins_access_level");
  const findings: Finding[] = [];
  if (typeof level === "number" && level < ADMIN && forAdmins.length > 0) {
    findings.push(
      failed(
        "organization",
        `the key's owner is a mere member, and changes of ${forAdmins.join(", ")} need an admin`,
        "Use a key of an admin or owner of the organization.",
      ),
    );
  }
  if (typeof access === "number" && access < MAY_INSTALL_PLUGINS && plugins.length > 0) {
    findings.push(
      warning(
        "organization",
        `the organization may not change plugins (access level ${String(access)}), which ${plugins.join(", ")} need`,
        "On PostHog Cloud only PostHog can open this; of your own PostHog, raise the organization's plugin access level.",
      ),
    );
  }
  return findings;
}

/** Whether the project is there and belongs to the organization. */
export async function checkProject(
  client: ApiClient,
  settings: Settings,
  needs: Needs,
  organization: unknown,
): Promise<{ findings: Finding[]; project: unknown }> {
  const id = settings.projectId;
  if (id === undefined) {
    if (!needs.project)
      return { findings: [skipped("project", "nothing needs posthog:projectId")], project: undefined };
    const finding = warning(
      "project",
      "no project is configured",
      `Run pulumi config set posthog:projectId ID, or set POSTHOG_PROJECT_ID, unless each resource says which.${projectsOf(organization)}`,
    );
    return { findings: [finding], project: undefined };
  }
  try {
    const project = await client.get(`/api/projects/${encodeURIComponent(id)}/`, { scope: "project:read" });
    const findings = [ok("project", `project ${textAt(project, "name")} (${id})`)];
    const [own, wanted] = [textAt(project, "organization"), textAt(organization, "id")];
    if (own !== "" && wanted !== "" && own !== wanted) {
      const remedy = `Correct posthog:projectId or posthog:organizationId.${projectsOf(organization)}`;
      findings.push(warning("project", `project ${id} belongs to another organization (${own})`, remedy));
    }
    return { findings, project };
  } catch (error) {
    if (NotFoundError.isInstance(error) && !error.webPage) {
      const remedy = `Correct posthog:projectId (POSTHOG_PROJECT_ID).${projectsOf(organization)}`;
      return {
        findings: [failed("project", `there is no project ${id} that this key sees`, remedy)],
        project: undefined,
      };
    }
    // Only this check asks for the scope project:read; whether the resources work, their own lists tell.
    const isOurs = PermissionError.isInstance(error) && error.message.includes("project:read");
    if (isOurs)
      return {
        findings: [skipped("project", `project ${id} could not be looked at without the scope project:read`)],
        project: undefined,
      };
    return { findings: [failure("project", error)], project: undefined };
  }
}

function projectsOf(organization: unknown): string {
  const teams = at(organization, "teams");
  if (!Array.isArray(teams) || teams.length === 0) return "";
  const named = teams.filter(isObject).map((team) => `${textAt(team, "id")} (${textAt(team, "name")})`);
  return ` The organization has: ${named.slice(0, 10).join(", ")}.`;
}

/** Whether each kind's list answers: what a plan, a role or a scope closes shows there, without a write. */
export async function checkLists(
  client: ApiClient,
  kinds: readonly ResourceDefinition[],
  settings: Settings,
  organizationId: string | undefined,
): Promise<Finding[]> {
  const { projectId } = settings;
  const paths = new Map<string, { scope: string; types: string[] }>();
  for (const definition of kinds) {
    const where = definition.scope === "project" ? projectId : organizationId;
    const isNested = /\{(?!projectId|organizationId)\w+\}/.test(definition.path);
    if (definition.keyScope === "" || isNested || (definition.scope !== "none" && where === undefined))
      continue;
    const scope =
      definition.scope === "project" ? { projectId: where ?? "" } : { organizationId: where ?? "" };
    const path = collectionPath(definition, scope);
    const known = paths.get(path) ?? { scope: `${definition.keyScope}:read`, types: [] };
    known.types.push(definition.type);
    paths.set(path, known);
  }
  const asked = [...paths].map(async ([path, { scope, types }]): Promise<Finding> => {
    try {
      await client.get(path, { scope, query: { limit: 1 } });
      return ok("lists", `${types.join(", ")}: can be read`);
    } catch (error) {
      const found = failure("lists", error);
      return { ...found, said: `${types.join(", ")}: ${found.said}` };
    }
  });
  return await Promise.all(asked);
}
