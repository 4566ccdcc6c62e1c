import { ApiClient, type Subject } from "../../src/client/client";
import { Collection, type CollectionSpec } from "../../src/client/collection";
import { ApiError } from "../../src/client/errors";
import { closeConnections } from "../../src/client/transport";
import { isObject } from "../../src/engine/values/json";
import { TestServer, type Answer, type Seen } from "./server";

let server: TestServer;
let ids: number[] = [];
let beforePage: (offset: number) => void = () => undefined;
let holdPage: (offset: number) => Promise<void> | undefined = () => undefined;
let broken = false;
let missing = false;
let some = new Set<number>();
const PAGE = 100;

async function answer({ path }: Seen): Promise<Answer> {
  const url = new URL(path, "http://x");
  const single = /^\/api\/x\/(\d+)\/$/.exec(url.pathname);
  if (single) {
    const id = Number(single[1]);
    return ids.includes(id) ? { json: { id, full: true } } : { status: 404, json: { detail: "Not found." } };
  }
  if (broken) return { status: 400, json: { detail: "Broken." } };
  if (missing) return { status: 404, json: { detail: "Not found." } };
  const offset = Number(url.searchParams.get("offset") ?? 0);
  beforePage(offset);
  await holdPage(offset);
  const results = ids
    .slice(offset, offset + PAGE)
    .map((id) => ({ id, ...(some.has(id) ? { some: 1 } : {}) }));
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
  holdPage = () => undefined;
  broken = missing = false;
  some = new Set();
  now = 0;
  server = await TestServer.start(answer);
  collection = new Collection(new ApiClient({ host: server.url, apiKey: "phx_x" }), "/api/x/", () => now);
});

afterEach(async () => {
  // A list goes on after the object that was wanted has arrived.
  await collection.all(spec, {}).catch(() => undefined);
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
    const complete = { ...spec, fields: ["full"] };
    await Promise.all([1, 2, 3].map((id) => read(id, complete)));
    expect(await read(4, complete)).toEqual({ id: 4, full: true });
    expect(await read(4)).toEqual({ id: 4 });
  });

  it("asks nobody again for what neither form shows, however many are read", async () => {
    const wants = { ...spec, fields: ["id", "nowhere"] };
    await Promise.all(ids.map((id) => read(id, wants)));
    expect(server.seen.length).toBe(3 + 10);
    collection.invalidate();
    server.seen.length = 0;
    await Promise.all(ids.map((id) => read(id, { ...spec, fields: ["nowhere", "neither"] })));
    expect(server.seen.length).toBe(3 + 10);
  });

  it("asks a few for what only turns out later not to be shown", async () => {
    await Promise.all(ids.map((id) => read(id)));
    server.seen.length = 0;
    await Promise.all(ids.map((id) => read(id, { ...spec, fields: ["nowhere"] })));
    const asked = server.seen.map(({ path }) => path);
    expect(asked.sort()).toEqual(["/api/x/1/", "/api/x/2/", "/api/x/3/"]);
  });

  it("asks nobody for what the list shows of some: the others have nothing there", async () => {
    some = new Set([700]);
    await collection.all(spec, {});
    server.seen.length = 0;
    const wants = { ...spec, fields: ["some"] };
    await Promise.all(ids.map((id) => read(id, wants)));
    expect(server.seen).toEqual([]);
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
    // It was answered by the first page; the others are still asked for.
    await collection.all(spec, {});
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

  it("tells each who waited for a list of its failure as their own", async () => {
    broken = true;
    const subjects = ["a", "b"].map((name) => ({ verb: "reading", kind: "X", name }));
    const listOnly = { ...spec, single: false };
    for (const read of [
      (subject: Subject) => collection.all(spec, { subject }),
      (subject: Subject) => collection.read("1", listOnly, { subject }),
      (subject: Subject) => collection.search(() => false, spec, { subject }),
    ]) {
      const ended = await Promise.allSettled(subjects.map(read));
      expect(ended).toEqual(
        ["a", "b"].map((name) => ({
          status: "rejected",
          reason: expect.objectContaining({
            message: expect.stringContaining(`reading X "${name}": GET /api/x/ answered 400: Broken.`),
            status: 400,
          }),
        })),
      );
      for (const one of ended)
        if (one.status === "rejected") expect(ApiError.isInstance(one.reason)).toBe(true);
    }
    expect(lists()).toBe(3);
  });

  it("is asked twice, not once per object, for many that are gone from a kind with a list only", async () => {
    const listOnly = { ...spec, single: false };
    const gone = await Promise.all(Array.from({ length: 50 }, (_, index) => read(5000 + index, listOnly)));
    expect(gone.every((item) => item === undefined)).toBe(true);
    expect(await read(6000, listOnly)).toBeUndefined();
    expect(server.seen.length).toBe(2 * 10);
  });

  it("is asked once more for an object that only the last pass lacks", async () => {
    const listOnly = { ...spec, single: false };
    expect(await read(5000, listOnly)).toBeUndefined();
    collection.invalidate();
    // The first pass has 7, the second does not: whether it is gone takes another.
    let passes = 0;
    beforePage = (offset) => {
      if (offset === 0 && ++passes === 2) ids = ids.filter((id) => id !== 7);
    };
    expect(await read(5000, listOnly)).toBeUndefined();
    expect(await read(7, listOnly)).toBeUndefined();
    expect(passes).toBe(3);
  });

  it("finds by what an object says, with the same care", async () => {
    const fits = (wanted: number) => (item: unknown) => isObject(item) && item["id"] === wanted;
    expect(await collection.search(fits(101), spec, {})).toEqual({ id: 101 });
    expect(await collection.search(fits(5000), spec, {})).toBeUndefined();
    expect(server.seen.length).toBe(2 * 10);
  });

  it("answers as soon as the page that holds the object is there", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    holdPage = (offset) => (offset === 3 * PAGE ? held : undefined);
    const listOnly = { ...spec, single: false };
    expect(await read(150, listOnly)).toEqual({ id: 150 });
    let arrived = false;
    const late = read(950, listOnly).then(() => (arrived = true));
    await read(250, listOnly);
    expect(arrived).toBe(false);
    release();
    await late;
  });

  it("answers a read that began before a write from the list of that time, and the next one anew", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let holds = 0;
    holdPage = (offset) => (offset === PAGE && ++holds === 1 ? held : undefined);
    const listOnly = { ...spec, single: false };
    const before = read(999, listOnly);
    await read(1, listOnly);
    collection.invalidate();
    ids = ids.filter((id) => id !== 1);
    const after = read(1, listOnly);
    release();
    expect(await before).toEqual({ id: 999 });
    expect(await after).toBeUndefined();
  });

  it("asks for one object where there is no list at all", async () => {
    missing = true;
    await Promise.all([1, 2, 3].map((id) => read(id)));
    expect(await read(4)).toEqual({ id: 4, full: true });
  });
});
