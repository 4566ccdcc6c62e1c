import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

import { startEmulator } from "../../src/emulator";
import { CaptureStore, handleCapture } from "../../src/emulator/capture";

let server: Server;
let store: CaptureStore;
let url: string;
let now: Date;

beforeEach(async () => {
  store = new CaptureStore();
  now = new Date("2026-01-01T00:00:00Z");
  // Packing 100 MiB can take a busy machine longer than a server keeps an idle connection by default: the request after
  // it would meet the connection as it closes.
  server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    void handleCapture(request, response, store, { now: () => now });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/batch/`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const key = "phc_1";
const uuid = (n: number): string => `00000000-0000-8000-8000-${String(n).padStart(12, "0")}`;
const event = (n: number, more: object = {}): object => ({
  event: "x",
  uuid: uuid(n),
  timestamp: "2023-01-01T00:00:00Z",
  properties: { distinct_id: `u${n}` },
  ...more,
});

async function post(
  body: unknown,
  headers: Record<string, string> = { "content-type": "application/json" },
): Promise<{ status: number; type: string | null; text: string }> {
  const raw = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(url, { method: "POST", body: raw, headers });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

const batch = (...events: readonly unknown[]): object => ({
  api_key: key,
  historical_migration: true,
  batch: events,
});

test("takes a batch, and answers in JSON", async () => {
  expect(await post(batch(event(1), event(2)))).toEqual({
    status: 200,
    type: "application/json",
    text: '{"status":"Ok"}',
  });
  expect(store.summary(key)).toMatchObject({
    requests: 1,
    historicalRequests: 1,
    received: 2,
    events: 2,
    firstTime: "2023-01-01T00:00:00.000Z",
    names: [{ name: "x", events: 2 }],
    days: [{ day: "2023-01-01", events: 2 }],
  });
});

test.each([
  ["gzip with its header", { "content-encoding": "gzip" }],
  ["gzip told by its first bytes alone", {}],
])("takes %s", async (_, headers: Record<string, string>) => {
  const { status } = await post(gzipSync(JSON.stringify(batch(event(1)))), headers);
  expect(status).toBe(200);
  expect(store.count).toBe(1);
});

test("takes form data, an array of events, and a single event", async () => {
  const form = `data=${encodeURIComponent(Buffer.from(JSON.stringify(batch(event(1)))).toString("base64"))}`;
  expect((await post(form, { "content-type": "application/x-www-form-urlencoded" })).status).toBe(200);
  expect((await post([event(2, { token: key })])).status).toBe(200);
  expect((await post(event(3, { api_key: key }))).status).toBe(200);
  expect((await post(event(4, { properties: { distinct_id: "u", token: key } }))).status).toBe(200);
  expect(store.summary(key).events).toBe(4);
});

test.each<readonly [string, unknown, number, RegExp]>([
  ["no JSON", "{", 400, /^failed to parse request/],
  ["no object", "1", 400, /^failed to parse request/],
  ["gzip that is broken", gzipSync("x".repeat(1000)).subarray(0, 20), 400, /invalid gzip data/],
  ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), 400, /invalid body encoding/],
  ["half of a surrogate pair", JSON.stringify(batch(event(1))).replace('"x"', '"\\ud800"'), 400, /surrogate/],
  [
    "a number beyond a double",
    JSON.stringify(batch(event(1))).replace('"u1"', '"u1","n":1e999'),
    400,
    /out of range/,
  ],
  [
    "more levels than the parser goes down",
    JSON.stringify(batch(event(1))).replace('"u1"', `"u1","n":${"[".repeat(130)}${"]".repeat(130)}`),
    400,
    /recursion limit/,
  ],
  ["no event", batch(), 400, /^request holds no event$/],
  ["an event without a name", batch(event(1, { event: undefined })), 400, /did not match/],
  [
    "an event with an empty name",
    batch(event(1), event(2, { event: "" })),
    400,
    /^event submitted with an empty event name$/,
  ],
  [
    "an event without distinct_id",
    batch(event(1), event(2, { properties: {} })),
    400,
    /^event submitted without a distinct_id$/,
  ],
  [
    "an event with an empty distinct_id",
    batch(event(1, { distinct_id: "" })),
    400,
    /^event submitted with an empty distinct_id$/,
  ],
  ["a uuid that is none", batch(event(1), event(2, { uuid: "x" })), 400, /did not match/],
  ["properties of null", batch(event(1, { properties: null })), 400, /did not match/],
  ["a timestamp of a number", batch(event(1, { timestamp: 1 })), 400, /did not match/],
  ["a batch of no array", { api_key: key, batch: {} }, 400, /did not match/],
  ["no key", { batch: [event(1)] }, 401, /without an api_key/],
  ["an empty key", { api_key: "", batch: [event(1)] }, 401, /empty/],
  ["a key of 65 characters", { api_key: "p".repeat(65), batch: [event(1)] }, 401, /too_long/],
  ["a key that is not ASCII", { api_key: "phc_é", batch: [event(1)] }, 401, /not_ascii/],
  [
    "a personal key",
    { api_key: "phx_secret", batch: [event(1)] },
    401,
    /^API key is not valid: personal_api_key$/,
  ],
  ["events of two keys", [event(1, { token: "a" }), event(2, { token: "b" })], 401, /inconsistent/],
])("refuses %s in plain text, and keeps nothing", async (_, body, status, text) => {
  const answer = await post(body);
  expect(answer).toMatchObject({ status, text: expect.stringMatching(text) as unknown });
  expect(answer.type).toMatch(/^text\/plain/);
  expect(store.count).toBe(0);
});

test("a wrong key is no error: the events go where nobody looks", async () => {
  expect((await post({ ...batch(event(1)), api_key: "phc_typo" })).status).toBe(200);
  expect(store.summary(key).events).toBe(0);
  expect(store.keys).toEqual(["phc_typo"]);
});

test("20 MiB are taken, one byte more is 413; 100 MiB decompressed are too much", async () => {
  const padded = (bytes: number): string => {
    const text = JSON.stringify(batch(event(1)));
    return text + " ".repeat(bytes - text.length);
  };
  const limit = 20 * 1024 * 1024;
  expect((await post(padded(limit))).status).toBe(200);
  expect(await post(padded(limit + 1))).toMatchObject({ status: 413, text: "length limit exceeded" });
  expect(await post(gzipSync(padded(5 * limit + 1)))).toMatchObject({
    status: 400,
    text: "maximum event size exceeded",
  });
});

test("an event over 1 MB is refused halfway: what came before it is kept", async () => {
  const large = event(2, { properties: { distinct_id: "u", text: "x".repeat(1_000_000) } });
  expect(await post(batch(event(1), large, event(3)))).toMatchObject({
    status: 400,
    text: "maximum event size exceeded",
  });
  expect(store.summary(key)).toMatchObject({ events: 1 });
});

describe("distinct_id", () => {
  test.each<readonly [string, object, string]>([
    ["the top level wins", { distinct_id: "top", properties: { distinct_id: "inner" } }, "top"],
    ["null at the top level is none", { distinct_id: null, properties: { distinct_id: "inner" } }, "inner"],
    ["a number becomes text", { properties: { distinct_id: 12 } }, "12"],
    ["an object becomes text", { properties: { distinct_id: { a: 1 } } }, '{"a":1}'],
    ["what is too long is cut", { properties: { distinct_id: "é".repeat(300) } }, "é".repeat(200)],
  ])("%s", async (_, more, distinctId) => {
    expect((await post(batch(event(1, more)))).status).toBe(200);
    expect(store.summary(key).recent).toMatchObject([{ distinctId }]);
  });
});

test("events of equal uuid, name, user and day are one; others of the same uuid are named", async () => {
  await post(batch(event(1), event(2)));
  const { checksum } = store.summary(key);
  await post(batch(event(2), event(1, { uuid: uuid(1).toUpperCase() })));
  expect(store.summary(key)).toMatchObject({ received: 4, events: 2, repeated: 2, conflicts: 0, checksum });
  await post(batch(event(1, { event: "other" }), event(1, { event: "other" })));
  expect(store.summary(key)).toMatchObject({ received: 6, events: 3, conflicts: 1 });
});

test("the checksum is that of the uuids, in any order", async () => {
  const other = new CaptureStore();
  await post(batch(event(1), event(2), event(3)));
  const mine = store.summary(key).checksum;
  // Of each uuid the first half is 0x8000 and the second 0x8000 followed by its number.
  const sum = [1n, 2n, 3n].reduce(
    (total, n) => (total + (0x8000n ^ (0x8000n << 48n) ^ n)) & ((1n << 64n) - 1n),
    0n,
  );
  expect(mine).toBe(sum.toString(16).padStart(16, "0"));
  const first = store;
  store = other;
  await post(batch(event(3)));
  await post(batch(event(1), event(2)));
  expect(store.summary(key).checksum).toBe(first.summary(key).checksum);
});

test("a store that only counts holds no events", async () => {
  store = new CaptureStore("count");
  await post(batch(event(1), event(1)));
  expect(store.summary(key)).toMatchObject({ received: 2, events: 2, repeated: 0 });
});

test("without uuid every event is a new one, of version 7", async () => {
  await post(batch(event(1, { uuid: undefined }), event(1, { uuid: "" }), event(1, { uuid: null })));
  expect(store.summary(key)).toMatchObject({ events: 3 });
  for (const { uuid: made } of store.summary(key).recent) {
    expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test("with sent_at times are moved by the difference of the clocks, without it they stay", async () => {
  await post({ ...batch(event(1)), sent_at: "2025-12-31T23:00:00Z" });
  expect(store.summary(key).recent).toMatchObject([{ timestamp: "2023-01-01T01:00:00.000Z" }]);
  await post(batch(event(2)));
  expect(store.summary(key).recent).toMatchObject([{ timestamp: "2023-01-01T00:00:00Z" }, {}]);
});

test("over its quota a project is told 200, and its events are dropped", async () => {
  store.limit(key, true);
  expect((await post(batch(event(1)))).status).toBe(200);
  expect(store.summary(key)).toMatchObject({ events: 0, dropped: 1 });
  store.limit(key, false);
  await post(batch(event(1)));
  expect(store.summary(key).events).toBe(1);
});

test("what a data file keeps brings everything back", async () => {
  await post(batch(event(1), event(2)));
  const saved: unknown = JSON.parse(JSON.stringify(store.snapshot()));
  const before = store.summary(key);
  store = new CaptureStore();
  store.restore(saved);
  expect(store.summary(key)).toEqual(before);
  await post(batch(event(2), event(3)));
  expect(store.summary(key)).toMatchObject({ events: 3, received: 4 });
  for (const nonsense of [undefined, null, 1, {}, { projects: 1 }, { projects: [1, ["a", 1]] }])
    new CaptureStore().restore(nonsense);
});

test.each([
  ["keep", 1],
  ["count", 3],
] as const)("an emulator in mode %s", async (capture, events) => {
  const emulator = await startEmulator({ capture });
  try {
    url = new URL("/batch/", emulator.ingestUrl).href;
    await post(batch(event(1), event(1)));
    await post(batch(event(1)));
    expect(emulator.capture.summary(key)).toMatchObject({ received: 3, events });
  } finally {
    await emulator.close();
  }
});
