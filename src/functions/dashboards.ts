import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { dashboard, type DashboardOutputs } from "../resources/dashboard";
import { moment, user } from "../resources/user";
import {
  dataFunction,
  recordOf,
  type ConnectionArgs,
  type LiftedArgs,
  type RecordOf,
  type ValuesOf,
} from "./data-function";
import { idArgs, projectArgs } from "./scope-args";

const {
  projectId: _projectId,
  template: _template,
  deleteInsights: _deleteInsights,
  ...readable
} = dashboard.inputs;

const own = {
  /** Number of the dashboard. */
  id: z.number(),
  /** Whether it was put away. */
  deleted: z.boolean(),
  /** Its tiles, in the service's own form; not in lists. */
  tiles: z.array(z.unknown()),
};
const dashboardRecord = recordOf({ ...readable, ...dashboard.outputs, ...own });

const collaboratorShape = {
  /** UUID of the entry. */
  id: z.string(),
  /** Number of the dashboard. */
  dashboardId: z.number(),
  /** The person. */
  user,
  /** 37: may edit. */
  level: z.number(),
  /** When the person was added. */
  addedAt: moment,
  /** When the entry was last changed. */
  updatedAt: moment,
};
const collaboratorRecord = recordOf(collaboratorShape);

const sharingShape = {
  /** When sharing was first enabled; missing before. */
  createdAt: moment,
  /** Whether the public link is open. */
  enabled: z.boolean(),
  /** Token of the public link: whoever has it sees the dashboard. Another one at each call until first enabled. */
  accessToken: z.string(),
};
const sharingRecord = recordOf(sharingShape);

/** A dashboard as the service shows it. */
export interface DashboardResult
  extends
    ValuesOf<Omit<DashboardOutputs, "projectId" | "template" | "deleteInsights">>,
    RecordOf<typeof own> {}
/** A collaborator of a dashboard. */
export interface DashboardCollaboratorResult extends RecordOf<typeof collaboratorShape> {}
/** The sharing of a dashboard. */
export interface DashboardSharingResult extends RecordOf<typeof sharingShape> {}
/** Arguments of {@link getDashboards}. */
export type GetDashboardsArgs = z.input<z.ZodObject<typeof projectArgs>> & ConnectionArgs;
/** Arguments of {@link getDashboard}. */
export type GetDashboardArgs = GetDashboardsArgs & z.input<z.ZodObject<typeof idArgs>>;
const dashboardId = {
  /** Number of the dashboard. */
  dashboardId: idArgs.id,
};
const ofDashboard = { ...projectArgs, ...dashboardId };
/** Arguments of the functions about one dashboard's people and links. */
export type OfDashboardArgs = GetDashboardsArgs & z.input<z.ZodObject<typeof dashboardId>>;

const COLLECTION = "/api/projects/{projectId}/dashboards/";

const one = dataFunction({
  name: "getDashboard",
  scope: "project",
  args: { ...projectArgs, ...idArgs },
  ask: async ({ get }) => dashboardRecord.parse(await get(`${COLLECTION}{id}/`, "dashboard:read")),
});

/** A dashboard by its number, with its tiles. `GET /api/projects/:project_id/dashboards/:id/` */
export function getDashboard(args: GetDashboardArgs): Promise<DashboardResult> {
  return one.call(args);
}
/** {@link getDashboard} of arguments that may be outputs. */
export function getDashboardOutput(args: LiftedArgs<GetDashboardArgs>): pulumi.Output<DashboardResult> {
  return one.output(args);
}

const all = dataFunction({
  name: "getDashboards",
  scope: "project",
  args: projectArgs,
  ask: async ({ list }) =>
    (await list(COLLECTION, "dashboard:read"))
      .map((item) => dashboardRecord.parse(item))
      .filter(({ deleted }) => deleted !== true),
});

/** Every dashboard of a project that was not put away, without tiles. `GET /api/projects/:project_id/dashboards/` */
export function getDashboards(args: GetDashboardsArgs = {}): Promise<DashboardResult[]> {
  return all.call(args);
}
/** {@link getDashboards} of arguments that may be outputs. */
export function getDashboardsOutput(
  args: LiftedArgs<GetDashboardsArgs> = {},
): pulumi.Output<DashboardResult[]> {
  return all.output(args);
}

const collaborators = dataFunction({
  name: "getDashboardCollaborators",
  scope: "project",
  args: ofDashboard,
  ask: async ({ list }) =>
    (await list(`${COLLECTION}{dashboardId}/collaborators/`, "dashboard:read")).map((item) =>
      collaboratorRecord.parse(item),
    ),
});

/** Who may edit a restricted dashboard. `GET /api/projects/:project_id/dashboards/:dashboard_id/collaborators/` */
export function getDashboardCollaborators(args: OfDashboardArgs): Promise<DashboardCollaboratorResult[]> {
  return collaborators.call(args);
}
/** {@link getDashboardCollaborators} of arguments that may be outputs. */
export function getDashboardCollaboratorsOutput(
  args: LiftedArgs<OfDashboardArgs>,
): pulumi.Output<DashboardCollaboratorResult[]> {
  return collaborators.output(args);
}

const sharing = dataFunction({
  name: "getDashboardSharing",
  scope: "project",
  args: ofDashboard,
  secret: true,
  ask: async ({ get }) =>
    sharingRecord.parse(await get(`${COLLECTION}{dashboardId}/sharing/`, "sharing_configuration:read")),
});

/**
 * Whether a dashboard's public link is open, and its token. The token opens the dashboard to whoever has it: keep
 * what this returns out of outputs, or wrap it by `pulumi.secret`; the `...Output` form does so.
 * `GET /api/projects/:project_id/dashboards/:dashboard_id/sharing/`
 */
export function getDashboardSharing(args: OfDashboardArgs): Promise<DashboardSharingResult> {
  return sharing.call(args);
}
/** {@link getDashboardSharing} of arguments that may be outputs; a secret. */
export function getDashboardSharingOutput(
  args: LiftedArgs<OfDashboardArgs>,
): pulumi.Output<DashboardSharingResult> {
  return sharing.output(args);
}
