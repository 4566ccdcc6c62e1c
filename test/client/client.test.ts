import { ApiClient } from "../../src/client/client";
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  MethodNotAllowedError,
  NotFoundError,
  PermissionError,
  PostHogError,
  RateLimitError,
  ResponseError,
  ServerError,
  ValidationError,
  isAmbiguous,
} from "../../src/client/errors";
import { closeConnections } from "../../src/client/transport";
import { jumping } from "./clock";
import { TestServer, type Answer, type Seen } from "./server";

const KEY = "phx_marker_of_the_key";
const servers: TestServer[] = [];

async function serve(answer: (seen: Seen, count: number) => Answer, settings: Record<string, number> = {}) {
  const server = await TestServer.start(answer);
  servers.push(server);
  const { surroundings, slept, lines } = jumping();
  const client = new ApiClient({ host: server.url, apiKey: KEY, ...settings }, surroundings);
  return { server, client, slept, lines };
}

async function failure(promise: Promise<unknown>): Promise<PostHogError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!PostHogError.isInstance(error)) throw new Error(`expected one of our errors, got ${String(error)}`);
  return error;
}

afterEach(async () => {
  await closeConnections();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const subject = { kind: "Dashboard", name: "growth", id: "7", verb: "updating" };

describe("requests", () => {
  it("carry the key, JSON and the query, and keep a path before the interface", async () => {
    const server = await TestServer.start(() => ({ json: { id: 1 } }));
    servers.push(server);
    const client = new ApiClient({ host: `${server.url}/posthog/`, apiKey: KEY });
    await client.post("/api/projects/1/dashboards/", { body: { name: "a" } });
    await client.get("/api/projects/1/dashboards/", { query: { limit: 1 } });
    expect(server.seen[0]).toMatchObject({
      path: "/posthog/api/projects/1/dashboards/",
      body: '{"name":"a"}',
    });
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
    });
    expect(server.seen[1]?.path).toBe("/posthog/api/projects/1/dashboards/?limit=1");
    expect(server.seen[1]?.headers["content-type"]).toBeUndefined();
  });

  it("answer an empty body as nothing", async () => {
    const { client } = await serve(() => ({ status: 204 }));
    expect(await client.delete("/api/organizations/x/")).toBeUndefined();
  });

  it("use at most 16 connections", async () => {
    const { client, server } = await serve(() => ({ json: {} }));
    let most = 0;
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        await client.get("/api/users/@me/");
        most = Math.max(most, server.connections);
      }),
    );
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(16);
  });
});

