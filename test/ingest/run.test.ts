import { readFile, utimes } from "node:fs/promises";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { ImportError, readCheckpoint, runImport, scan, type ImportArguments } from "../../src/ingest";
import {
  captureEach,
  event,
  eventLines,
  file,
  folder,
  key,
  run,
  server,
  temporaryFolder,
  unthrottled,
} from "./support";

captureEach();

const count = 5000;
const objects = (): string[] => eventLines(0, count);

describe("forms of sources", () => {
  const csv = (): string =>
    [
      "event,distinct_id,timestamp,properties",
      ...objects().map((line) => {
        const parsed = JSON.parse(line) as {
          event: string;
          properties: { distinct_id: string };
          timestamp: string;
        };
        const properties = JSON.stringify(parsed.properties).replaceAll('"', '""');
        return `${parsed.event},${parsed.properties.distinct_id},${parsed.timestamp},"${properties}"`;
      }),
    ].join("\r\n");

  const forms: readonly (readonly [string, string, () => string | Uint8Array])[] = [
    ["JSON lines", "a.ndjson", () => objects().join("\n")],
    [
      "JSON lines with a byte order mark, CRLF and blank lines",
      "a.ndjson",
      () => `\ufeff${objects().join("\r\n\r\n")}\r\n`,
    ],
    ["gzip", "a.ndjson.gz", () => gzipSync(objects().join("\n"))],
    [
      "gzip of several members",
      "a.ndjson.gz",
      () =>
        Buffer.concat([
          gzipSync(`${objects().slice(0, 2000).join("\n")}\n`),
          gzipSync(objects().slice(2000).join("\n")),
        ]),
    ],
    ["gzip under a plain name", "a.ndjson", () => gzipSync(objects().join("\n"))],
    ["a JSON array", "a.json", () => `[${objects().join(",")}]`],
    [
      "a JSON array over many lines",
      "a.json",
      () =>
        JSON.stringify(
          objects().map((line): unknown => JSON.parse(line)),
          null,
          2,
        ),
    ],
    ["a JSON array in gzip", "a.json.gz", () => gzipSync(`[\n${objects().join(",\n")}\n]`)],
    ["JSON lines called .json", "a.json", () => objects().join("\n")],
    ["CSV", "a.csv", csv],
    ["CSV in gzip", "a.csv.gz", () => gzipSync(csv())],
    [
      "CSV with semicolons",
      "a.csv",
      () => csv().replaceAll(/^([^,\n]*),([^,\n]*),([^,\n]*),/gm, "$1;$2;$3;"),
    ],
  ];

  test.each(forms)("%s", async (_, name, content) => {
    const source = await file(folder, name, content());
    const result = await run(folder, server, { source });
    expect(result).toMatchObject({ eventsSent: count, eventsSkipped: 0, status: "finished" });
    expect(server.summary).toMatchObject({
      events: count,
      received: count,
      conflicts: 0,
      checksum: result.checksum,
    });
    expect(server.summary.historicalRequests).toBe(server.summary.requests);
    expect(result.firstTime).toBe("2023-01-01T00:00:00.000Z");
  });

  test("folders and globs, each file once, in natural order", async () => {
    for (const n of [10, 9, 1]) await file(folder, `2023-${n}.ndjson`, eventLines(n * 100, n * 100 + 10));
    const order: string[] = [];
    server.interfere = async (_request, response, proceed) => {
      await proceed(response);
      order.push(...server.summary.recent.map(({ timestamp }) => timestamp ?? "").reverse());
      return true;
    };
    const result = await run(folder, server, { source: ["2023-*.ndjson", "."], concurrency: 1 });
    expect(result).toMatchObject({ eventsSent: 30, files: 3 });
    expect(order).toEqual([...order].sort());
  });
});

test("the original bytes of property values arrive, whatever a double makes of them", async () => {
  const properties =
    '{ "big": 12345678901234567890123, "exact":1.10, "e":1E5,"text" : "caf\\u00e9\\/", "nested":{"a":[1 , 2]}, "distinct_id":"u" }';
  const bodies: string[] = [];
  server.interfere = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    bodies.push(Buffer.concat(chunks).toString());
    response.end("{}");
    return true;
  };
  const source = await file(
    folder,
    "a.ndjson",
    `{"event":"x","timestamp":"2023-01-01T00:00:00+02:00","properties":${properties}}`,
  );
  await run(folder, server, { source, gzip: false });
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toContain(`"properties":${properties}`);
  expect(bodies[0]).toContain('"timestamp":"2023-01-01T00:00:00+02:00"');
  expect(bodies[0]).toContain('"historical_migration":true');
  expect(bodies[0]).not.toContain("sent_at");
});

