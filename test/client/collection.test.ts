import { ApiClient } from "../../src/client/client";
import { Collection, type CollectionSpec } from "../../src/client/collection";
import { closeConnections } from "../../src/client/transport";
import { isObject } from "../../src/engine/json";
import { TestServer, type Seen } from "./server";

let server: TestServer;
let ids: number[] = [];
let beforePage: (offset: number) => void = () => undefined;
let broken = false;
const PAGE = 100;

function answer({ path }: Seen) {
  const url = new URL(path, "http://x");
  const single = /^\/api\/x\/(\d+)\/$/.exec(url.pathname);
  if (single) {
    const id = Number(single[1]);
    return ids.includes(id) ? { json: { id, full: true } } : { status: 404, json: { detail: "Not found." } };
  }
  if (broken) return { status: 400, json: { detail: "Broken." } };
  const offset = Number(url.searchParams.get("offset") ?? 0);
  beforePage(offset);
  const results = ids.slice(offset, offset + PAGE).map((id) => ({ id }));
  const next =
    offset + PAGE < ids.length ? `/api/x/?limit=${String(PAGE)}&offset=${String(offset + PAGE)}` : null;
  return { json: { count: ids.length, next, previous: null, results } };
}

const spec: CollectionSpec = {
  path: "/api/x/",
  single: true,
  idOf: (item) => (isObject(item) ? String(item["id"]) : ""),
};

let now = 0;
let collection: Collection;

beforeEach(async () => {
  ids = Array.from({ length: 1000 }, (_, index) => index + 1);
  beforePage = () => undefined;
  now = 0;
  server = await TestServer.start(answer);
  collection = new Collection(new ApiClient({ host: server.url, apiKey: "phx_x" }), "/api/x/", () => now);
});

afterEach(async () => {
  // A list goes on after the object that was wanted has arrived.
  await collection.all(spec, {});
  await closeConnections();
  await server.close();
});

const read = (id: number, use: CollectionSpec = spec) => collection.read(String(id), use, {});
const lists = () => server.seen.filter(({ path }) => !/\/x\/\d+\/$/.test(path)).length;

describe("a collection", () => {
  it("asks three objects by themselves and then one list for all the others", async () => {
    const all = await Promise.all(ids.map((id) => read(id)));
    expect(all.every((item, index) => isObject(item) && item["id"] === index + 1)).toBe(true);
    expect(server.seen.length).toBe(3 + 10);
  });

  it("asks for an object that the list lacks before it calls it gone", async () => {
    await Promise.all([1, 2, 3, 4].map((id) => read(id)));
    expect(await read(5000)).toBeUndefined();
    expect(server.seen.map(({ path }) => path).pop()).toBe("/api/x/5000/");
  });

  it("completes by a single read what the list leaves out", async () => {
    const complete = { ...spec, complete: (item: unknown) => isObject(item) && "full" in item };
    await Promise.all([1, 2, 3].map((id) => read(id, complete)));
    expect(await read(4, complete)).toEqual({ id: 4, full: true });
  });

  it("forgets everything at a write, and after half a minute", async () => {
    await Promise.all([1, 2, 3, 4].map((id) => read(id)));
    await collection.all(spec, {});
    const before = lists();
    await read(5);
    expect(lists()).toBe(before);
    now += 31_000;
    await read(6);
    expect(lists()).toBeGreaterThan(before);
    collection.invalidate();
    await read(7);
    expect(server.seen.map(({ path }) => path).pop()).toBe("/api/x/7/");
  });

  it("does not answer a read that begins after a write from a list begun before it", async () => {
    await Promise.all([1, 2, 3, 4].map((id) => read(id)));
    ids = ids.filter((id) => id !== 900);
    collection.invalidate();
    expect(await read(900)).toBeUndefined();
  });

  it("calls an object of a kind with a list only gone after a second complete pass", async () => {
    const listOnly = { ...spec, single: false };
    // While the pages are read, an object before the window goes away: what was at 101 slips to 100 and is skipped.
    let shifted = false;
    beforePage = (offset) => {
      if (offset === PAGE && !shifted) {
        shifted = true;
        ids = ids.filter((id) => id !== 1);
      }
    };
    expect(await read(101, listOnly)).toEqual({ id: 101 });
    expect(await read(1, listOnly)).toBeUndefined();
  });

  it("keeps no error", async () => {
    await Promise.all([1, 2, 3].map((id) => read(id)));
    broken = true;
    await expect(read(4)).rejects.toThrow(/answered 400/);
    broken = false;
    expect(await read(4)).toBeDefined();
  });
});
