import type { Call } from "../http/call";
import { crash, invalid, notFound } from "../http/errors";
import { canonicalUuid, isUuid } from "../fields/fields";
import { currentProject, projectsOf } from "../world/people";
import type { BatchExport, Project } from "../store/entities";

export function findExport(call: Call): BatchExport {
  const id = call.parameter("id");
  const found = isUuid(id) ? call.world.store.batchExports.get(canonicalUuid(id)) : undefined;
  if (!found || found.deleted || !exportVisible(call, found)) throw notFound();
  return found;
}

export function exportVisible(call: Call, { project_id: projectId }: BatchExport): boolean {
  if (call.belowProject) return projectId === call.project.id;
  return call.world.store.projects.require(projectId).organization_id === call.organization.id;
}

/**
 * The organization's route names no project. Upstream fails there; the document shows it working, so the
 * emulator takes the project that the key's owner has open, if it is of this organization, else its first.
 */
export function projectFor(call: Call): Project {
  if (call.belowProject) return call.project;
  const { world, organization, user } = call;
  if (world.upstream) throw crash("upstream needs a team_id, which the organization's route does not supply");
  const open = currentProject(world, user);
  const project = open?.organization_id === organization.id ? open : projectsOf(world, organization.id)[0];
  if (!project) throw invalid("The organization has no project to export from.");
  return project;
}