test("requests are compressed where gzip is on, and lie within batchBytes", async () => {
  const sizes: number[] = [];
  server.interfere = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    sizes.push(gunzipSync(Buffer.concat(chunks)).length);
    response.end("{}");
    return true;
  };
  const source = await file(folder, "a.ndjson", objects());
  const result = await run(folder, server, { source, gzip: true, batchBytes: 65_536 });
  expect(sizes.length).toBe(result.requests);
  expect(sizes.length).toBeGreaterThan(8);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536 + 100);
});

describe("identity", () => {
  test("the same from run to run, whatever the batches, the machine's folder and the form of the file", async () => {
    const other = await temporaryFolder();
    const source = await file(folder, "a.ndjson", objects());
    await file(other, "b.json", `[${objects().join(",\n")}]`);
    const first = await run(folder, server, { source });
    const second = await run(other, server, { source: "b.json", batchBytes: 70_000, concurrency: 2 });
    expect(second.checksum).toBe(first.checksum);
    expect(server.summary).toMatchObject({ events: count, received: 2 * count, conflicts: 0 });
  });

  test("equal events are one, or with keep as many as there are", async () => {
    const lines = [event(1), event(2), event(1), event(1)];
    await file(folder, "a.ndjson", lines);
    await file(folder, "b.ndjson", lines);
    const merged = await run(folder, server, { source: "*.ndjson" });
    expect(merged).toMatchObject({ eventsSent: 2, eventsMerged: 6 });
    expect(server.summary.events).toBe(2);
    await file(folder, "one-line.json", `[${lines.join(",")}]`);
    for (const batchBytes of [65_536, 1_048_576]) {
      const array = {
        source: "one-line.json",
        duplicates: "keep",
        batchBytes,
        runKey: `${batchBytes}`,
      } as const;
      expect(await run(folder, server, array)).toMatchObject({ eventsSent: 4, eventsMerged: 0 });
      expect(server.summary.events).toBe(6);
    }
    const kept = await run(folder, server, { source: "*.ndjson", duplicates: "keep", runKey: "keep" });
    expect(kept).toMatchObject({ eventsSent: 8, eventsMerged: 0 });
    expect(server.summary.events).toBe(14);
    const report = await scan({ ...unthrottled, source: "*.ndjson" }, { folder });
    expect(report).toMatchObject({ events: 8, repetitions: 6, repetitionsExact: true });
    expect(report.repetitionExamples[0]).toEqual({ first: "a.ndjson:1", again: "a.ndjson:3" });
  });

  test("a uuid of the source is kept; $insert_id decides where there is one; one uuid never twice in a request", async () => {
    const uuid = "0186fb26-f7e7-747f-89ce-b8829f5c6d01";
    const line = (more: object, properties: object = {}): string =>
      JSON.stringify({
        event: "x",
        timestamp: "2023-01-01T00:00:00Z",
        properties: { distinct_id: "u", ...properties },
        ...more,
      });
    await file(folder, "a.ndjson", [
      line({ uuid }),
      line({ uuid: uuid.toUpperCase() }, { other: 1 }),
      line({}, { $insert_id: "i1", a: 1 }),
      line({}, { $insert_id: "i1", a: 2 }),
      line({}, { $insert_id: "i2", a: 2 }),
      line({ uuid: "" }, { a: 2 }),
    ]);
    const result = await run(folder, server, { source: "a.ndjson" });
    expect(result).toMatchObject({ eventsSent: 5, eventsMerged: 1, requests: 2 });
    expect(server.summary.recent.filter((sent) => sent.uuid === uuid)).toHaveLength(1);
    expect(
      server.summary.recent.every((sent) =>
        /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(sent.uuid),
      ),
    ).toBe(true);
  });
});

