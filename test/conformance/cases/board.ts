import type { Args, ArgumentCase, KindCases, Site } from "./case";

/* What hangs on dashboards: who may edit a closed one, and tiles that move from one to another. */

const DASHBOARDS = "/api/projects/$project/dashboards/";
const person = (slug: string) => `${slug}@collaborators.example`;
const closed = { restriction_level: 37 };

const inProject = (foreign: Args, takenOut: Args = {}): ArgumentCase => ({
  argument: "projectId",
  field: "project_id",
  first: { $world: "project" },
  second: { $world: "otherProject" },
  along: [{}, foreign, takenOut],
  creation: "path",
  update: "replacement",
  cleared: "replacement",
});

export const dashboardCollaborator: KindCases = {
  kind: "DashboardCollaborator",
  path: `${DASHBOARDS}$closedBoard/collaborators/`,
  existing: { why: "test/resources/dashboard-collaborator.test.ts has it" },
  base: (slug) => ({ dashboardId: { $world: "closedBoard" }, userUuid: { $world: person(slug) } }),
  marker: "userUuid",
  order: "old first",
  removal: ["DELETE", ""],
  async prepare({ emulator, made, values }, slugs) {
    const { project, otherProject } = values;
    const board = async (where: unknown) =>
      Number((await made(`/api/projects/${String(where)}/dashboards/`, closed))["id"]);
    const people = [...slugs, "another"].map((slug) => {
      const { user } = emulator.addMember({ email: person(slug) });
      return [person(slug), user.uuid];
    });
    return {
      closedBoard: await board(project),
      otherClosedBoard: await board(project),
      foreignClosedBoard: await board(otherProject),
      ...Object.fromEntries(people),
    };
  },
  arguments: [
    inProject({ dashboardId: { $world: "foreignClosedBoard" } }),
    {
      argument: "dashboardId",
      field: "dashboard_id",
      first: { $world: "closedBoard" },
      second: { $world: "otherClosedBoard" },
      creation: "path",
      update: "replacement",
      cleared: "required",
    },
    {
      argument: "userUuid",
      field: "user_uuid",
      first: { $world: person("useruuid") },
      second: { $world: person("another") },
      update: "replacement",
      cleared: "required",
    },
    {
      argument: "level",
      field: "level",
      first: 37,
      second: 37,
      update: { why: "37 is the only level that the service gives" },
      cleared: { why: "it is sent where it is not declared, too" },
    },
  ],
};

const tile = (slug: string) => `tile of ${slug}`;

export const dashboardTileMove: KindCases = {
  kind: "DashboardTileMove",
  path: DASHBOARDS,
  existing: { why: "it is an action" },
  base: (slug) => ({
    dashboardId: { $world: "draft" },
    tileId: { $world: tile(slug) },
    toDashboardId: { $world: "board" },
  }),
  marker: "tileId",
  creation: /^PATCH .*\/dashboards\/\d+\/move_tile\/$/,
  order: "new first",
  removal: {
    why: "a move has been made, whatever becomes of the tile: where it is now is no part of the move",
  },
  destroyed: { why: "nothing is moved back" },
  async prepare({ made, values }, slugs) {
    const { project, otherProject } = values;
    const drafted = (where: unknown, names: readonly string[]) => draft(made, where, names);
    const [own, other, foreign, board, otherBoard, foreignBoard] = [
      await drafted(project, [...slugs, "another", "the way back"]),
      await drafted(project, ["other draft"]),
      await drafted(otherProject, ["foreign draft"]),
      await drafted(project, ["board"]),
      await drafted(project, ["other board"]),
      await drafted(otherProject, ["foreign board"]),
    ];
    return {
      ...own.tiles,
      ...other.tiles,
      ...foreign.tiles,
      draft: own.id,
      otherDraft: other.id,
      foreignDraft: foreign.id,
      board: board.id,
      otherBoard: otherBoard.id,
      foreignBoard: foreignBoard.id,
    };
  },
  arguments: [
    inProject(
      {
        dashboardId: { $world: "foreignDraft" },
        tileId: { $world: tile("foreign draft") },
        toDashboardId: { $world: "foreignBoard" },
      },
      { tileId: { $world: tile("the way back") } },
    ),
    {
      argument: "dashboardId",
      field: "dashboard_id",
      first: { $world: "draft" },
      second: { $world: "otherDraft" },
      along: [{}, { tileId: { $world: tile("other draft") } }],
      creation: "path",
      update: "replacement",
      cleared: "required",
    },
    {
      argument: "tileId",
      field: "tile",
      first: { $world: tile("tileid") },
      second: { $world: tile("another") },
      sent: [{ id: { $world: tile("tileid") } }, { id: { $world: tile("another") } }],
      update: "replacement",
      cleared: "required",
    },
    {
      argument: "toDashboardId",
      field: "toDashboard",
      first: { $world: "board" },
      second: { $world: "otherBoard" },
      along: [{}, { dashboardId: { $world: "board" } }],
      update: "replacement",
      cleared: "required",
    },
  ],
};

/** Makes a dashboard with a text for each name; the numbers of its tiles by what {@link tile} calls them. */
async function draft(
  made: Site["made"],
  project: unknown,
  names: readonly string[],
): Promise<{ id: number; tiles: Record<string, number> }> {
  const path = `/api/projects/${String(project)}/dashboards/create_from_template_json/`;
  const answer = await made(path, {
    template: {
      template_name: "Draft",
      dashboard_description: "",
      dashboard_filters: {},
      tiles: names.map((body) => ({ type: "TEXT", body, layouts: {} })),
    },
  });
  const tiles = answer["tiles"] as { id: number; text: { body: string } }[]; // what a template's texts become
  return {
    id: Number(answer["id"]),
    tiles: Object.fromEntries(tiles.map(({ id, text }) => [tile(text.body), id])),
  };
}