describe("errors", () => {
  const body = (detail: string, extra = {}) => ({ type: "t", code: "c", detail, attr: null, ...extra });
  const cases: [string, Answer, typeof ApiError, RegExp[]][] = [
    [
      "400 with a field",
      { status: 400, json: body("Too long.", { attr: "name" }) },
      ValidationError,
      [/NAME: Too long\./, /updating Dashboard "growth" \(7\)/, /PATCH \/api\/x\/ answered 400/],
    ],
    [
      "401",
      { status: 401, json: body("invalid") },
      AuthenticationError,
      [/does not accept the key/, /POSTHOG_API_KEY/],
    ],
    [
      "403 without the scope",
      { status: 403, json: body("API key missing required scope 'dashboard:write'") },
      PermissionError,
      [/Add the scope dashboard:write/],
    ],
    [
      "403 of a closed action",
      { status: 403, json: body("This action does not support Personal API Key access") },
      PermissionError,
      [/every API key with scopes/],
    ],
    ["404", { status: 404, json: body("Not found.") }, NotFoundError, [/Not found\./]],
    ["410", { status: 410, json: { message: "Gone" } }, NotFoundError, [/Gone/]],
    [
      "422",
      { status: 422, json: body("No.", { attr: "name" }) },
      ValidationError,
      [/NAME: No\./, /Correct NAME/],
    ],
    ["405 without a body", { status: 405, text: "" }, MethodNotAllowedError, [/no further explanation/]],
    ["a bare error key", { status: 400, json: { error: "wrong" } }, ValidationError, [/400: wrong/]],
    ["plain text", { status: 400, text: "no good" }, ValidationError, [/no good/]],
    [
      "a proxy's page",
      { status: 403, text: "<html><style>x</style><h1>Access denied</h1></html>" },
      PermissionError,
      [/a web page: Access denied/],
    ],
    ["501", { status: 501, text: "" }, ServerError, [/501/]],
  ];
  it.each(cases)("%s", async (_, answer, type, patterns) => {
    const { client } = await serve(() => answer);
    const error = await failure(
      client.patch("/api/x/", {
        subject,
        scope: "dashboard:write",
        argumentName: (attr) => attr.toUpperCase(),
        body: {},
      }),
    );
    expect(type.isInstance(error)).toBe(true);
    for (const pattern of patterns) expect(error.message).toMatch(pattern);
  });

  it("hint at the project's route where the organization's cannot create exports", async () => {
    const { client } = await serve(() => ({ status: 500, json: body("A server error occurred.") }));
    const error = await failure(client.post("/api/organizations/o/batch_exports/", { body: {} }));
    expect(error.message).toMatch(/give the BatchExport a projectId/);
  });

  it("never show the key, even where the service echoes it", async () => {
    const { client } = await serve(() => ({ status: 400, json: body(`bad header Bearer ${KEY}`) }));
    const error = await failure(client.get("/api/x/"));
    expect(error.message).toContain("[key]");
    expect(`${error.message} ${JSON.stringify(error)} ${String(error.stack)}`).not.toContain(KEY);
  });

  it("name the host of a redirect and do not follow it", async () => {
    const { client, server } = await serve(() => ({
      status: 301,
      headers: { location: "https://evil.example/x" },
    }));
    const error = await failure(client.get("/api/x/"));
    expect(ResponseError.isInstance(error)).toBe(true);
    expect(error.message).toMatch(/https:\/\/evil\.example/);
    expect(server.seen.length).toBeGreaterThan(0);
  });

  it("say that a host cannot be reached, soon", async () => {
    const { surroundings, slept } = jumping();
    const client = new ApiClient({ host: "http://127.0.0.1:1", apiKey: KEY }, surroundings);
    const error = await failure(client.get("/api/x/"));
    expect(ConnectionError.isInstance(error)).toBe(true);
    expect(error.message).toMatch(/127\.0\.0\.1:1 cannot be reached/);
    expect(slept.reduce((sum, next) => sum + next, 0)).toBeLessThan(5000);
  });

  it("say that an answer is no JSON", async () => {
    const { client } = await serve(() => ({ text: "<html>Log in</html>" }));
    expect((await failure(client.post("/api/x/"))).message).toMatch(
      /something other than JSON: a web page: Log in/,
    );
  });
});

describe("repetition", () => {
  const again: [string, "get" | "post" | "patch" | "delete", Answer, number][] = [
    ["GET after 500", "get", { status: 500 }, 2],
    ["PATCH after 503", "patch", { status: 503 }, 2],
    ["DELETE after a reset", "delete", "reset-after", 2],
    ["GET after a truncated answer", "get", "truncate", 2],
    ["POST after 429", "post", { status: 429, headers: { "retry-after": "1" } }, 2],
    ["POST after 500: never", "post", { status: 500 }, 1],
    ["POST after a reset: never", "post", "reset-after", 1],
    ["POST after a truncated answer: never", "post", "truncate", 1],
    ["GET after 400: never", "get", { status: 400 }, 1],
    ["GET after 501: never", "get", { status: 501 }, 1],
  ];
  it.each(again)("%s", async (_, method, first, requests) => {
    const { client, server } = await serve((__, count) => (count === 1 ? first : { json: { id: 1 } }));
    const result = await client[method]("/api/x/").then(
      () => "answered",
      (error: unknown) => error,
    );
    expect(server.seen.length).toBe(requests);
    if (requests === 2) expect(result).toBe("answered");
    else if (method === "post") expect(isAmbiguous(result)).toBe(true);
    else expect(ApiError.isInstance(result)).toBe(true);
  });

  it("gives up on a service that keeps failing", async () => {
    const { client, server } = await serve(() => ({ status: 502 }));
    expect(ServerError.isInstance(await failure(client.get("/api/x/")))).toBe(true);
    expect(server.seen.length).toBe(6);
  });

  it("honours Retry-After in full and tells long waits once, for all who wait", async () => {
    const { client, server, slept, lines } = await serve((_, count) =>
      count <= 3 ? { status: 429, headers: { "retry-after": "30" } } : { json: {} },
    );
    await Promise.all([client.get("/api/a/"), client.get("/api/b/"), client.get("/api/c/")]);
    expect(server.seen.length).toBe(6);
    expect(Math.max(...slept)).toBeGreaterThanOrEqual(29_000);
    expect(lines.filter((line) => line.startsWith("waiting 30 s"))).toHaveLength(1);
  });

  it("stops at the deadline", async () => {
    const { client, server } = await serve(() => ({ status: 429, headers: { "retry-after": "100" } }), {
      requestDeadline: 60,
    });
    expect(RateLimitError.isInstance(await failure(client.post("/api/x/")))).toBe(true);
    expect(server.seen.length).toBe(1);
  });
});

