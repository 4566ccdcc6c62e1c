import { readFile, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { finishedImport } from "../../src/ingest";
import { filesDigest, isSameDigest, printOf, samplePlaces } from "../../src/ingest/source/print";
import { CaptureServer, event, eventLines, file, key, run, temporaryFolder } from "./support";

/* Whether a file is still the one that was read: by parts of it, wherever it changed. */

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

const MIB = 1024 * 1024;

test.each([0, 1, 65_536, 65_537, 100_000, 163_840, 163_841, 200_000, 5 * MIB, 40_000_000_000])(
  "of %i bytes: samples lie behind the head, up to the end, and are few",
  (size) => {
    const places = samplePlaces(size);
    let read = 65_536;
    let end = 65_536;
    for (const [from, to] of places) {
      expect(from).toBeGreaterThanOrEqual(end);
      expect(to).toBeGreaterThan(from);
      read += to - from;
      end = to;
    }
    expect(places.at(-1)?.[1] ?? size).toBe(size);
    expect(read).toBeLessThanOrEqual(160 * 1024 + 4096);
  },
);

test.each([
  ["in its head", 1000],
  ["in its end", 3 * MIB - 5],
  ["in a sample", 65_536 + 10],
])("a file that changed %s has another print", async (_, at) => {
  const target = path.join(folder, "a");
  const bytes = Buffer.alloc(3 * MIB, "x");
  await writeFile(target, bytes);
  const before = await printOf(target, bytes.length);
  bytes[at] = 0x79;
  await writeFile(target, bytes);
  expect(await printOf(target, bytes.length)).not.toEqual(before);
});

test("a digest of an earlier version is compared as far as it goes", () => {
  const known = { name: "a", size: 1, head: "h" };
  const old = filesDigest([known]);
  const now = filesDigest([{ ...known, samples: "s" }]);
  expect([isSameDigest(old, now), isSameDigest(now, old), isSameDigest(now, now)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(isSameDigest(filesDigest([{ ...known, samples: "t" }]), now)).toBe(false);
  expect(isSameDigest(filesDigest([{ ...known, head: "i", samples: "s" }]), now)).toBe(false);
});

describe("an import", () => {
  let server: CaptureServer;
  beforeEach(async () => {
    server = await CaptureServer.start();
  });
  afterEach(() => server.stop());

  const COUNT = 4000;
  const small = { batchBytes: 65_536, concurrency: 1 } as const;

  /** Stops in the middle of the file; how many events were acknowledged. */
  async function interrupted(): Promise<unknown> {
    const controller = new AbortController();
    let requests = 0;
    server.interfere = async (_request, response, proceed) => {
      await proceed(response);
      if (++requests === 4) controller.abort();
      return true;
    };
    const stopped: unknown = await run(
      folder,
      server,
      { source: "a.ndjson", ...small },
      { signal: controller.signal },
    ).catch((error: unknown) => error);
    server.interfere = () => false;
    return (stopped as { checkpoint: unknown }).checkpoint;
  }

  async function changeTheEnd(): Promise<void> {
    const target = path.join(folder, "a.ndjson");
    const text = await readFile(target, "utf8");
    const last = event(COUNT - 1);
    expect(text.endsWith(`${last}\n`)).toBe(true);
    // As many bytes as before, and the same time.
    await writeFile(target, text.replace(last, last.replace("Test Event", "Best Event")));
    await utimes(target, 1_700_000_000, 1_700_000_000);
  }

  test("starts a file over that changed near its end, with the same size", async () => {
    await file(folder, "a.ndjson", eventLines(0, COUNT));
    await interrupted();
    await changeTheEnd();
    const said: string[] = [];
    await run(folder, server, { source: "a.ndjson", ...small }, { log: (line) => void said.push(line) });
    expect(said.join("\n")).toContain("a.ndjson changed since it was begun");
    expect(server.summary).toMatchObject({ events: COUNT, conflicts: 0 });
  });

  test("goes on from a checkpoint that an earlier version wrote, and from then on sees such changes", async () => {
    await file(folder, "a.ndjson", eventLines(0, COUNT));
    const checkpoint = (await interrupted()) as { files: Record<string, unknown>[] };
    for (const one of checkpoint.files) delete one["samples"];
    const { received } = server.summary;
    const result = await run(
      folder,
      server,
      { source: "a.ndjson", ...small, checkpointFolder: "elsewhere" },
      { checkpoint },
    );
    expect(result.eventsSent).toBe(COUNT);
    expect(server.summary.received).toBe(COUNT);
    expect(received).toBeLessThan(COUNT);
    expect(result.filesDigest).toMatch(/^[0-9a-f]{32}-[0-9a-f]{32}$/);
  });

  test("that has finished says that its files changed, and sends nothing", async () => {
    await file(folder, "a.ndjson", eventLines(0, COUNT));
    const args = { source: "a.ndjson", ...small };
    await run(folder, server, args);
    await changeTheEnd();
    const said: string[] = [];
    const { requests } = server;
    await run(folder, server, args, { log: (line) => void said.push(line) });
    expect(said.join("\n")).toContain("its files changed since then: set a new runKey");
    expect(server.requests).toBe(requests);
    const where = { folder, ingestHost: server.url, projectApiKey: key };
    expect(await finishedImport({ ...args, eventsPerMinute: "unlimited" }, where)).toBeDefined();
  });
});
