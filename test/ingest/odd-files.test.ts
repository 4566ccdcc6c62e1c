import { mkdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import {
  exportEvents,
  ImportError,
  scan,
  scanProblems,
  settingsOf,
  type ImportArguments,
} from "../../src/ingest";
import { listFiles } from "../../src/ingest/source/files";
import { captureEach, event, eventLines, file, folder, run, server } from "./support";

captureEach();

/** What a capture request held, event by event. */
async function sentEvents(args: ImportArguments): Promise<Record<string, unknown>[]> {
  await exportEvents(args, { folder, out: "out/events.ndjson" });
  const text = await readFile(path.join(folder, "out/events.ndjson"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("gzip", () => {
  const good = gzipSync(`${eventLines(0, 3).join("\n")}\n`);
  const damaged = Buffer.from(good);
  damaged.writeUInt8((damaged.at(-6) ?? 0) ^ 1, damaged.length - 6);
  const large = gzipSync(eventLines(0, 20_000).join("\n"));
  const hole = Buffer.from(large);
  hole.fill(0xff, large.length - 20_000, large.length - 19_000);

  test.each([
    ["zeros behind it, as tapes leave them", Buffer.concat([good, Buffer.alloc(10)]), 3, {}],
    ["many zeros behind it", Buffer.concat([good, Buffer.alloc(100_000)]), 3, {}],
    ["plain lines behind it", Buffer.concat([good, Buffer.from(event(3))]), 3, { "file-broken": 1 }],
    [
      "zeros and plain lines",
      Buffer.concat([good, Buffer.alloc(9), Buffer.from(event(3))]),
      3,
      { "file-broken": 1 },
    ],
    ["a wrong checksum at its end", damaged, 3, { "file-broken": 1 }],
    ["many members", Buffer.concat(eventLines(0, 3000).map((line) => gzipSync(`${line}\n`))), 3000, {}],
  ])("with %s", async (_, content, sent, skipped) => {
    const source = await file(folder, "a.ndjson.gz", content);
    const result = await run(folder, server, { source, onInvalid: "skip" });
    expect(result).toMatchObject({ eventsSent: sent, skipped });
    expect(server.summary.events).toBe(sent);
  });

  test("damaged in the middle: every event before the damage arrives", async () => {
    const source = await file(folder, "a.ndjson.gz", hole);
    const result = await run(folder, server, { source, onInvalid: "skip" });
    expect(result.skipped["file-broken"]).toBe(1);
    // Whoever drops the piece in which decompression fails loses some 2000 more.
    const lost = 20_000 * (20_000 / large.length);
    expect(result.eventsSent).toBeGreaterThan(20_000 - lost - 300);
  });
});

describe("lines", () => {
  test("what is no JSON white space makes no blank line", async () => {
    const lines = [event(0), " \t", "\u0000\u0000", "\f", "", event(1), "\u0000".repeat(5000)];
    const source = await file(folder, "a.ndjson", lines.join("\n"));
    const result = await run(folder, server, { source, onInvalid: "skip" });
    expect(result).toMatchObject({ eventsSent: 2, skipped: { "not-json": 3 } });
  });

  test("a number as distinct_id is held to the same length as text", async () => {
    const line = (digits: number): string =>
      `{"event":"x","timestamp":"2023-01-01T00:00:00Z","properties":{"distinct_id":${"1".repeat(digits)}}}`;
    const source = await file(folder, "a.ndjson", [line(200), line(201)]);
    const result = await run(folder, server, { source, onInvalid: "skip" });
    expect(result).toMatchObject({ eventsSent: 1, skipped: { "distinct-id-too-long": 1 } });
  });
});

test.each([
  ["2023-01-01T02:00:00+02", "2023-01-01T02:00:00+02:00"],
  ["2023-01-01T00:00:00-0030", "2023-01-01T00:00:00-0030"],
  ["2023-01-01t00:00:00z", "2023-01-01T00:00:00Z"],
  ["2023-01-01T00:00:00,125Z", "2023-01-01T00:00:00.125Z"],
  ["2023-01-01T00:00:00.123456789012Z", "2023-01-01T00:00:00.123456789012Z"],
  ["2023-01-01 00:00:00+00:00", "2023-01-01 00:00:00+00:00"],
  ["2023-01-01T00:00Z", "2023-01-01T00:00Z"],
])("a time written as %s is sent as %s", async (timestamp, sent) => {
  const line = { event: "x", timestamp, properties: { distinct_id: "u" } };
  const source = await file(folder, "a.ndjson", JSON.stringify(line));
  expect(await sentEvents({ source })).toMatchObject([{ timestamp: sent }]);
});

describe("CSV", () => {
  const header = "event,distinct_id,timestamp,p";
  const row = (n: number, cell: string): string => `e,u${n},2023-01-01T00:00:00Z,${cell}`;

  test.each([
    ["LF, then CRLF", `${header}\n${row(1, "a")}\n${row(2, "b")}\r\n${row(3, "c")}\n`, ["a", "b", "c"]],
    ["CRLF, then LF", `${header}\r\n${row(1, "a")}\r\n${row(2, "b")}\n${row(3, "c")}\r\n`, ["a", "b", "c"]],
    ["a lone CR inside a cell", `${header}\n${row(1, "a\rb")}\n${row(2, "c")}\n`, ["a\rb", "c"]],
    ["a quoted CRLF inside a cell", `${header}\n${row(1, '"a\r\nb"')}\n${row(2, "c")}\n`, ["a\r\nb", "c"]],
  ])("%s", async (_, content, cells) => {
    const source = await file(folder, "a.csv", content);
    const events = await sentEvents({ source });
    expect(events.map(({ event: name, properties }) => [name, properties])).toEqual(
      cells.map((p, index) => ["e", { distinct_id: `u${index + 1}`, p }]),
    );
  });

  test("lines that end in CR alone are told, not taken for a header without rows", async () => {
    const source = await file(folder, "a.csv", [header, row(1, "a")].join("\r"));
    const report = await scan({ source }, { folder });
    expect(report.invalidExamples[0]?.explanation).toContain("CR alone");
  });

  test("a row that makes no event is set aside as it stands in the file", async () => {
    const bad = 'e,"u ""2""",,"a; b"';
    const source = await file(folder, "a.csv", `${header}\r\n${row(1, "a")}\r\n${bad}\r\n`);
    await run(folder, server, { source, onInvalid: "skip", deadLetterFile: "dead.ndjson" });
    const letter: unknown = JSON.parse(await readFile(path.join(folder, "dead.ndjson"), "utf8"));
    expect(letter).toMatchObject({ line: 3, reason: "timestamp-missing", original: bad });
  });

  test("columns may be called as what every object has", async () => {
    const names = "constructor,toString,__proto__,hasOwnProperty";
    const source = await file(folder, "a.csv", `name,user,at,${names}\ne,u1,2023-01-01T00:00:00Z,1,2,3,4\n`);
    const mapping = { event: "name", distinctId: "user", timestamp: "at" };
    const [sent] = await sentEvents({ source, mapping });
    expect(Object.entries(sent?.["properties"] ?? {})).toEqual([
      ["distinct_id", "u1"],
      ...names.split(",").map((name, index) => [name, `${index + 1}`]),
    ]);
  });
});

describe("files", () => {
  test("each file once, whatever leads to it; equal numbers have an order of their own", async () => {
    for (const name of ["p-1.ndjson", "p-01.ndjson", "p-001.ndjson", "p-2.ndjson"])
      await file(folder, name, event(1));
    await symlink("p-2.ndjson", path.join(folder, "link.ndjson"));
    await symlink(".", path.join(folder, "loop"));
    const files = await listFiles({ source: ["p-*.ndjson", "."] }, folder);
    expect(files.map(({ name }) => name)).toEqual([
      "p-001.ndjson",
      "p-01.ndjson",
      "p-1.ndjson",
      "p-2.ndjson",
    ]);
  });

  test("what the import writes is never read, and never written over what it reads", async () => {
    const source = await file(folder, "a.ndjson", [event(1), "broken"]);
    await symlink("a.ndjson", path.join(folder, "same.ndjson"));
    const before = await readFile(path.join(folder, "a.ndjson"), "utf8");
    const args = { source, onInvalid: "skip" } as const;
    for (const out of ["a.ndjson", "./a.ndjson", "same.ndjson"]) {
      const written = exportEvents(args, { folder, out });
      await expect(written).rejects.toThrow("out: a.ndjson is a file to import");
      const sent = run(folder, server, { ...args, deadLetterFile: out });
      await expect(sent).rejects.toThrow("deadLetterFile: a.ndjson is a file to import");
    }
    expect(await readFile(path.join(folder, "a.ndjson"), "utf8")).toBe(before);
    expect(server.requests).toBe(0);
  });

  test("a folder's own output is no part of it", async () => {
    await mkdir(path.join(folder, "f"));
    await file(folder, "f/a.ndjson", [event(1), "broken"]);
    const args = {
      source: "f",
      onInvalid: "skip",
      deadLetterFile: "f/dead.ndjson",
      checkpointFolder: "f",
    } as const;
    for (const runKey of ["first", "second"]) {
      const result = await run(folder, server, { ...args, runKey });
      expect(result).toMatchObject({ eventsSent: 1, eventsSkipped: 1 });
    }
    for (let time = 0; time < 2; time++)
      expect(await exportEvents(args, { folder, out: "f/out.ndjson" })).toMatchObject({ events: 1 });
  });

  test("a place that cannot be written to is told before anything is read", async () => {
    const source = await file(folder, "a.ndjson", event(1));
    const written = exportEvents({ source }, { folder, out: "." });
    await expect(written).rejects.toThrow(ImportError);
    await expect(exportEvents({ source }, { folder, out: "." })).rejects.toThrow(
      "out: . cannot be written (EISDIR)",
    );
  });

  test("a shard that has none of the files has nothing to do, which is no mistake", async () => {
    const source = await file(folder, "a.ndjson", event(1));
    const args = { source, shard: { index: 1, count: 2 } };
    const report = await scan(args, { folder });
    expect(scanProblems(report, settingsOf(args))).toEqual([]);
    expect(await run(folder, server, args)).toMatchObject({ eventsSent: 0, status: "finished" });
    const empty = await file(folder, "empty.ndjson", "");
    const nothing = await scan({ source: empty }, { folder });
    expect(scanProblems(nothing, settingsOf({ source: empty }))).toHaveLength(1);
  });
});
