import { ROUTES, type Route } from "../../src/emulator";
import { ALAN, asker, bench, closeAll, denied, errorBody, type Bench } from "./support";

afterEach(closeAll);

/** A path of this route with ids of the seeded data where it has any. */
function pathOf({ template }: Route, { emulator }: Bench): string {
  const { POSTHOG_ORGANIZATION_ID, POSTHOG_PROJECT_ID } = emulator.environment;
  return template
    .replace("/api/organizations/:id/", `/api/organizations/${POSTHOG_ORGANIZATION_ID}/`)
    .replace(":organization_id", POSTHOG_ORGANIZATION_ID)
    .replace(":project_id", POSTHOG_PROJECT_ID)
    .replace(":user__uuid", "00000000-0000-4000-8000-000000000000")
    .replace(/:(dashboard_)?id/, "987654");
}

const named = ROUTES.map((route) => ({ name: `${route.method} ${route.template}`, route }));
const open = named.filter(({ route }) => route.scope !== "closed" && route.scope !== "own");
const own = named.filter(({ route }) => route.scope === "own");
const closed = named.filter(({ route }) => route.scope === "closed");

describe("credentials", () => {
  test("none at all is 401 not_authenticated", async () => {
    const { emulator, project } = await bench();
    const answer = await asker(emulator, null)("GET", `${project}/dashboards/`);
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual(
      errorBody("authentication_error", "not_authenticated", "Authentication credentials were not provided."),
    );
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("a wrong key is 401 authentication_failed", async () => {
    const { emulator, project } = await bench();
    const answer = await asker(emulator, "phx_wrong")("GET", `${project}/dashboards/`);
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual(
      errorBody(
        "authentication_error",
        "authentication_failed",
        "Personal API key found in request Authorization header is invalid.",
      ),
    );
  });

  test("are taken from the body and the query too, the first found alone counting", async () => {
    const { emulator, project } = await bench();
    const ask = asker(emulator, null);
    const key = emulator.environment.POSTHOG_API_KEY;
    expect((await ask("GET", `${project}/dashboards/?personal_api_key=${key}`)).status).toBe(200);
    expect((await ask("POST", `${project}/dashboards/`, { personal_api_key: key })).status).toBe(201);
    const both = await asker(emulator, "wrong")("GET", `${project}/dashboards/?personal_api_key=${key}`);
    expect(both.status).toBe(401);
  });

  test("of a deactivated user are invalid", async () => {
    const { emulator, as, project } = await bench();
    const ask = as(ALAN);
    const alan = emulator.store.users.find((user) => user.email === ALAN);
    emulator.store.users.update(alan!, { is_active: false });
    expect((await ask("GET", `${project}/dashboards/`)).status).toBe(401);
  });

  test("are looked at before the body and the method", async () => {
    const { emulator, project } = await bench();
    const ask = asker(emulator, "phx_wrong");
    expect((await ask("POST", `${project}/dashboards/`, "{broken")).status).toBe(401);
    expect((await ask("PUT", `${project}/dashboards/`, {})).status).toBe(401);
  });
});

describe("scopes", () => {
  test.each(open)("$name needs its scope", async ({ route }) => {
    const at = await bench();
    const ask = asker(at.emulator, at.emulator.createKey({ scopes: ["insight:write"] }));
    const answer = await ask(route.method, pathOf(route, at), route.method === "GET" ? undefined : {});
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual(denied(`API key missing required scope '${route.scope}'`));
  });

  test.each(own)("$name is open to every key", async ({ route }) => {
    const at = await bench();
    const ask = asker(at.emulator, at.emulator.createKey({ scopes: ["insight:write"] }));
    expect((await ask(route.method, pathOf(route, at))).status).toBe(200);
  });

  test.each(open)("$name passes with its scope, with write for read, and with *", async ({ route }) => {
    const at = await bench();
    for (const scope of [route.scope, route.scope.replace(":read", ":write"), "*"]) {
      const ask = asker(at.emulator, at.emulator.createKey({ scopes: [scope] }));
      const answer = await ask(route.method, pathOf(route, at), route.method === "GET" ? undefined : {});
      expect([scope, answer.json?.detail]).toEqual([scope, expect.not.stringContaining("API")]);
      // A DELETE of the organization in the first round takes away what the others would see.
      if (route.template === "/api/organizations/:id/" && route.method === "DELETE") break;
    }
  });

  test.each(closed)("$name is closed to every scoped key", async ({ route }) => {
    const at = await bench();
    for (const scopes of [
      ["*"],
      ["dashboard:write", "batch_export:write", "organization:write", "plugin:write"],
    ]) {
      const ask = asker(at.emulator, at.emulator.createKey({ scopes }));
      const answer = await ask(route.method, pathOf(route, at), route.method === "GET" ? undefined : {});
      expect(answer.status).toBe(403);
      expect(answer.json).toEqual(denied("This action does not support Personal API Key access"));
    }
    const legacy = await at.ask(route.method, pathOf(route, at), route.method === "GET" ? undefined : {});
    expect(legacy.status).not.toBe(403);
  });

  test("a method that a path does not have: 405 for a legacy key, refused access for a scoped one", async () => {
    const { emulator, ask, organization } = await bench();
    const legacy = await ask("GET", `${organization}/invites/00000000-0000-4000-8000-000000000000/`);
    expect(legacy.status).toBe(405);
    expect(legacy.json).toEqual(
      errorBody("invalid_request", "method_not_allowed", 'Method "GET" not allowed.'),
    );
    const scoped = asker(emulator, emulator.createKey({ scopes: ["*"] }));
    expect(
      (await scoped("GET", `${organization}/invites/00000000-0000-4000-8000-000000000000/`)).status,
    ).toBe(403);
  });

  test("reading does not allow writing", async () => {
    const { emulator, project } = await bench();
    const ask = asker(emulator, emulator.createKey({ scopes: ["dashboard:read"] }));
    expect((await ask("GET", `${project}/dashboards/`)).status).toBe(200);
    expect((await ask("POST", `${project}/dashboards/`, {})).status).toBe(403);
  });
});

describe("restricted keys", () => {
  test("a key for one project reaches no other, and no organization endpoint", async () => {
    const { emulator, organization } = await bench();
    const ask = asker(emulator, emulator.createKey({ scopes: ["*"], projects: [1] }));
    expect((await ask("GET", "/api/projects/1/dashboards/")).status).toBe(200);
    const other = await ask("GET", "/api/projects/2/dashboards/");
    expect(other.json).toEqual(denied("API key does not have access to the requested project: ID 2."));
    const message = "API keys with scoped projects are only supported on project-based endpoints.";
    expect((await ask("GET", `${organization}/members/`)).json).toEqual(denied(message));
    expect((await ask("GET", "/api/organizations/")).json).toEqual(denied(message));
    expect((await ask("GET", "/api/users/@me/")).status).toBe(200);
  });

  test("a key for one organization reaches no other", async () => {
    const { emulator, ask, organization } = await bench();
    const { json } = await ask("POST", "/api/organizations/", { name: "Second" });
    const id = emulator.environment.POSTHOG_ORGANIZATION_ID;
    const restricted = asker(emulator, emulator.createKey({ scopes: ["*"], organizations: [id] }));
    expect((await restricted("GET", `${organization}/members/`)).status).toBe(200);
    expect((await restricted("GET", "/api/projects/1/dashboards/")).status).toBe(200);
    for (const path of [`/api/organizations/${json.id}/`, `/api/organizations/${json.id}/members/`]) {
      const answer = await restricted("GET", path);
      expect(answer.status).toBe(403);
      expect(answer.json).toEqual(
        denied(`API key does not have access to the requested organization: ID ${json.id}.`),
      );
    }
  });

  test("a legacy key is not held back by restrictions", async () => {
    const { emulator } = await bench();
    const ask = asker(emulator, emulator.createKey({ scopes: null, projects: [1] }));
    expect((await ask("GET", "/api/projects/2/dashboards/")).status).toBe(200);
  });
});

describe("membership", () => {
  test("foreign organizations: 403 below them, 404 themselves; unknown ones: 404", async () => {
    const { emulator, as } = await bench();
    const foreign = await as("grace@example.com")("POST", "/api/organizations/", { name: "Hers" });
    const ask = as(ALAN);
    expect((await ask("GET", `/api/organizations/${foreign.json.id}/members/`)).json).toEqual(denied());
    expect((await ask("GET", `/api/organizations/${foreign.json.id}/`)).json).toEqual(
      errorBody("invalid_request", "not_found", "Not found."),
    );
    const unknown = await ask("GET", "/api/organizations/00000000-0000-4000-8000-000000000000/members/");
    expect(unknown.status).toBe(404);
    expect(unknown.json).toEqual(errorBody("invalid_request", "not_found", "Organization not found."));
    expect(emulator.requests.at(-1)).toMatchObject({ status: 404 });
  });

  test("foreign projects: 403; unknown ones, in numbers or letters: 404", async () => {
    const { as } = await bench();
    const foreign = await as("grace@example.com")("POST", "/api/organizations/", { name: "Hers" });
    const ask = as(ALAN);
    const answer = await ask("GET", `/api/projects/${foreign.json.teams[0].id}/dashboards/`);
    expect(answer.json).toEqual(denied("You don't have access to the project."));
    for (const id of ["99999", "abc"]) {
      const missing = await ask("GET", `/api/projects/${id}/dashboards/`);
      expect(missing.status).toBe(404);
      expect(missing.json).toEqual(errorBody("invalid_request", "not_found", "Project not found."));
    }
  });

  test.each([
    ["documented", 404],
    ["upstream", 500],
  ] as const)("an organization id that is no UUID (%s)", async (shapes, status) => {
    const { ask } = await bench({ shapes });
    expect((await ask("GET", "/api/organizations/nonsense/members/")).status).toBe(status);
  });

  test("@current stands for what the key's owner has open", async () => {
    const { ask, emulator } = await bench();
    const first = emulator.environment.POSTHOG_ORGANIZATION_ID;
    expect((await ask("GET", "/api/organizations/@current/")).json.id).toBe(first);
    const { json: second } = await ask("POST", "/api/organizations/", { name: "Second" });
    expect((await ask("GET", "/api/organizations/@current/")).json.id).toBe(second.id);
    expect((await ask("GET", "/api/projects/@current/")).json.id).toBe(second.teams[0].id);
    await ask("PATCH", "/api/users/@me/", { set_current_organization: first });
    expect((await ask("GET", "/api/organizations/@current/")).json.id).toBe(first);
    expect((await ask("GET", "/api/projects/@current/")).json.id).toBe(1);
  });
});
