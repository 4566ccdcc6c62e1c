import { z } from "zod";
import { isRefused, NotFoundError } from "../client/errors";
import { asFound, asObject, collectionRemote, sendable } from "../engine/requests/collection-remote";
import { definition, defineResource } from "../engine/program/define";
import { numericId, projectNumber, uuid } from "../engine/values/fields";
import { at, toJson, type JsonObject, type Props } from "../engine/values/json";
import { numberOf } from "../engine/values/lenient";
import { managerOf } from "../engine/ownership/managed";
import type { Call, Found } from "../engine/requests/remote";
import { makeNamed } from "../engine/once/settle";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { encodeArguments } from "../engine/values/wire";
import { moment, user } from "./user";

/** The one level that the service lets anybody give: may edit. */
const MAY_EDIT = 37;

const inputs = {
  /** Id of the project. Default: `posthog:projectId`, `POSTHOG_PROJECT_ID`. A change replaces the collaborator. */
  projectId: projectNumber().optional(),
  /** Number of the dashboard, or the `id` of its `Dashboard`; its `restrictionLevel` has to be 37. A change replaces. */
  dashboardId: numericId(),
  /** UUID of a member of the organization who has no right to the dashboard anyway. A change replaces. */
  userUuid: uuid(),
  /** What the person may do: 37, edit, is the only level that the service gives. Default: 37. */
  level: z.literal(MAY_EDIT).optional(),
};

const outputs = {
  /** UUID of the collaboration (the resource's id is `dashboardId/userUuid`). */
  collaboratorId: z.string().optional(),
  /** The person. */
  user: user.optional(),
  /** When the person was added. */
  addedAt: moment.optional(),
  /** When the collaboration was last changed. */
  updatedAt: moment.optional(),
};

/** The kind `DashboardCollaborator`: the service lists, adds and removes people, and changes nothing about them. */
export const dashboardCollaborator = definition({
  type: "DashboardCollaborator",
  inputs,
  outputs,
  scope: "project",
  path: "/api/projects/{projectId}/dashboards/{dashboardId}/collaborators/",
  keyScope: "dashboard",
  idField: ["user.uuid", "user_uuid"],
  read: "list",
  update: "none",
  replaceOnChanges: ["projectId", "dashboardId", "userUuid", "level"],
  deleteBeforeReplace: true,
  clears: { level: MAY_EDIT },
  argumentsOf(id) {
    const [dashboardId, userUuid] = id.split("/");
    return { dashboardId, userUuid };
  },
  repeats: { user: ["userUuid"] },
  remote: { create, find, delete: remove },
});

function idFor(args: Props): string {
  return `${String(args["dashboardId"])}/${String(args["userUuid"])}`;
}

function personIn(id: string): string {
  return id.slice(id.indexOf("/") + 1);
}

/** The service may name the person inside `user` only, and its own id is of no use to any request. */
function named(object: JsonObject): JsonObject {
  const uuid = at(object, "user.uuid") ?? object["user_uuid"];
  return { ...object, collaborator_id: object["id"] ?? null, user_uuid: toJson(uuid) };
}

async function find(call: Call, id: string): Promise<Found | undefined> {
  try {
    const found = await collectionRemote.find(call, personIn(id), {});
    return found && { id, object: named(found.object) };
  } catch (error) {
    // A dashboard that was put away has no list of collaborators.
    if (NotFoundError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Who is a collaborator already, after a dashboard was restored for example, is taken over. */
async function create(call: Call, args: Props): Promise<Found> {
  const id = idFor(args);
  const look = async () => (managerOf(call, id) === undefined ? await find(call, id) : undefined);
  const body = encodeArguments(dashboardCollaborator, { level: MAY_EDIT, ...sendable(call, args, {}) });
  const { dashboard_id: _, ...sent } = body;
  try {
    return await makeNamed(
      call,
      async () => {
        const made = asFound(call, await call.client.post(call.path, call.writing(sent)));
        return { id, object: named(made.object) };
      },
      look,
    );
  } catch (error) {
    if (!isRefused(error)) throw error;
    call.collection.invalidate();
    const there = await look();
    if (there === undefined) throw error;
    call.warn(`${String(args["userUuid"])} was a collaborator already and is taken over`);
    return there;
  } finally {
    call.collection.invalidate();
  }
}

/** Nobody collaborates on a dashboard that is open to everyone: the service refuses, and there is nothing to do. */
async function remove(call: Call, id: string, stored: Props): Promise<void> {
  try {
    await collectionRemote.delete(call, personIn(id), stored);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const dashboard = asObject(
      await call.client.get(call.path.replace(/collaborators\/$/, ""), call.reading),
    );
    if (numberOf(dashboard?.["effective_restriction_level"]) === MAY_EDIT) throw error;
  }
}

/** Arguments of {@link DashboardCollaborator}. */
export interface DashboardCollaboratorArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link DashboardCollaborator}. */
export interface DashboardCollaboratorOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * A person who may edit a dashboard that is closed to others (`restrictionLevel: "collaborators"`).
 *
 * The service cannot change a collaborator: every change removes the person and adds the other. Someone who is one
 * already is taken over. Endpoint: `/api/projects/:project_id/dashboards/:dashboard_id/collaborators/`; scope
 * `dashboard:write`. The id is `dashboardId/userUuid`.
 *
 * @remarks The dashboard has to be closed (`restrictionLevel: "collaborators"`), which needs the plan's permissions
 * feature. Its creator and project admins may edit it anyway, and PostHog refuses to add them.
 * @destroy removed
 *
 * @example
 * const alan = new posthog.Member("alan", { email: "alan@example.com", level: "member" });
 * const board = new posthog.Dashboard("board", { name: "Board", restrictionLevel: "collaborators" });
 * new posthog.DashboardCollaborator("alan", { dashboardId: board.id, userUuid: alan.id });
 */
export class DashboardCollaborator extends defineResource<
  DashboardCollaboratorArgs,
  DashboardCollaboratorOutputs
>(dashboardCollaborator) {}
