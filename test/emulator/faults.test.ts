import { FaultSpecError, parseFaults } from "../../src/emulator";
import { asker, bench, closeAll, errorBody } from "./support";

afterEach(closeAll);

describe("the notation", () => {
  test.each<[string, object]>([
    [
      "POST /dashboards/ 500 x2",
      {
        method: "POST",
        path: "/dashboards/",
        times: 2,
        action: { kind: "status", status: 500, after: false },
      },
    ],
    [
      "GET * 429:retry-after=3 5%",
      {
        method: "GET",
        path: "*",
        probability: 0.05,
        action: { kind: "status", status: 429, after: false, retryAfter: 3 },
      },
    ],
    [
      "POST /pause/ reset-after x1",
      { method: "POST", path: "/pause/", times: 1, action: { kind: "reset", after: true } },
    ],
    ["* * slow=200 10%", { path: "*", probability: 0.1, action: { kind: "slow", milliseconds: 200 } }],
    [
      "patch /api/ 503-after skip=4",
      { method: "PATCH", path: "/api/", skip: 4, action: { kind: "status", status: 503, after: true } },
    ],
    ["* /batch/ truncate", { path: "/batch/", action: { kind: "truncate" } }],
    ["* * html", { path: "*", action: { kind: "html" } }],
    ["* * reset-before", { path: "*", action: { kind: "reset", after: false } }],
  ])("%s", (specification, fault) => {
    expect(parseFaults(specification)).toEqual([fault]);
  });

  test("takes several rules", () => {
    expect(parseFaults("POST /a/ 500; GET /b/ 404 ;")).toHaveLength(2);
  });

  test.each([
    "FETCH * 500",
    "GET",
    "GET /a/",
    "GET /a/ 200",
    "GET /a/ 999",
    "GET /a/ explode",
    "GET /a/ 500 twice",
    "GET /a/ 500 101%",
  ])("%j is refused", (specification) => {
    expect(() => parseFaults(specification)).toThrow(FaultSpecError);
    expect(() => parseFaults(specification)).toThrow(/METHOD PATH ACTION/);
  });
});

describe("a fault", () => {
  const create = { name: "a" };

  async function struck(specification: string) {
    const at = await bench({ faults: specification });
    const list = `${at.project}/dashboards/`;
    const outcome = await at.ask("POST", list, create).catch(() => "broken" as const);
    at.emulator.faults.clear();
    return { ...at, outcome, stored: at.emulator.store.dashboards.size };
  }

  test.each([
    [400, errorBody("invalid_request", "error", "The emulator was told to answer 400.")],
    [
      401,
      errorBody(
        "authentication_error",
        "authentication_failed",
        "Personal API key found in request Authorization header is invalid.",
      ),
    ],
    [
      403,
      errorBody(
        "authentication_error",
        "permission_denied",
        "You do not have permission to perform this action.",
      ),
    ],
    [404, errorBody("invalid_request", "not_found", "Not found.")],
    [
      429,
      errorBody("throttled_error", "throttled", "Request was throttled. Expected available in 1 second."),
    ],
    [500, errorBody("server_error", "error", "A server error occurred.")],
    [503, errorBody("server_error", "error", "A server error occurred.")],
  ])("of status %i comes instead of the work, with its body", async (status, body) => {
    const { outcome, stored, emulator } = await struck(`POST /dashboards/ ${status}`);
    expect(outcome).toMatchObject({ status, json: body });
    expect(stored).toBe(0);
    expect(emulator.requests.at(-1)).toMatchObject({ method: "POST", status, body: create });
  });

  test("of a status may carry Retry-After", async () => {
    const { outcome } = await struck("POST * 429:retry-after=7");
    expect(outcome !== "broken" && outcome.headers.get("retry-after")).toBe("7");
  });

  test("of a status after the work hides that it was done", async () => {
    const { outcome, stored } = await struck("POST * 502-after");
    expect(outcome).toMatchObject({ status: 502 });
    expect(stored).toBe(1);
  });

  test.each([
    ["reset-before", 0],
    ["reset-after", 1],
  ])("%s breaks the connection with %i stored", async (action, expected) => {
    const { outcome, stored, emulator } = await struck(`POST * ${action}`);
    expect(outcome).toBe("broken");
    expect(stored).toBe(expected);
    expect(emulator.requests.at(-1)).toMatchObject({ status: 0 });
  });

  test("that truncates breaks off in the middle of the answer", async () => {
    const { outcome, stored } = await struck("POST * truncate");
    expect(outcome).toBe("broken");
    expect(stored).toBe(1);
  });

  test("of HTML is a proxy's page", async () => {
    const { outcome, stored } = await struck("POST * html");
    expect(outcome).toMatchObject({
      status: 502,
      json: undefined,
      text: expect.stringContaining("<h1>502 Bad Gateway</h1>"),
    });
    expect(stored).toBe(0);
  });

  test("of slowness answers as usual", async () => {
    const { outcome, stored } = await struck("POST * slow=20");
    expect(outcome).toMatchObject({ status: 201 });
    expect(stored).toBe(1);
  });
});

