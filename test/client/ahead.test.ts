import { ApiClient } from "../../src/client/client";
import { closeConnections } from "../../src/client/transport";
import { TestServer, type Answer, type Seen } from "./server";

let server: TestServer;
afterEach(async () => {
  await closeConnections();
  await server.close();
});

async function serve(answer: (seen: Seen) => Answer | Promise<Answer>): Promise<ApiClient> {
  server = await TestServer.start(answer);
  return new ApiClient({ host: server.url, apiKey: "phx_test" });
}

const offsetOf = ({ path }: Seen): number => Number(new URL(path, "http://x").searchParams.get("offset"));
/** A page of two out of so many numbers. */
function page(offset: number, total: number, step = 2): Answer {
  const results = objects(offset, Math.max(offset, Math.min(offset + 2, total)));
  const next = offset + step < total ? `/api/x/?limit=2&offset=${offset + step}` : null;
  return { json: { count: total, next, previous: null, results } };
}
const objects = (from: number, to: number): { id: number }[] =>
  Array.from({ length: to - from }, (_, index) => ({ id: from + index }));

test("the pages of a long list are asked for together, each once, and come in their order", async () => {
  const held: (() => void)[] = [];
  const client = await serve(async (seen) => {
    const offset = offsetOf(seen);
    // The second page is answered once the fourth is asked for: one after the other nobody would get there.
    if (offset === 2) await new Promise<void>((resolve) => held.push(resolve));
    if (offset === 6) for (const go of held) go();
    return page(offset, 21);
  });
  expect(await client.list("/api/x/")).toEqual(objects(0, 21));
  expect(server.seen.map(offsetOf).sort((a, b) => a - b)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
});

test("where another page comes next than could be told, the service's word counts", async () => {
  // From the second page on it steps by one.
  const client = await serve((seen) => page(offsetOf(seen), 7, offsetOf(seen) === 0 ? 2 : 1));
  expect(await client.list("/api/x/")).toEqual(objects(0, 7));
});

test("a page that fails before it is its turn fails the list in its turn, and nothing else", async () => {
  const client = await serve((seen) =>
    offsetOf(seen) === 6 ? { status: 403, json: { detail: "no" } } : page(offsetOf(seen), 9),
  );
  const pages: unknown[] = [];
  await expect(async () => {
    for await (const one of client.pages("/api/x/")) pages.push(one);
  }).rejects.toThrow("403");
  expect(pages).toEqual([objects(0, 2), objects(2, 4), objects(4, 6)]);
});

test("of a list that became shorter meanwhile, what was asked for in vain harms nobody", async () => {
  const client = await serve((seen) =>
    offsetOf(seen) < 4 ? page(offsetOf(seen), offsetOf(seen) === 0 ? 9 : 4) : { status: 404, json: {} },
  );
  expect(await client.list("/api/x/")).toEqual(objects(0, 4));
});