describe("once", () => {
  test("a finished import sends nothing again, whatever happens to the files; a run key starts it anew", async () => {
    const source = await file(folder, "a.ndjson", objects());
    const first = await run(folder, server, { source });
    const { requests } = server;
    await file(folder, "a.ndjson", eventLines(0, 10));
    const log: string[] = [];
    const second = await run(folder, server, { source: `./${source}` }, { log: (line) => log.push(line) });
    expect(second).toEqual({ ...first, requestsNow: 0 });
    expect(server.requests).toBe(requests);
    expect(log.join("\n")).toContain("nothing is sent");
    await run(folder, server, { source, runKey: "again" });
    expect(server.requests).toBeGreaterThan(requests);
  });

  test("of one source two owners make different events, neither in the way of the other", async () => {
    const source = await file(folder, "users.csv", [
      "user,created,cancelled",
      ...Array.from({ length: count }, (_, n) => `u${n},2023-01-01T00:00:00Z,2023-02-01T00:00:00Z`),
    ]);
    const made = (value: string, timestamp: string): ImportArguments => ({
      source,
      mapping: { event: { value }, distinctId: "user", timestamp, properties: [] },
      batchBytes: 65_536,
    });
    const imports = [made("signed up", "created"), made("left", "cancelled")] as const;
    const both = imports.map((args, n) => run(folder, server, args, { owner: `import-${n}` }));
    await Promise.all(both);
    expect(server.summary.events).toBe(2 * count);
    const { requests } = server;
    for (const [n, args] of imports.entries())
      expect((await run(folder, server, args, { owner: `import-${n}` })).requestsNow).toBe(0);
    expect(server.requests).toBe(requests);
  });

  test("what one imported counts for another who asks for just the same", async () => {
    const source = await file(folder, "a.ndjson", objects());
    await run(folder, server, { source });
    expect((await run(folder, server, { source }, { owner: "a" })).requestsNow).toBe(0);
    const again = { source, runKey: "again" };
    expect((await run(folder, server, again, { owner: "a" })).requestsNow).toBeGreaterThan(0);
    expect((await run(folder, server, again, { owner: "a, renamed" })).requestsNow).toBe(0);
    expect((await run(folder, server, again)).requestsNow).toBe(0);
    const renamed = { source, rename: { "Test Event": "other" } };
    expect((await run(folder, server, renamed, { owner: "b" })).eventsSent).toBe(count);
    const log: string[] = [];
    await run(folder, server, renamed, { log: (line) => log.push(line) });
    expect(log.join("\n")).toContain("set a new runKey");
  });

  test("another project gets everything", async () => {
    const source = await file(folder, "a.ndjson", objects());
    await run(folder, server, { source });
    await run(folder, server, { source }, { projectApiKey: "phc_other" });
    expect(server.store.summary("phc_other").events).toBe(count);
  });
});