describe("which requests", () => {
  async function statuses(
    specification: string,
    requests: readonly (readonly [string, string])[],
  ): Promise<number[]> {
    const { ask, project } = await bench({ faults: specification });
    await ask("POST", `/api/projects/2/dashboards/`, {});
    const found: number[] = [];
    for (const [method, path] of requests) {
      found.push((await ask(method, `${project}${path}`, method === "GET" ? undefined : {})).status);
    }
    return found;
  }

  const LIST = ["GET", "/dashboards/"] as const;

  test("so often", async () =>
    expect(await statuses("GET /dashboards/ 500 x2", [LIST, LIST, LIST])).toEqual([500, 500, 200]));

  test("not the first ones", async () =>
    expect(await statuses("GET * 500 x1 skip=1", [LIST, LIST, LIST])).toEqual([200, 500, 200]));

  test("of one method", async () =>
    expect(await statuses("PATCH * 500", [LIST, ["PATCH", "/dashboards/9/"]])).toEqual([200, 500]));

  test("whose path ends so", async () =>
    expect(
      await statuses("GET /dashboards/$ 500", [LIST, ["GET", "/dashboards"], ["GET", "/dashboards/9/"]]),
    ).toEqual([500, 500, 404]));

  test("whose whole path is so", async () =>
    expect(
      await statuses("GET /api/projects/*/dashboards/ 500", [LIST, ["GET", "/dashboards/9/sharing/"]]),
    ).toEqual([500, 404]));

  test("the first rule that applies", async () =>
    expect(await statuses("GET * 500 x1; GET * 503 x1", [LIST, LIST, LIST])).toEqual([500, 503, 200]));

  test("by chance, the same for the same seed", async () => {
    async function run(seed: number): Promise<number[]> {
      const { ask, project } = await bench({ faults: "GET * 500 30%", seed });
      const found: number[] = [];
      for (let index = 0; index < 60; index++)
        found.push((await ask("GET", `${project}/dashboards/`)).status);
      return found;
    }
    const first = await run(1);
    expect(first.filter((status) => status === 500).length).toBeGreaterThan(5);
    expect(first.filter((status) => status === 200).length).toBeGreaterThan(25);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
  });
});

test("faults in code", async () => {
  const { emulator, ask, project } = await bench();
  emulator.faults.add({
    method: "GET",
    path: "/dashboards/",
    times: 1,
    action: { kind: "status", status: 418, after: false },
  });
  emulator.faults.add("POST * 500");
  expect((await ask("GET", `${project}/dashboards/`)).status).toBe(418);
  expect((await ask("GET", `${project}/dashboards/`)).status).toBe(200);
  emulator.faults.clear();
  expect((await ask("POST", `${project}/dashboards/`, {})).status).toBe(201);
});

describe("batch capture", () => {
  const event = {
    event: "$pageview",
    distinct_id: "a",
    properties: { distinct_id: "a" },
    timestamp: "2024-01-01T00:00:00Z",
  };

  test.each([
    ["503", 0],
    ["503-after", 1],
    ["reset-before", 0],
    ["reset-after", 1],
    ["html", 0],
  ])("%s, with %i events taken", async (action, taken) => {
    const { emulator } = await bench({ faults: `POST /batch/ ${action} x1` });
    const api_key = emulator.environment.POSTHOG_PROJECT_API_KEY;
    const send = (): Promise<number | "broken"> =>
      asker(emulator, null)("POST", "/batch/", { api_key, historical_migration: true, batch: [event] }).then(
        ({ status }) => status,
        () => "broken" as const,
      );
    const outcome = await send();
    if (action.startsWith("reset")) expect(outcome).toBe("broken");
    else expect(outcome).toBe(action === "html" ? 502 : 503);
    expect(emulator.capture.count).toBe(taken);
    expect(await send()).toBe(200);
  });
});