describe("lists", () => {
  const page = (results: unknown[], next: string | null) => ({
    json: { count: 3, next, previous: null, results },
  });

  it("follow next on our own host only, with the key", async () => {
    const { client, server } = await serve((seen) =>
      seen.path.includes("offset")
        ? page([3], null)
        : page([1, 2], "https://evil.example/api/x/?limit=2&offset=2"),
    );
    expect(await client.list("/api/x/")).toEqual([1, 2, 3]);
    expect(server.seen.map((seen) => seen.path)).toEqual(["/api/x/", "/api/x/?limit=2&offset=2"]);
  });

  it("ask for the rest by its place where a page counts more than it shows and names no next one", async () => {
    const all = [1, 2, 3, 4, 5];
    const { client, server } = await serve(({ path }) => {
      const offset = Number(new URL(path, "http://x").searchParams.get("offset") ?? 0);
      return { json: { count: all.length, results: all.slice(offset, offset + 2) } };
    });
    expect(await client.list("/api/x/")).toEqual(all);
    const asked = server.seen.map(({ path }) => path);
    expect(asked.sort()).toEqual(["/api/x/", "/api/x/?offset=2", "/api/x/?offset=4"]);
  });

  it("end where such a count is wrong, or the place counts for nothing", async () => {
    const short = await serve(({ path }) => ({
      json: { count: 9, results: path.includes("?") ? [] : [1, 2] },
    }));
    expect(await short.client.list("/api/x/")).toEqual([1, 2]);
    const deaf = await serve(() => ({ json: { count: 3, results: [{ id: 1 }, { id: 2 }] } }));
    expect(await deaf.client.list("/api/x/")).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it("have an object once that came twice, as it came last", async () => {
    const { client } = await serve(({ path }) =>
      path.includes("?")
        ? page([{ id: 2, at: "now" }, { id: 3 }], null)
        : page([{ id: 1 }, { id: 2, at: "before" }], "?offset=2"),
    );
    expect(await client.list("/api/x/")).toEqual([{ id: 1 }, { id: 2, at: "now" }, { id: 3 }]);
  });

  it("take a plain array for the only page", async () => {
    const { client } = await serve(() => ({ json: [1, 2] }));
    expect(await client.list("/api/x/")).toEqual([1, 2]);
  });

  it("refuse a loop, a page elsewhere and an answer that is no list", async () => {
    const loop = await serve(() => page([1], "/api/x/?offset=1"));
    expect((await failure(loop.client.list("/api/x/"))).message).toMatch(/lead back/);
    const elsewhere = await serve(() => page([1], "/admin/?offset=1"));
    expect((await failure(elsewhere.client.list("/api/x/"))).message).toMatch(/outside \/api\//);
    const other = await serve(() => ({ json: { hello: 1 } }));
    expect((await failure(other.client.list("/api/x/"))).message).toMatch(/without a list/);
  });
});
