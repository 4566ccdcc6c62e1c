import { inspect } from "node:util";
import { ApiClient } from "../../src/client/client";
import { Collection } from "../../src/client/collection";
import { NotFoundError, PostHogError, ResponseError, isAmbiguous } from "../../src/client/errors";
import { closeConnections } from "../../src/client/transport";
import { jumping } from "./clock";
import { TestServer, type Answer, type Seen } from "./server";

const KEY = "phx_marker_of_the_key";
const servers: TestServer[] = [];

async function serve(answer: (seen: Seen, count: number) => Answer, connection?: string) {
  const server = await TestServer.start(answer);
  servers.push(server);
  const { surroundings } = jumping();
  const named = connection === undefined ? {} : { connection };
  return { server, client: new ApiClient({ host: server.url, apiKey: KEY, ...named }, surroundings) };
}

async function failure(promise: Promise<unknown>): Promise<PostHogError> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (!PostHogError.isInstance(error)) throw new Error(`expected one of our errors, got ${String(error)}`);
  return error;
}

afterEach(async () => {
  await closeConnections();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe("an empty answer", () => {
  const cases: [string, "get" | "post" | "patch" | "delete", number, boolean][] = [
    ["to a deletion", "delete", 204, true],
    ["to a deletion, with 200", "delete", 200, true],
    ["to an action", "post", 200, true],
    ["to a creation: lost on its way", "post", 201, false],
    ["to a read: lost on its way, not an object that is gone", "get", 200, false],
  ];
  it.each(cases)("%s", async (_, method, status, fine) => {
    const { client } = await serve(() => ({ status }));
    const answered = client[method]("/api/x/");
    if (fine) {
      expect(await answered).toBeUndefined();
      return;
    }
    const error = await failure(answered);
    expect(error).toBeInstanceOf(ResponseError);
    expect(isAmbiguous(error)).toBe(true);
  });
});

describe("a redirect", () => {
  it("is followed by nobody, asked for once, and had no effect", async () => {
    const other = await serve(() => ({ json: {} }));
    const { client, server } = await serve(() => ({
      status: 307,
      headers: { location: `${other.server.url}/x` },
    }));
    for (const method of ["get", "post", "patch", "delete"] as const) {
      const error = await failure(client[method]("/api/x/"));
      expect(error.message).toContain(other.server.url);
      expect(isAmbiguous(error)).toBe(false);
    }
    expect(server.seen.length).toBe(4);
    expect(other.server.seen).toEqual([]);
  });
});

describe("a proxy's page", () => {
  const page = (status: number): Answer => ({ status, text: "<html><h1>Access blocked</h1></html>" });
  it.each([400, 401, 403, 404, 405, 502])("with %d is no answer of PostHog's", async (status) => {
    const { client } = await serve(() => page(status));
    const { message } = await failure(client.patch("/api/x/", { body: {}, scope: "dashboard:write" }));
    expect(message).toMatch(/a web page: Access blocked/);
    expect(message).toMatch(/not PostHog that answers but a proxy or firewall/);
    expect(message).not.toMatch(/scope|pulumi config/);
  });

  it("with 404 does not mean that an object is gone", async () => {
    const { client } = await serve(() => page(404));
    const spec = { path: "/api/x/", single: true, idOf: () => "" };
    const error = await failure(new Collection(client, "/api/x/").read("1", spec, {}));
    expect(error).toBeInstanceOf(NotFoundError);
  });

  it("instead of JSON is asked for again, but not for long", async () => {
    const { client, server } = await serve(() => page(200));
    expect((await failure(client.get("/api/x/"))).message).toMatch(/something other than JSON/);
    expect(server.seen.length).toBe(3);
    const healing = await serve((_, count) => (count === 1 ? page(200) : { json: { id: 1 } }));
    expect(await healing.client.get("/api/x/")).toEqual({ id: 1 });
  });
});

describe("hints", () => {
  it("name the settings of the connection that was used", async () => {
    const { client } = await serve(() => ({ status: 401, json: { detail: "invalid" } }), "eu");
    const subject = { kind: "Dashboard", name: "growth", verb: "reading" };
    const { message } = await failure(client.get("/api/x/", { subject }));
    expect(message).toContain("pulumi config set --secret --path posthog:connections.eu.apiKey");
    expect(message).toContain("pulumi refresh --run-program");
    expect(message).not.toContain("POSTHOG_API_KEY");
  });

  it.each([
    ["reading a resource", { verb: "reading", name: "growth" }, true],
    ["deleting a resource", { verb: "deleting", name: "growth" }, true],
    ["creating a resource", { verb: "creating", name: "growth" }, false],
    ["updating a resource", { verb: "updating", name: "growth" }, false],
    ["reading what is no resource yet", { verb: "reading" }, false],
  ])("where %s fails tell of the stored configuration only if it was used", async (_, about, told) => {
    const { client } = await serve(() => ({ status: 401, json: { detail: "invalid" } }));
    const { message } = await failure(client.get("/api/x/", { subject: { kind: "Dashboard", ...about } }));
    expect(message).toMatch(/Make one under Settings/);
    expect(message.includes("configuration of the last pulumi up")).toBe(told);
  });

  it.each([
    ["77", false],
    ["default", true],
  ])("where there is no project %s tell what an id looks like: %s", async (id, told) => {
    const { client } = await serve(() => ({ status: 404, json: { detail: "Project not found." } }));
    const { message } = await failure(client.get(`/api/projects/${id}/dashboards/`));
    expect(message).toMatch(/no such project.*Correct projectId/);
    expect(message.includes("/project/1")).toBe(told);
  });

  it("name the scope that the service says is missing", async () => {
    const { client } = await serve(() => ({
      status: 403,
      json: { detail: "API key missing required scope 'organization_member:write'" },
    }));
    const { message } = await failure(client.get("/api/x/", { scope: "organization:read" }));
    expect(message).toContain("Add the scope organization_member:write");
  });
});

describe("secrets", () => {
  const SECRET = 'hunter"2/\\secret';
  const body = { destination: { config: { aws_secret_access_key: SECRET } } };
  const echo = `${KEY} and ${SECRET}`;
  const cases: [string, Answer][] = [
    ["as detail", { status: 400, json: { detail: `bad ${echo}`, attr: KEY, type: KEY, code: KEY } }],
    ["as a field", { status: 400, json: { name: [echo] } }],
    ["as text", { status: 400, text: echo }],
    ["as a proxy's page", { status: 502, text: `<p>${echo}</p>` }],
    ["as a page of success", { status: 200, text: `<p>${echo}</p>` }],
    ["as something that is no JSON", { status: 200, text: `{${echo}` }],
    ["as a redirect", { status: 302, headers: { location: `https://${KEY}.example/${KEY}` } }],
    ["as a redirect's user", { status: 302, headers: { location: `https://u:${KEY}@h.example/` } }],
    ["as an address of the rest", { status: 400, text: encodeURIComponent(echo) }],
  ];
  it.each(cases)("echoed %s are in no part of an error", async (_, answer) => {
    const { client } = await serve(() => answer);
    const error = await failure(client.post("/api/x/", { body }));
    const everything = `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)} ${String(error.stack)}`;
    for (const secret of [KEY, SECRET, JSON.stringify(SECRET).slice(1, -1), encodeURIComponent(SECRET)]) {
      expect(everything).not.toContain(secret);
    }
  });

  it("that only the caller knows are taken out, too", async () => {
    const { client } = await serve(() => ({ status: 400, json: { detail: "no opaque-value here" } }));
    const { message } = await failure(client.post("/api/x/", { body: {}, secrets: ["opaque-value"] }));
    expect(message).toContain("no [secret] here");
  });
});
