import { readFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Reason } from "../../src/ingest/event/reasons";
import {
  argumentProblems,
  destinationProblems,
  ImportError,
  scan,
  type ImportArguments,
} from "../../src/ingest";
import { captureEach, event, file, folder, run, server } from "./support";

captureEach();

const base = { event: "x", timestamp: "2023-01-01T00:00:00Z", properties: { distinct_id: "u" } };
const with_ = (more: object): string => JSON.stringify({ ...base, ...more });
const time = (timestamp: unknown): string => with_({ timestamp });
const hours = (n: number): string => new Date(Date.now() + n * 3_600_000).toISOString();
const long = (bytes: number): string => with_({ properties: { distinct_id: "u", text: "x".repeat(bytes) } });

/** One invalid line each, between two valid ones. */
const lines: readonly (readonly [what: string, line: string | Buffer, reason: Reason])[] = [
  ["no JSON at all", "hello", "not-json"],
  ["JSON that is cut off", '{"event":"x"', "not-json"],
  ["a string that is not closed", '{"event":"x', "not-json"],
  ["a comma at the end of an object", '{"event":"x",}', "not-json"],
  ["a comma at the end of an array", '{"event":"x","a":[1,]}', "not-json"],
  ["two values on one line", `${with_({})}${with_({})}`, "not-json"],
  ["a comma behind the object", `${with_({})},`, "not-json"],
  ["single quotes", "{'event':'x'}", "not-json"],
  ["a name without quotes", '{event:"x"}', "not-json"],
  ["a comment", `${with_({})} // why`, "not-json"],
  ["NaN", '{"event":"x","a":NaN}', "not-json"],
  ["Infinity", '{"event":"x","a":Infinity}', "not-json"],
  ["a number with a leading zero", '{"event":"x","a":01}', "not-json"],
  ["a number with a plus", '{"event":"x","a":+1}', "not-json"],
  ["a number that ends in a point", '{"event":"x","a":1.}', "not-json"],
  ["a hexadecimal number", '{"event":"x","a":0x1}', "not-json"],
  ["an unknown escape", '{"event":"\\x"}', "not-json"],
  ["an escape that is cut off", '{"event":"\\u12"}', "not-json"],
  ["a tab inside a string", '{"event":"a\tb"}', "not-json"],
  ["a zero byte", '{"event":"a\u0000b"}', "not-json"],
  ["a byte order mark in the middle of the file", `\ufeff${with_({})}`, "not-json"],
  ["Python's None", '{"event":None}', "not-json"],
  ["an array", "[1,2]", "not-an-object"],
  ["a string", '"event"', "not-an-object"],
  ["a number", "42", "not-an-object"],
  ["null", "null", "not-an-object"],
  ["an array of an event", `[${with_({})}]`, "not-an-object"],
  ["Latin-1", Buffer.from('{"event":"caf\xe9"}', "latin1"), "not-utf8"],
  [
    "UTF-8 that is cut off",
    Buffer.concat([Buffer.from('{"event":"'), Buffer.from([0xe2, 0x82]), Buffer.from('"}')]),
    "not-utf8",
  ],
  [
    "an overlong form",
    Buffer.concat([Buffer.from('{"event":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    "not-utf8",
  ],
  [
    "a surrogate in UTF-8",
    Buffer.concat([Buffer.from('{"event":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    "not-utf8",
  ],
  ["half of a surrogate pair", with_({}).replace('"u"', '"u","a":"\\ud800"'), "lone-surrogate"],
  ["half of a surrogate pair in a name", with_({}).replace('"u"', '"u","\\udc00":1'), "lone-surrogate"],
  ["a number beyond a double", with_({}).replace('"u"', '"u","a":1e999'), "number-out-of-range"],
  ["101 levels", with_({}).replace('"u"', `"u","a":${"[".repeat(99)}${"]".repeat(99)}`), "too-deep"],
  [
    "a hundred thousand levels",
    with_({}).replace('"u"', `"u","a":${"[".repeat(100_000)}${"]".repeat(100_000)}`),
    "too-deep",
  ],
  ["a line over 1 MB", long(1_000_000), "line-too-long"],
  ["a line of 3 MB", long(3_000_000), "line-too-long"],
  [
    "no event name",
    JSON.stringify({ timestamp: base.timestamp, properties: base.properties }),
    "event-missing",
  ],
  ["an event name of null", with_({ event: null }), "event-missing"],
  ["a number as event name", with_({ event: 1 }), "event-not-a-string"],
  ["an object as event name", with_({ event: {} }), "event-not-a-string"],
  ["an empty event name", with_({ event: "" }), "event-empty"],
  ["an event name of blanks", with_({ event: "  " }), "event-empty"],
  ["no distinct_id", with_({ properties: {} }), "distinct-id-missing"],
  [
    "neither distinct_id nor properties",
    JSON.stringify({ event: "x", timestamp: base.timestamp }),
    "distinct-id-missing",
  ],
  ["a distinct_id of null", with_({ properties: { distinct_id: null } }), "distinct-id-missing"],
  ["an empty distinct_id", with_({ properties: { distinct_id: "" } }), "distinct-id-empty"],
  ["an empty distinct_id at the top level", with_({ distinct_id: "" }), "distinct-id-empty"],
  ["a distinct_id of blanks", with_({ properties: { distinct_id: " " } }), "distinct-id-empty"],
  [
    "a distinct_id of 201 characters",
    with_({ properties: { distinct_id: "x".repeat(201) } }),
    "distinct-id-too-long",
  ],
  ["a boolean as distinct_id", with_({ properties: { distinct_id: true } }), "distinct-id-type"],
  ["an object as distinct_id", with_({ properties: { distinct_id: { id: 1 } } }), "distinct-id-type"],
  ["a fraction as distinct_id", with_({ properties: { distinct_id: 1.5 } }), "distinct-id-type"],
  ["no timestamp", JSON.stringify({ event: "x", properties: base.properties }), "timestamp-missing"],
  ["a timestamp of null", time(null), "timestamp-missing"],
  ["an empty timestamp", time(""), "timestamp-missing"],
  ["a number as timestamp", time(1_672_531_200), "timestamp-type"],
  ["a timestamp without zone", time("2023-01-01T00:00:00"), "timestamp-without-zone"],
  ["a timestamp without zone, with a blank", time("2023-01-01 00:00:00.123"), "timestamp-without-zone"],
  ["a date alone", time("2023-01-01"), "timestamp-without-zone"],
  ["an American date", time("01/31/2023 10:00 PM"), "timestamp-format"],
  ["a date of words", time("Sun Jan 01 2023 00:00:00 GMT"), "timestamp-format"],
  ["seconds as text", time("1672531200"), "timestamp-format"],
  ["the 30th of February", time("2023-02-30T00:00:00Z"), "timestamp-format"],
  ["the 29th of February of no leap year", time("2023-02-29T00:00:00Z"), "timestamp-format"],
  ["month 13", time("2023-13-01T00:00:00Z"), "timestamp-format"],
  ["hour 25", time("2023-01-01T25:00:00Z"), "timestamp-format"],
  ["a leap second", time("2016-12-31T23:59:60Z"), "timestamp-format"],
  ["a zone that does not exist", time("2023-01-01T00:00:00+25:00"), "timestamp-format"],
  ["something behind the zone", time("2023-01-01T00:00:00Z[UTC]"), "timestamp-format"],
  ["tomorrow", time(hours(24)), "timestamp-future"],
  ["the year 9999", time("9999-01-01T00:00:00Z"), "timestamp-future"],
  ["1969", time("1969-12-31T23:59:59Z"), "timestamp-before-1970"],
  ["1970 in a zone that makes it 1969", time("1970-01-01T00:00:00+01:00"), "timestamp-before-1970"],
  ["properties of null", with_({ distinct_id: "u", properties: null }), "properties-type"],
  ["properties of an array", with_({ distinct_id: "u", properties: [] }), "properties-type"],
  ["properties of text", with_({ distinct_id: "u", properties: "{}" }), "properties-type"],
  ["a $set of text", with_({ $set: "x" }), "set-type"],
  ["a $set_once of an array", with_({ $set_once: [] }), "set-type"],
  ["a uuid of words", with_({ uuid: "not-a-uuid" }), "uuid-invalid"],
  ["a uuid without hyphens", with_({ uuid: "0186fb26f7e7747f89ceb8829f5c6d01" }), "uuid-invalid"],
  ["a number as uuid", with_({ uuid: 7 }), "uuid-invalid"],
  [
    "$identify of an empty anonymous user",
    with_({ event: "$identify", properties: { distinct_id: "u", $anon_distinct_id: "" } }),
    "identify-shape",
  ],
  [
    "$identify of a number",
    with_({ event: "$identify", properties: { distinct_id: "u", $anon_distinct_id: 1 } }),
    "identify-shape",
  ],
  [
    "$identify with a $set of text",
    with_({ event: "$identify", properties: { distinct_id: "u", $set: "x" } }),
    "set-type",
  ],
  [
    "$group_identify without a type",
    with_({ event: "$group_identify", properties: { distinct_id: "u", $group_key: "k" } }),
    "group-identify-shape",
  ],
  [
    "$group_identify without a key",
    with_({ event: "$group_identify", properties: { distinct_id: "u", $group_type: "t" } }),
    "group-identify-shape",
  ],
  [
    "$group_identify with a $group_set of text",
    with_({
      event: "$group_identify",
      properties: { distinct_id: "u", $group_type: "t", $group_key: "k", $group_set: "s" },
    }),
    "group-identify-shape",
  ],
];

interface DeadLetter {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
  readonly original?: string;
  readonly originalBase64?: string;
}

async function deadLetters(): Promise<DeadLetter[]> {
  const text = await readFile(path.join(folder, "dead.ndjson"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as DeadLetter);
}

const skipping = (source: string, more: Partial<ImportArguments> = {}): ImportArguments => ({
  source,
  onInvalid: "skip",
  deadLetterFile: "dead.ndjson",
  ...more,
});

test("the table has at least 80 cases", () => {
  expect(lines.length + files.length + argumentCases.length).toBeGreaterThanOrEqual(80);
});

test("every invalid line is named with its reason, and nothing valid beside it is lost", async () => {
  const parts = lines.flatMap(([, line], index) => [
    Buffer.from(`${event(2 * index)}\n`),
    Buffer.from(line),
    Buffer.from(`\n${event(2 * index + 1)}\n`),
  ]);
  await file(folder, "a.ndjson", Buffer.concat(parts));
  const result = await run(folder, server, skipping("a.ndjson"));
  const found = (await deadLetters()).map((dead) => [dead.file, dead.line, dead.reason]);
  expect(found).toEqual(lines.map(([, , reason], index) => ["a.ndjson", 3 * index + 2, reason]));
  expect(result.eventsSent).toBe(2 * lines.length);
  expect(server.summary).toMatchObject({ events: 2 * lines.length, checksum: result.checksum });
});

test.each(lines)("%s stops an import, with file, line and reason", async (_, line, reason) => {
  await file(folder, "a.ndjson", Buffer.concat([Buffer.from(`${event(1)}\n\n`), Buffer.from(line)]));
  const report = await scan({ source: "a.ndjson" }, { folder, cache: false });
  expect(report.invalid).toEqual({ [reason]: 1 });
  expect(report.invalidExamples).toMatchObject([{ file: "a.ndjson", line: 3, reason }]);
  const error = await run(folder, server, { source: "a.ndjson" }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ImportError);
  expect(String(error)).toContain("a.ndjson:3 ");
  expect(server.requests).toBe(0);
});

test("the original line stands in the dead-letter file, byte for byte", async () => {
  await file(
    folder,
    "a.ndjson",
    Buffer.concat([Buffer.from('{"event": 1 }\r\n'), Buffer.from([0xff, 0xfe, 0x0a])]),
  );
  await run(folder, server, skipping("a.ndjson"));
  const [first, second] = await deadLetters();
  expect(first?.original).toBe('{"event": 1 }');
  expect(second?.originalBase64).toBe(Buffer.from([0xff, 0xfe]).toString("base64"));
});

const good = (n: number): string => event(n);
const csvHeader = "event,distinct_id,timestamp,amount";
const csvRow = (n: number): string => `x,u${n},2023-01-01T00:00:00Z,${n}`;

/** Files that are broken as files: what is found, and how many events are sent all the same. */
const files: readonly (readonly [
  what: string,
  name: string,
  content: string | Buffer,
  found: readonly (readonly [number, Reason])[],
  sent: number,
  more?: Partial<ImportArguments>,
])[] = [
  [
    "gzip that is cut off",
    "a.ndjson.gz",
    gzipSync(Array.from({ length: 5000 }, (_, n) => good(n)).join("\n")).subarray(0, -20),
    [[0, "file-broken"]],
    -1,
  ],
  [
    "gzip with a wrong checksum",
    "a.ndjson.gz",
    Buffer.concat([gzipSync(`${good(1)}\n${good(2)}\n`).subarray(0, -8), Buffer.alloc(8)]),
    [[3, "file-broken"]],
    2,
  ],
  [
    "a JSON array that is cut off inside an element",
    "a.json",
    `[${good(1)},\n{"event":`,
    [
      [2, "not-json"],
      [2, "array-broken"],
    ],
    1,
  ],
  ["a JSON array without its end", "a.json", `[${good(1)},\n${good(2)}\n`, [[3, "array-broken"]], 2],
  ["a JSON array without a comma", "a.json", `[${good(1)}\n${good(2)}]`, [[2, "array-malformed"]], 2],
  ["a JSON array with a comma too many", "a.json", `[${good(1)},\n,${good(2)}]`, [[2, "array-malformed"]], 2],
  ["a JSON array with a comma at its end", "a.json", `[${good(1)},\n]`, [[2, "array-malformed"]], 1],
  ["two JSON arrays", "a.json", `[${good(1)}]\n[${good(2)},\n${good(3)}]`, [[2, "array-malformed"]], 3],
  ["a number after an element", "a.json", `[${good(1)}\n7,${good(2)}]`, [[2, "array-broken"]], 1],
  ["something behind a JSON array", "a.json", `[${good(1)}]\nx`, [[2, "array-broken"]], 1],
  [
    "elements that are no objects",
    "a.json",
    `[1,\n"x",null,${good(1)},\n[2]]`,
    [
      [1, "not-an-object"],
      [2, "not-an-object"],
      [2, "not-an-object"],
      [3, "not-an-object"],
    ],
    1,
  ],
  [
    "a broken element between good ones",
    "a.json",
    `[${good(1)},\n{"event":nonsense},\n${good(2)}]`,
    [[2, "not-json"]],
    2,
  ],
  [
    "an element over 1 MB",
    "a.json",
    `[${good(1)},\n${long(1_200_000)},\n${good(2)}]`,
    [[2, "line-too-long"]],
    2,
  ],
  [
    "JSON declared, and something else found",
    "a.ndjson",
    `${good(1)}\n`,
    [[1, "array-broken"]],
    0,
    { format: "json" },
  ],
  [
    "a CSV row of too few columns",
    "a.csv",
    `${csvHeader}\n${csvRow(1)}\nx,u\n${csvRow(2)}`,
    [[3, "csv-columns"]],
    2,
  ],
  [
    "a CSV row of too many columns",
    "a.csv",
    `${csvHeader}\n${csvRow(1)},9,9\n${csvRow(2)}`,
    [[2, "csv-columns"]],
    1,
  ],
  [
    "a CSV quote that is never closed",
    "a.csv",
    `${csvHeader}\n${csvRow(1)}\n"x,u2,2023-01-01T00:00:00Z,2\n${csvRow(3)}\n${csvRow(4)}`,
    [[3, "csv-malformed"]],
    3,
  ],
  [
    "a CSV quote that a later row closes",
    "a.csv",
    `${csvHeader}\n"x,u1,2023-01-01T00:00:00Z,1\n"x",u2,2023-01-01T00:00:00Z,2\n${csvRow(3)}`,
    [[2, "csv-malformed"]],
    2,
  ],
  [
    "a quote inside a CSV cell",
    "a.csv",
    `${csvHeader}\nx,"a"b,2023-01-01T00:00:00Z,2\n${csvRow(3)}`,
    [[2, "csv-malformed"]],
    1,
  ],
  [
    "a CSV row that is not UTF-8",
    "a.csv",
    Buffer.concat([
      Buffer.from(`${csvHeader}\n${csvRow(1)}\nx,`),
      Buffer.from([0xe9]),
      Buffer.from(`,2023-01-01T00:00:00Z,1\n${csvRow(2)}`),
    ]),
    [[3, "not-utf8"]],
    2,
  ],
  [
    "a CSV without an event column",
    "a.csv",
    "name,distinct_id,timestamp\nx,u,2023-01-01T00:00:00Z",
    [[1, "csv-header"]],
    0,
  ],
  [
    "a CSV column without a name",
    "a.csv",
    "event,,timestamp\nx,u,2023-01-01T00:00:00Z",
    [[1, "csv-header"]],
    0,
  ],
  [
    "a CSV column that appears twice",
    "a.csv",
    "event,event,timestamp\nx,u,2023-01-01T00:00:00Z",
    [[1, "csv-header"]],
    0,
  ],
  [
    "a CSV properties cell that is no JSON",
    "a.csv",
    "event,distinct_id,timestamp,properties\nx,u,2023-01-01T00:00:00Z,{a:1}",
    [[2, "csv-type"]],
    0,
  ],
  [
    "a CSV row over 1 MB",
    "a.csv",
    `${csvHeader}\n${csvRow(1)}\nx,u${"u".repeat(1_100_000)},2023-01-01T00:00:00Z,1\n${csvRow(2)}`,
    [[3, "line-too-long"]],
    2,
  ],
];

const typed = {
  event: "event",
  distinctId: "distinct_id",
  timestamp: "timestamp",
  columns: { amount: "number", ok: "boolean", data: "json" },
} as const;

test.each(
  files.map(
    ([what, name, content, found, sent, more = {}]) => [what, name, content, found, sent, more] as const,
  ),
)("a file with %s", async (_, name, content, found, sent, more) => {
  await file(folder, name, content);
  await file(folder, "z.ndjson", `${event(99)}\n`);
  const result = await run(folder, server, {
    ...skipping(name),
    source: [name, ...(more.format === undefined ? ["z.ndjson"] : [])],
    ...more,
  });
  const dead = await deadLetters();
  if (sent < 0) {
    expect(dead.map(({ reason }) => reason).at(-1)).toBe(found[0]?.[1]);
    expect(result.eventsSent).toBeGreaterThan(1000);
  } else {
    expect(dead.map((letter) => [letter.line, letter.reason])).toEqual(found);
    expect(result.eventsSent).toBe(sent + (more.format === undefined ? 1 : 0));
  }
  expect(server.summary).toMatchObject({ events: result.eventsSent, checksum: result.checksum });
});

test.each([
  ["a number", "abc,true,{}", "column amount is no number"],
  ["a boolean", "1,maybe,{}", "column ok is neither true nor false"],
  ["JSON", "1,true,{a}", "column data is no JSON"],
])("a CSV cell that is not %s as declared", async (_, cells, detail) => {
  await file(
    folder,
    "a.csv",
    `event,distinct_id,timestamp,amount,ok,data\nx,u,2023-01-01T00:00:00Z,${cells.replaceAll('"', '""')}\n`,
  );
  const report = await scan({ source: "a.csv", mapping: typed }, { folder });
  expect(report.invalidExamples).toMatchObject([{ line: 2, reason: "csv-type" }]);
  expect(report.invalidExamples[0]?.explanation).toContain(detail);
});

/** Arguments that are refused before a file is opened: the argument's name, and a word of the reason. */
const argumentCases: readonly (readonly [
  what: string,
  args: Readonly<Record<string, unknown>>,
  argument: string,
  reason: RegExp,
])[] = [
  ["no source", {}, "source", /./],
  ["an empty source", { source: "" }, "source", /./],
  ["an empty list of sources", { source: [] }, "source", /./],
  ["an unknown argument", { source: "a", sources: "b" }, "", /sources/],
  ["an unknown format", { source: "a", format: "xml" }, "format", /ndjson/],
  ["an unknown mapping", { source: "a", mapping: "segment" }, "mapping", /./],
  ["a mapping without event", { source: "a", mapping: { distinctId: "a", timestamp: "b" } }, "mapping", /./],
  [
    "a mapping with an unknown part",
    { source: "a", mapping: { event: "e", distinctId: "a", timestamp: "b", user: "c" } },
    "mapping",
    /./,
  ],
  ["a rename to nothing", { source: "a", rename: { x: "" } }, "rename.x", /./],
  ["a rate of 0", { source: "a", eventsPerMinute: 0 }, "eventsPerMinute", /./],
  ["a rate that must be announced", { source: "a", eventsPerMinute: 10_001 }, "eventsPerMinute", /announced/],
  [
    "no rate at all, not announced",
    { source: "a", eventsPerMinute: "unlimited" },
    "eventsPerMinute",
    /announced/,
  ],
  ["an unknown onInvalid", { source: "a", onInvalid: "ignore" }, "onInvalid", /fail/],
  ["an unknown duplicates", { source: "a", duplicates: "drop" }, "duplicates", /merge/],
  ["batchBytes beyond the service's limit", { source: "a", batchBytes: 30_000_000 }, "batchBytes", /./],
  ["a concurrency of 0", { source: "a", concurrency: 0 }, "concurrency", /./],
  ["a shard beyond the count", { source: "a", shard: { index: 3, count: 3 } }, "shard", /below count/],
  ["a shard without count", { source: "a", shard: { index: 0 } }, "shard.count", /./],
];

test.each(argumentCases)("%s", (_, args, argument, reason) => {
  const [problem] = argumentProblems(args);
  expect(problem?.argument).toBe(argument);
  expect(problem?.reason).toMatch(reason);
});

test.each([
  ["a personal key", { projectApiKey: "phx_secret" }, "projectApiKey", /personal API key/],
  ["no key", { projectApiKey: "" }, "projectApiKey", /empty/],
  ["a key that is too long", { projectApiKey: "p".repeat(65) }, "projectApiKey", /64/],
  ["a key with a blank", { projectApiKey: "phc_ x" }, "projectApiKey", /space/],
  ["a host that is no URL", { ingestHost: "us.i.posthog.com" }, "ingestHost", /URL/],
  ["a host without TLS", { ingestHost: "http://us.i.posthog.com" }, "ingestHost", /https/],
  ["a host with a password", { ingestHost: "https://a:b@us.i.posthog.com" }, "ingestHost", /password/],
])("%s is refused, without the key in the text", async (_, more, argument, reason) => {
  const destination = { projectApiKey: "phc_x", ingestHost: "https://us.i.posthog.com", ...more };
  const problems = destinationProblems(destination);
  expect(problems).toMatchObject([{ argument }]);
  expect(problems[0]?.reason).toMatch(reason);
  expect(JSON.stringify(problems)).not.toContain("phx_secret");
  await file(folder, "a.ndjson", event(1));
  await expect(run(folder, server, { source: "a.ndjson" }, destination)).rejects.toThrow(reason);
  expect(server.requests).toBe(0);
});

test.each([
  ["a file that is missing", "missing.ndjson", "nothing is found at missing.ndjson"],
  ["a glob that fits nothing", "*.ndjson", "nothing is found at *.ndjson"],
  ["an empty folder", ".", "holds no files to import"],
])("%s", async (_, source, message) => {
  await expect(run(folder, server, { source })).rejects.toThrow(message);
  await expect(scan({ source }, { folder })).rejects.toThrow(message);
});
