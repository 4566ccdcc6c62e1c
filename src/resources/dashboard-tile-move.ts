import { PostHogError } from "../client/errors";
import { asObject } from "../engine/requests/collection-remote";
import { definition, defineResource } from "../engine/program/define";
import { numericId, projectNumber } from "../engine/values/fields";
import { isObject, type Props } from "../engine/values/json";
import { numberOf } from "../engine/values/lenient";
import type { Call, Found } from "../engine/requests/remote";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { refuseAdoption, refuseLookup } from "./actions";

const inputs = {
  /** Id of the project. Default: `posthog:projectId`, `POSTHOG_PROJECT_ID`. A change moves again. */
  projectId: projectNumber().optional(),
  /** Number of the dashboard that has the tile, or the `id` of its `Dashboard`. A change moves again. */
  dashboardId: numericId(),
  /** Number of the tile, as the dashboard's tiles have it. A change moves another tile. */
  tileId: numericId(),
  /** Number of the dashboard that gets the tile, or the `id` of its `Dashboard`. A change moves again. */
  toDashboardId: numericId(),
};

/** The kind `DashboardTileMove`: done once, and then it is what its state says. */
export const dashboardTileMove = definition({
  type: "DashboardTileMove",
  inputs,
  outputs: {},
  scope: "project",
  path: "/api/projects/{projectId}/dashboards/",
  keyScope: "dashboard",
  update: "none",
  replaceOnChanges: ["projectId", "dashboardId", "tileId", "toDashboardId"],
  clears: {},
  refine: (args) => [
    ...refuseAdoption(args, "a move"),
    ...(args["dashboardId"] !== undefined && args["dashboardId"] === args["toDashboardId"]
      ? [{ argument: "toDashboardId", reason: "must be another dashboard than dashboardId" }]
      : []),
  ],
  remote: {
    create: move,
    find(_call, id, stored) {
      refuseLookup(stored, "tileId", "DashboardTileMove");
      return Promise.resolve({ id, object: {} });
    },
    delete: () => Promise.resolve(),
  },
});

/**
 * The service answers 404 or fails where the tile is not on the dashboard any more: after a lost answer, or where
 * someone has moved it by hand since the action is closed to the key. Where the tile is tells what a failure means.
 */
async function move(call: Call, args: Props): Promise<Found> {
  const { dashboardId, tileId, toDashboardId } = args;
  const done = { id: `${String(dashboardId)}/${String(tileId)}/${String(toDashboardId)}`, object: {} };
  const body = { tile: { id: tileId }, toDashboard: toDashboardId };
  try {
    await call.client.patch(`${call.path}${String(dashboardId)}/move_tile/`, call.writing(body));
  } catch (error) {
    if (!PostHogError.isInstance(error) || !(await isOn(call, tileId, toDashboardId))) throw error;
    call.warn(`tile ${String(tileId)} is on dashboard ${String(toDashboardId)} already`);
  } finally {
    call.collection.invalidate();
  }
  return done;
}

async function isOn(call: Call, tileId: unknown, dashboardId: unknown): Promise<boolean> {
  try {
    const tiles = asObject(await call.client.get(`${call.path}${String(dashboardId)}/`, call.reading))?.[
      "tiles"
    ];
    return Array.isArray(tiles) && tiles.some((tile) => isObject(tile) && numberOf(tile["id"]) === tileId);
  } catch {
    // What the first request said is what the person has to read.
    return false;
  }
}

/** Arguments of {@link DashboardTileMove}. */
export interface DashboardTileMoveArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link DashboardTileMove}. */
export interface DashboardTileMoveOutputs extends OutputsOf<typeof inputs> {}

/**
 * Moves a tile from one dashboard to another, once. Removing it from the program moves nothing back; a change of any
 * argument is another move.
 *
 * Endpoint: `PATCH /api/projects/:project_id/dashboards/:id/move_tile/`, which PostHog closes to API keys with scopes.
 *
 * @remarks Ids of tiles are in what `getDashboard` answers.
 * @destroy nothing
 *
 * @example
 * const draft = posthog.Dashboard.get("draft", "12");
 * const board = new posthog.Dashboard("signups", { name: "Sign-ups" });
 * new posthog.DashboardTileMove("signups", { dashboardId: draft.id, tileId: 34, toDashboardId: board.id });
 */
export class DashboardTileMove extends defineResource<DashboardTileMoveArgs, DashboardTileMoveOutputs>(
  dashboardTileMove,
) {}
