import { ApiClient, clientFor } from "../../src/client/client";
import { collectionFor } from "../../src/client/collection";
import { RateLimitError, TimeoutError, isAmbiguous } from "../../src/client/errors";
import { closeConnections } from "../../src/client/transport";
import { jumping } from "./clock";
import { TestServer, type Answer, type Seen } from "./server";

const servers: TestServer[] = [];

async function serve(answer: (seen: Seen, count: number) => Answer) {
  const server = await TestServer.start(answer);
  servers.push(server);
  return server;
}

afterEach(async () => {
  await closeConnections();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe("clients", () => {
  const base = { host: "https://a.example", apiKey: "phx_a" };
  it("are one for the same settings", () => {
    expect(clientFor({ ...base })).toBe(clientFor({ ...base, host: "https://a.example/" }));
  });

  it("share their budget where host and key are the same, whatever else differs", () => {
    const { budget } = clientFor(base);
    expect(clientFor({ ...base, requestDeadline: 5 }).budget).toBe(budget);
    expect(clientFor({ ...base, connection: "eu", requestsPerMinute: 9 }).budget).toBe(budget);
    expect(clientFor({ ...base, apiKey: "phx_b" }).budget).not.toBe(budget);
    expect(clientFor({ ...base, host: "https://b.example" }).budget).not.toBe(budget);
  });
});

describe("a limit", () => {
  const limited: Answer = { status: 429, headers: { "retry-after": "60" }, json: { detail: "Throttled." } };

  it("of twenty a minute is survived by a hundred requests, each made once more per pause at most", async () => {
    const { surroundings, lines } = jumping();
    const minutes = new Map<number, number>();
    const server = await serve(() => {
      const minute = Math.floor(surroundings.time.now() / 60_000);
      const served = minutes.get(minute) ?? 0;
      if (served >= 20) return limited;
      minutes.set(minute, served + 1);
      return { json: {} };
    });
    const client = new ApiClient({ host: server.url, apiKey: "phx_x" }, surroundings);
    await Promise.all(Array.from({ length: 100 }, (_, index) => client.get(`/api/${String(index)}/`)));
    const refused = server.seen.length - 100;
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(16 * lines.length);
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(new Set(lines)).toEqual(
      new Set([`waiting 60 s: PostHog's rate limit (${server.url} asks for it)`]),
    );
  });

  it("stops all who share the key, and says which of them cannot wait that long, before it is sent", async () => {
    const { surroundings } = jumping();
    const server = await serve(() => limited);
    const settings = { host: server.url, apiKey: "phx_x", requestDeadline: 30 };
    const first = new ApiClient(settings, surroundings);
    const second = new ApiClient(settings, surroundings, first.budget);
    await expect(first.post("/api/x/")).rejects.toThrow(RateLimitError);
    const error: unknown = await second.post("/api/y/").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(String(error)).toMatch(
      /its turn would come after posthog:requestDeadline \(30 s\).*Nothing was sent/s,
    );
    expect(isAmbiguous(error)).toBe(false);
    expect(server.seen.map(({ path }) => path)).toEqual(["/api/x/"]);
  });

  it("also means a 503 that says how long", async () => {
    const { surroundings, lines } = jumping();
    const server = await serve((_, count) =>
      count === 1 ? { status: 503, headers: { "retry-after": "90" } } : { json: {} },
    );
    const client = new ApiClient({ host: server.url, apiKey: "phx_x" }, surroundings);
    await client.get("/api/a/");
    await client.get("/api/b/");
    expect(surroundings.time.now()).toBeGreaterThanOrEqual(90_000);
    expect(lines).toEqual([`waiting 90 s: ${server.url} answered 503; the request is made again`]);
  });
});

describe("a write with one key", () => {
  it("is seen by reads with another", async () => {
    let name = "before";
    const server = await serve(() => ({ json: { next: null, results: [{ id: "1", name }] } }));
    const [one, other] = ["phx_1", "phx_2"].map((apiKey) =>
      collectionFor(clientFor({ host: server.url, apiKey }), {
        path: "/api/x/",
        single: false,
        idOf: (item) => (typeof item === "object" && item !== null && "id" in item ? String(item.id) : ""),
      }),
    );
    expect(await other?.read("1", {})).toEqual({ id: "1", name: "before" });
    name = "after";
    one?.invalidate();
    expect(await other?.read("1", {})).toEqual({ id: "1", name: "after" });
  });
});
