import { type Bench, bench, closeAll } from "./support";

/** Batch capture, asked what its usual clients never ask. */

afterEach(closeAll);

const event = { event: "$pageview", properties: { distinct_id: "a" }, timestamp: "2024-01-01T00:00:00Z" };

async function send({ emulator }: Bench, method: string, events?: readonly object[]): Promise<Response> {
  const { POSTHOG_PROJECT_API_KEY: api_key } = emulator.environment;
  return fetch(`${emulator.ingestUrl}/batch/`, {
    method,
    ...(events !== undefined && { body: JSON.stringify({ api_key, batch: events }) }),
  });
}

function held({ emulator }: Bench): number {
  return emulator.capture.summary(emulator.environment.POSTHOG_PROJECT_API_KEY).events;
}

describe("methods", () => {
  test.each([
    ["GET", 400, expect.stringContaining("failed to parse request")],
    ["HEAD", 400, ""],
    ["OPTIONS", 200, '{"status":"Ok"}'],
    ["PUT", 405, ""],
    ["DELETE", 405, ""],
  ])("%s is answered with %d, and known", async (method, status, text) => {
    const at = await bench();
    const answer = await send(at, method);
    expect([answer.status, await answer.text()]).toEqual([status, text]);
    expect(answer.headers.get("allow")).toBe(status === 405 ? "POST, GET, HEAD, OPTIONS" : null);
    expect(at.emulator.unknownRoutes).toEqual([]);
    expect(at.emulator.requests.at(-1)).toMatchObject({ method, template: "/batch/", status });
  });
});

describe("an event that is too large", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, "v".repeat(9000)]));

  test.each([
    ["by many properties", { ...event, properties: { distinct_id: "a", ...many } }],
    ["by one property", { ...event, properties: { distinct_id: "a", text: "v".repeat(1_000_001) } }],
    ["by its name", { ...event, event: "v".repeat(1_000_001) }],
    ["by what it sets", { ...event, $set: { text: "v".repeat(1_000_001) } }],
    ["by what it sets once", { ...event, $set_once: { text: "v".repeat(1_000_001) } }],
  ])("%s is refused, after those before it were stored", async (_, large) => {
    const at = await bench();
    const answer = await send(at, "POST", [event, large, event]);
    expect([answer.status, await answer.text()]).toEqual([400, "maximum event size exceeded"]);
    expect(held(at)).toBe(1);
  });

  test("is none just below", async () => {
    const at = await bench();
    const answer = await send(at, "POST", [{ ...event, $set: { text: "v".repeat(999_000) } }]);
    expect([answer.status, held(at)]).toEqual([200, 1]);
  });
});

test("over its quota a project hears of no event without a user", async () => {
  const at = await bench();
  const { POSTHOG_PROJECT_API_KEY: key } = at.emulator.environment;
  const nameless = [{ event: "x", properties: {} }];
  expect((await send(at, "POST", nameless)).status).toBe(400);
  at.emulator.capture.limit(key, true);
  expect((await send(at, "POST", nameless)).status).toBe(200);
  expect(at.emulator.capture.summary(key)).toMatchObject({ events: 0, dropped: 1, requests: 1 });
});