describe("resume", () => {
  /** Runs until the service has answered a number of requests, then breaks off. */
  async function breakOff(args: ImportArguments, afterRequests: number): Promise<ImportError> {
    const controller = new AbortController();
    let answered = 0;
    server.interfere = async (_request, response, proceed) => {
      await proceed(response);
      if (++answered === afterRequests) controller.abort();
      return true;
    };
    const stopped = await run(folder, server, args, { signal: controller.signal }).catch(
      (error: unknown) => error,
    );
    server.interfere = () => false;
    expect(stopped).toBeInstanceOf(ImportError);
    return stopped as ImportError;
  }

  const small = { batchBytes: 65_536, concurrency: 2 } as const;

  test.each(["a.ndjson", "a.ndjson.gz", "a.json", "a.csv"])("goes on in %s where it was", async (name) => {
    const lines = objects();
    const content = name.endsWith(".csv")
      ? [
          "event,distinct_id,timestamp,n",
          ...lines.map((_, n) => `"Test\nEvent",u${n},2023-01-01T00:00:00Z,${n}`),
        ].join("\n")
      : name.endsWith(".json")
        ? `[${lines.join(",\n")}]`
        : lines.join("\n");
    await file(folder, name, name.endsWith(".gz") ? gzipSync(content) : content);
    const error = await breakOff({ source: name, ...small }, 3);
    const checkpoint = readCheckpoint(JSON.parse(JSON.stringify(error.checkpoint)));
    expect(checkpoint?.files[0]?.totals.sent).toBeGreaterThan(100);
    const before = server.summary.received;
    const result = await run(folder, server, { source: name, ...small });
    expect(result.eventsSent).toBe(count);
    expect(server.summary).toMatchObject({ events: count, checksum: result.checksum });
    expect(server.summary.received - before).toBeLessThan(count - 100);
  });

  test("goes on from a checkpoint that another machine kept, and without any starts over harmlessly", async () => {
    const source = await file(folder, "a.ndjson", objects());
    const error = await breakOff({ source, ...small }, 4);
    const elsewhere = await temporaryFolder();
    await file(elsewhere, "a.ndjson", objects());
    const log: string[] = [];
    const options = {
      folder: elsewhere,
      ingestHost: server.url,
      projectApiKey: key,
      log: (line: string) => log.push(line),
    };
    const before = server.summary.received;
    const resumed = await runImport(
      { source, ...small, ...unthrottled },
      { ...options, checkpoint: error.checkpoint },
    );
    expect(log.join("\n")).toMatch(/goes on after [\d,]+ events/);
    expect(server.summary.received - before).toBeLessThan(count);
    const third = await temporaryFolder();
    await file(third, "a.ndjson", objects());
    const again = await runImport({ source, ...unthrottled }, { ...options, folder: third });
    expect(again.checksum).toBe(resumed.checksum);
    expect(server.summary).toMatchObject({ events: count, conflicts: 0, checksum: resumed.checksum });
  });

  test("goes on here although a checkpoint of another project came further elsewhere", async () => {
    const source = await file(folder, "a.ndjson", objects());
    const other = await breakOff({ source, ...small, runKey: "other" }, 6);
    const elsewhere = { ...other.checkpoint, destination: "another" };
    await breakOff({ source, ...small }, 2);
    const before = server.summary.received;
    const log: string[] = [];
    const options = { checkpoint: elsewhere, log: (line: string) => log.push(line) };
    expect(await run(folder, server, { source, ...small }, options)).toMatchObject({ eventsSent: count });
    expect(log.join("\n")).toMatch(/goes on after/);
    expect(server.summary.received - before).toBeLessThan(count);
  });

  test("says which files changed, and reads those again", async () => {
    await file(folder, "a.ndjson", eventLines(0, 2000));
    await file(folder, "b.ndjson", eventLines(2000, count));
    await breakOff({ source: "*.ndjson", ...small }, 6);
    await file(folder, "a.ndjson", eventLines(0, 2010));
    await utimes(path.join(folder, "b.ndjson"), new Date(), new Date());
    await file(folder, "c.ndjson", eventLines(count, count + 10));
    const log: string[] = [];
    const result = await run(folder, server, { source: "*.ndjson" }, { log: (line) => log.push(line) });
    expect(log.join("\n")).toContain("a.ndjson changed since it was imported");
    expect(log.join("\n")).toContain("c.ndjson is new");
    expect(log.join("\n")).not.toContain("b.ndjson");
    expect(server.summary.events).toBe(count + 10);
    expect(result.eventsSent).toBe(count + 20);
  });

  test("no key stands in a checkpoint or an error", async () => {
    const source = await file(folder, "a.ndjson", objects());
    const error = await breakOff({ source, ...small }, 2);
    expect(JSON.stringify(error.checkpoint)).not.toContain(key);
    server.interfere = (_request, response) => {
      response.writeHead(403).end(`no ${key} here`);
      return true;
    };
    const refused = await run(folder, server, { source }).catch((thrown: unknown) => thrown);
    expect(String(refused)).toContain("403");
    expect(String(refused)).not.toContain(key);
  });
});

describe("invalid events", () => {
  const lines = [
    ...eventLines(0, 10),
    "{broken",
    ...eventLines(10, 20),
    '{"event":"x"}',
    ...eventLines(20, 30),
  ];

  test("fail: preview names them, and a run stops there", async () => {
    const source = await file(folder, "a.ndjson", lines);
    const report = await scan({ source }, { folder });
    expect(report.invalid).toEqual({ "not-json": 1, "distinct-id-missing": 1 });
    expect(report.invalidExamples.map(({ file: name, line }) => `${name}:${line}`)).toEqual([
      "a.ndjson:11",
      "a.ndjson:22",
    ]);
    await expect(run(folder, server, { source })).rejects.toThrow("a.ndjson:11 is not valid JSON");
    expect(server.requests).toBe(0);
  });

  test("skip: each into the dead-letter file, once, also over an interruption", async () => {
    const source = await file(folder, "a.ndjson", [...lines, ...eventLines(30, count)]);
    const args = {
      source,
      onInvalid: "skip",
      deadLetterFile: "dead.ndjson",
      batchBytes: 65_536,
      concurrency: 1,
    } as const;
    const controller = new AbortController();
    server.interfere = async (_request, response, proceed) => {
      await proceed(response);
      controller.abort();
      return true;
    };
    await expect(run(folder, server, args, { signal: controller.signal })).rejects.toThrow("interrupted");
    server.interfere = () => false;
    const result = await run(folder, server, args);
    expect(result).toMatchObject({
      eventsSent: count,
      eventsSkipped: 2,
      skipped: { "not-json": 1, "distinct-id-missing": 1 },
    });
    const dead = (await readFile(path.join(folder, "dead.ndjson"), "utf8"))
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(dead).toMatchObject([
      { file: "a.ndjson", line: 11, reason: "not-json", original: "{broken" },
      { file: "a.ndjson", line: 22, reason: "distinct-id-missing", original: '{"event":"x"}' },
    ]);
    expect(server.summary.events).toBe(count);
  });
});
