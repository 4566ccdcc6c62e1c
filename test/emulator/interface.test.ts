import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ROUTES } from "../../src/emulator";
import { bench, closeAll, type Bench } from "./support";

/** The interface document's own tables, against the routes that the emulator declares. */

interface Endpoint {
  readonly method: string;
  readonly path: string;
  /** As the table states it: a scope, or `see Authentication`. */
  readonly scope: string;
}

const document = readFileSync(join(__dirname, "..", "interface.md"), "utf8");

function endpointsOf(text: string): Endpoint[] {
  const rows = [...text.matchAll(/^\| (GET|POST|PATCH|PUT|DELETE) \| `([^`]+)` \| ([^|]+) \|/gm)];
  return rows.flatMap(([, method = "", path = "", scope = ""]) => {
    const kinds = path.includes("{kind}") ? ["pipeline_destinations", "pipeline_frontend_apps"] : [""];
    return kinds.map((kind) => ({ method, path: path.replace("{kind}", kind), scope: scope.trim() }));
  });
}

const endpoints = endpointsOf(document);

afterEach(closeAll);

test("the document lists 66 management endpoints", () => {
  expect(endpoints).toHaveLength(66);
  expect(new Set(endpoints.map(({ method, path }) => `${method} ${path}`)).size).toBe(66);
});

test.each(endpoints)("$method $path has a route with the scope stated", ({ method, path, scope }) => {
  const route = ROUTES.find((candidate) => candidate.method === method && candidate.template === path);
  expect(route?.scope).toBe(scope === "see Authentication" ? "closed" : scope);
});

test.each(endpoints)("$method $path is answered, not unknown", async ({ method, path }) => {
  const { emulator, ask } = await bench();
  const concrete = path
    .replace(":project_id", emulator.environment.POSTHOG_PROJECT_ID)
    .replace(":organization_id", emulator.environment.POSTHOG_ORGANIZATION_ID)
    .replace(":user__uuid", "00000000-0000-4000-8000-000000000000")
    .replace(/:(dashboard_)?id/, "987654");
  const { status } = await ask(method, concrete, method === "GET" || method === "DELETE" ? undefined : {});
  expect(emulator.unknownRoutes).toEqual([]);
  expect(emulator.requests.at(-1)).toMatchObject({ method, template: path, status });
  // A malformed path would fail inside of the emulator; nothing that the document lists may.
  if (!path.includes("create_from_template_json") && !path.includes("move_tile"))
    expect(status).toBeLessThan(500);
});

describe("DELETE of a dashboard", () => {
  test.each([
    ["existing", 1],
    ["unknown", 987654],
  ])("is refused for an %s one, with status 405 and an empty body", async (_, id) => {
    const { ask, project } = await bench();
    await ask("POST", `${project}/dashboards/`, { name: "kept" });
    const answer = await ask("DELETE", `${project}/dashboards/${id}/`);
    expect(answer.status).toBe(405);
    expect(answer.text).toBe("");
    expect((await ask("GET", `${project}/dashboards/1/`)).status).toBe(200);
  });
});

describe("the batch capture endpoint, the 67th", () => {
  test.each(["/batch/", "/batch"])("takes an event at %s", async (path) => {
    const { emulator, ask } = await bench();
    const event = { event: "$pageview", properties: { distinct_id: "a" }, timestamp: "2024-01-01T00:00:00Z" };
    const body = {
      api_key: emulator.environment.POSTHOG_PROJECT_API_KEY,
      historical_migration: true,
      batch: [event],
    };
    expect((await ask("POST", path, body)).status).toBe(200);
    expect(emulator.requests.at(-1)).toMatchObject({ template: "/batch/", status: 200 });
  });
});

/** Every field that a table of the document names must be in the answers; upstream's shapes lack what is only written. */
describe("fields of the records", () => {
  const WRITE_ONLY: Readonly<Record<string, readonly string[]>> = {
    Dashboard: ["use_template", "use_dashboard", "delete_insights"],
    "Dashboard collaborator": ["user_uuid"],
    "Batch export": ["hogql_query"],
    Invite: ["send_email"],
  };

  function fieldsOf(record: string): string[] {
    const section = document.split(`### ${record}\n`)[1]?.split("\n### ")[0]?.split("Writable")[0] ?? "";
    const rows = [...section.matchAll(/^\| ([a-z0-9_]+) \|/gm)].map((match) => match[1] ?? "");
    return rows;
  }

  async function collaborator({ ask, project, emulator }: Bench) {
    const { json } = await ask("POST", `${project}/dashboards/`, { restriction_level: 37 });
    const user = emulator.store.users.find((row) => row.email === "alan@example.com");
    return ask("POST", `${project}/dashboards/${json.id}/collaborators/`, {
      level: 37,
      user_uuid: user?.uuid,
    });
  }

  const records: [string, (bench: Bench) => Promise<{ json: object }>][] = [
    ["Dashboard", ({ ask, project }) => ask("POST", `${project}/dashboards/`, {})],
    ["Dashboard collaborator", collaborator],
    [
      "Dashboard sharing configuration",
      async ({ ask, project }) => {
        await ask("POST", `${project}/dashboards/`, {});
        return ask("GET", `${project}/dashboards/1/sharing/`);
      },
    ],
    ["Organization", ({ ask, organization }) => ask("GET", `${organization}/`)],
    [
      "Batch export",
      ({ ask, organization }) =>
        ask("POST", `${organization}/batch_exports/`, {
          name: "n",
          interval: "hour",
          destination: { type: "S3", config: { bucket_name: "b", region: "r", prefix: "p" } },
        }),
    ],
    ["Domain", ({ ask, organization }) => ask("POST", `${organization}/domains/`, { domain: "example.org" })],
    [
      "Invite",
      ({ ask, organization }) => ask("POST", `${organization}/invites/`, { target_email: "x@example.org" }),
    ],
    [
      "Member",
      async ({ ask, organization }) => ({
        json: (await ask("GET", `${organization}/members/`)).json.results[0],
      }),
    ],
    [
      "Plugin (pipeline destination, frontend app, import app)",
      ({ ask, organization }) => ask("POST", `${organization}/pipeline_destinations/`, { name: "n" }),
    ],
  ];

  test.each(records)("%s", async (record, make) => {
    const fields = fieldsOf(record);
    expect(fields.length).toBeGreaterThan(2);
    expect(Object.keys((await make(await bench())).json)).toEqual(expect.arrayContaining(fields));
    const { json } = await make(await bench({ shapes: "upstream" }));
    for (const name of WRITE_ONLY[record] ?? []) expect(json).not.toHaveProperty(name);
  });
});
