import { ApiClient } from "../../src/client/client";
import { closeConnections } from "../../src/client/transport";
import { declare } from "../../src/generate/declare";
import { readExisting } from "../../src/generate/read";
import { TestServer } from "../client/server";

const ORGANIZATION = "0190c7aa-0000-0000-0000-00000000000b";
const PERSON = "0190c7aa-0000-0000-0000-00000000000c";

/* A service whose lists say less of an object than the object by itself. */
const dashboard = { id: 5, name: "Board", restriction_level: 37, tags: ["team:data"], filters: {} };
const lake = {
  id: "0190c7aa-0000-0000-0000-00000000000d",
  name: "Lake",
  interval: "day",
  destination: { type: "NoOp", config: {} },
};

function answerTo(path: string): unknown {
  const page = (one: Readonly<Record<string, unknown>>, shown: readonly string[]) => ({
    next: null,
    results: [Object.fromEntries(Object.entries(one).filter(([name]) => shown.includes(name)))],
  });
  if (path.endsWith("/collaborators/")) return [{ id: "c", user: { uuid: PERSON }, level: 37 }];
  if (path.endsWith("/dashboards/")) return page(dashboard, ["id", "name"]);
  if (path.endsWith("/batch_exports/")) return page(lake, ["id", "name"]);
  if (path.endsWith("/dashboards/5/")) return dashboard;
  if (path.endsWith(`/batch_exports/${lake.id}/`)) return lake;
  return { id: ORGANIZATION, name: "Acme", teams: [{ id: 1, name: "Web" }] };
}

let server: TestServer;
beforeEach(async () => {
  server = await TestServer.start(({ path }) => ({ json: answerTo(path) }));
  process.env["POSTHOG_HOST"] = server.url;
  process.env["POSTHOG_API_KEY"] = "phx_short";
});
afterEach(async () => {
  delete process.env["POSTHOG_HOST"];
  delete process.env["POSTHOG_API_KEY"];
  await closeConnections();
  await server.close();
});

async function read(listsOnly: boolean) {
  const { existing } = await readExisting({
    client: new ApiClient({ host: server.url, apiKey: "phx_short" }),
    organization: ORGANIZATION,
    selection: { kinds: ["DashboardCollaborator", "BatchExport"], names: [], tags: [], projects: [] },
    listsOnly,
    known: new Set(),
    progress: () => undefined,
  });
  return existing.map((one) => [one.kind.type, declare(one, { defaults: false })]);
}

test("what a list leaves out is asked for, object by object", async () => {
  expect(await read(false)).toMatchObject([
    ["Dashboard", { args: { name: "Board", restrictionLevel: 37, tags: ["team:data"] } }],
    ["DashboardCollaborator", { args: { userUuid: PERSON } }],
    ["BatchExport", { args: { name: "Lake", destination: { type: "NoOp" } } }],
  ]);
});

test("unless lists have to do", async () => {
  expect((await read(true)).map(([type]) => type)).toEqual(["Dashboard", "BatchExport"]);
});
