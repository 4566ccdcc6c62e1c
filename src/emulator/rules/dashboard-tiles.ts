import type { Call } from "../http/call";
import { crash, invalid } from "../http/errors";
import { randomToken } from "../world/identity";
import { isObject, isTruthy, type Json, type JsonObject } from "../fields/json";
import type { Dashboard, Tile } from "../store/entities";
import type { World } from "../world/world";

/** Tiles of dashboards: the cards, insights or texts, that they show. */

export function tilesOf(world: World, dashboard: Dashboard): Tile[] {
  return world.store.tiles.filter((tile) => tile.dashboard_id === dashboard.id);
}

/** Makes the tiles that a template describes; a tile of an unknown type is left out, as upstream does. */
export function addTemplateTile(call: Call, dashboard: Dashboard, tile: JsonObject): void {
  const { store, time } = call.world;
  const { type, name = null, description = null, filters = {}, query = null, body = null } = tile;
  let insightId: number | null = null;
  let textId: number | null = null;
  if (type === "INSIGHT") {
    insightId = store.insights.insert({
      id: store.insights.nextId(),
      short_id: randomToken("", 8),
      project_id: dashboard.project_id,
      name: typeof name === "string" ? name : null,
      description: typeof description === "string" ? description : null,
      filters: query === null ? filters : {},
      query,
      deleted: false,
      created_at: time,
      created_by_id: null,
    }).id;
  } else if (type === "TEXT") {
    textId = store.texts.insert({
      id: store.texts.nextId(),
      project_id: dashboard.project_id,
      body: typeof body === "string" ? body : null,
      created_by_id: null,
      last_modified_by_id: null,
      last_modified_at: time,
    }).id;
  } else {
    return;
  }
  const { color = null, layouts = {} } = tile;
  addTile(call.world, dashboard, { insight_id: insightId, text_id: textId, color, layouts: layouts ?? {} });
}

function addTile(
  world: World,
  dashboard: Dashboard,
  tile: Pick<Tile, "insight_id" | "text_id" | "color" | "layouts">,
): Tile {
  return world.store.tiles.insert({
    id: world.store.tiles.nextId(),
    dashboard_id: dashboard.id,
    deleted: false,
    ...tile,
  });
}

/** Copies the tiles of another dashboard: as references to the same cards, or with cards of their own. */
export function copyTiles(call: Call, from: Dashboard, to: Dashboard, deep: boolean): void {
  const { store, time } = call.world;
  for (const tile of tilesOf(call.world, from).filter((row) => !row.deleted)) {
    let { insight_id: insightId, text_id: textId } = tile;
    if (deep && insightId !== null) {
      const original = store.insights.require(insightId);
      insightId = store.insights.insert({
        ...original,
        id: store.insights.nextId(),
        short_id: randomToken("", 8),
        name: original.name ? `${original.name} (Copy)` : null,
        created_at: time,
        created_by_id: call.user.id,
      }).id;
    } else if (deep && textId !== null) {
      textId = store.texts.insert({ ...store.texts.require(textId), id: store.texts.nextId() }).id;
    }
    addTile(call.world, to, {
      insight_id: insightId,
      text_id: textId,
      color: tile.color,
      layouts: tile.layouts,
    });
  }
}

/** Soft-deletes the tiles with their dashboard, and on request the insights that no other dashboard shows. */
export function deleteTiles(world: World, dashboard: Dashboard, deleteInsights: boolean): void {
  const { store } = world;
  for (const tile of tilesOf(world, dashboard)) {
    const { insight_id: insightId } = tile;
    if (deleteInsights && insightId !== null) {
      const shownOn = store.tiles.filter((row) => row.insight_id === insightId && !row.deleted);
      if (shownOn.length === 1) store.insights.update(store.insights.require(insightId), { deleted: true });
    }
    store.tiles.update(tile, { deleted: true });
  }
}

export function restoreTiles(world: World, dashboard: Dashboard): void {
  const { store } = world;
  for (const tile of tilesOf(world, dashboard)) {
    store.tiles.update(tile, { deleted: false });
    if (tile.insight_id !== null)
      store.insights.update(store.insights.require(tile.insight_id), { deleted: false });
  }
}

/** The `tiles` of a PATCH: texts are made or changed, other tiles only coloured, laid out or removed. */
export function upsertTiles(call: Call, dashboard: Dashboard, tiles: Json): void {
  if (!isTruthy(tiles)) return;
  if (!Array.isArray(tiles) || !tiles.every(isObject))
    throw crash("upstream expects tiles to be a list of objects");
  for (const tile of tiles) upsertTile(call, dashboard, tile);
}

function upsertTile(call: Call, dashboard: Dashboard, given: JsonObject): void {
  const { store, time } = call.world;
  const known = typeof given["id"] === "number" ? store.tiles.get(given["id"]) : undefined;
  const changes: Partial<Tile> = {};
  if ("color" in given) changes.color = given["color"] ?? null;
  if ("layouts" in given) changes.layouts = given["layouts"] ?? {};
  if ("deleted" in given) changes.deleted = isTruthy(given["deleted"]);

  const { text } = given;
  if (isTruthy(text)) {
    if (!isObject(text)) throw crash("upstream takes a tile's text for an object");
    const { body = null } = text;
    if (typeof body === "string" && body.length > 4000) {
      throw invalid("Text body cannot exceed 4000 characters", "body", "invalid_input");
    }
    const oldText = typeof text["id"] === "number" ? store.texts.get(text["id"]) : undefined;
    const fields = { body: typeof body === "string" ? body : null, last_modified_at: time };
    const card = oldText
      ? store.texts.update(oldText, { ...fields, last_modified_by_id: call.user.id })
      : store.texts.insert({
          id: store.texts.nextId(),
          project_id: dashboard.project_id,
          created_by_id: call.user.id,
          last_modified_by_id: null,
          ...fields,
        });
    changes.text_id = card.id;
  } else if (!("deleted" in given || "color" in given || "layouts" in given)) {
    return;
  }

  if (known) {
    store.tiles.update(known, { ...changes, dashboard_id: dashboard.id });
  } else {
    const { text_id, color = null, layouts = {} } = changes;
    if (text_id === undefined) throw crash("the database takes no tile without an insight or a text");
    const tile = addTile(call.world, dashboard, { insight_id: null, text_id, color, layouts });
    if (changes.deleted) store.tiles.update(tile, { deleted: true });
  }
}
