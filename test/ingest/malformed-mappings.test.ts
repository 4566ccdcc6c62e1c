import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Reason } from "../../src/ingest/event/reasons";
import { scan, type ImportArguments } from "../../src/ingest";
import { captureEach, file, folder, run, server } from "./support";

captureEach();

type Row = Readonly<Record<string, unknown>>;

/** A mapping, an object that it takes, and such objects that it does not take. */
interface Case {
  readonly name: string;
  readonly mapping: NonNullable<ImportArguments["mapping"]>;
  readonly good: (n: number) => Row;
  readonly bad: readonly (readonly [what: string, row: Row, reason: Reason])[];
}

const mixpanel = (n: number, properties: Row = {}): Row => ({
  event: "Page View",
  properties: { time: 1_672_531_200 + n, distinct_id: `u${n}`, $insert_id: `i${n}`, ...properties },
});
const amplitude = (n: number, more: Row = {}): Row => ({
  event_type: "Page View",
  user_id: `u${n}`,
  event_time: `2023-01-01 00:00:0${n}.123456`,
  event_properties: { n },
  uuid: `0186fb26-f7e7-747f-89ce-b8829f5c6d0${n}`,
  ...more,
});
const posthog = (n: number, more: Row = {}): Row => ({
  uuid: `0186fb26-f7e7-747f-89ce-b8829f5c6d1${n}`,
  event: "$pageview",
  properties: JSON.stringify({ n }),
  distinct_id: `u${n}`,
  timestamp: "2023-01-01 00:00:00.000000+00:00",
  ...more,
});
const own = (n: number, more: Row = {}): Row => ({
  action: "opened",
  user: { id: `u${n}` },
  at: 1_672_531_200_000 + n,
  data: { n },
  ...more,
});

const cases: readonly Case[] = [
  {
    name: "mixpanel",
    mapping: "mixpanel",
    good: mixpanel,
    bad: [
      ["no properties", { event: "x" }, "distinct-id-missing"],
      ["properties of text", { event: "x", properties: "{}" }, "distinct-id-missing"],
      ["no time", mixpanel(1, { time: undefined }), "timestamp-missing"],
      ["a time of words", mixpanel(1, { time: "yesterday" }), "timestamp-format"],
      ["a time of an object", mixpanel(1, { time: {} }), "timestamp-type"],
      ["a time before 1970", mixpanel(1, { time: -5 }), "timestamp-before-1970"],
      ["a time in the future", mixpanel(1, { time: 4_102_444_800 }), "timestamp-future"],
      ["an empty distinct_id", mixpanel(1, { distinct_id: "" }), "distinct-id-empty"],
      ["a boolean as distinct_id", mixpanel(1, { distinct_id: false }), "distinct-id-type"],
      ["no event", { ...mixpanel(1), event: undefined }, "event-missing"],
      ["an event of a list", { ...mixpanel(1), event: ["x"] }, "event-not-a-string"],
    ],
  },
  {
    name: "amplitude",
    mapping: "amplitude",
    good: amplitude,
    bad: [
      ["no event_type", amplitude(1, { event_type: undefined }), "event-missing"],
      ["an empty event_type", amplitude(1, { event_type: "" }), "event-empty"],
      ["neither user nor device", amplitude(1, { user_id: null }), "distinct-id-missing"],
      ["an empty user without device", amplitude(1, { user_id: "" }), "distinct-id-empty"],
      ["no event_time", amplitude(1, { event_time: undefined }), "timestamp-missing"],
      ["an American event_time", amplitude(1, { event_time: "01/31/2023" }), "timestamp-format"],
      ["event_properties of a list", amplitude(1, { event_properties: [1] }), "properties-type"],
      ["event_properties of broken text", amplitude(1, { event_properties: "{a}" }), "properties-type"],
      ["user_properties of a number", amplitude(1, { user_properties: 7 }), "set-type"],
      ["a uuid that is none", amplitude(1, { uuid: "abc" }), "uuid-invalid"],
    ],
  },
  {
    name: "posthog",
    mapping: "posthog",
    good: posthog,
    bad: [
      ["no event", posthog(1, { event: null }), "event-missing"],
      ["no distinct_id", posthog(1, { distinct_id: undefined }), "distinct-id-missing"],
      [
        "a distinct_id that is too long",
        posthog(1, { distinct_id: "x".repeat(201) }),
        "distinct-id-too-long",
      ],
      ["no timestamp", posthog(1, { timestamp: "" }), "timestamp-missing"],
      ["a timestamp of words", posthog(1, { timestamp: "noon" }), "timestamp-format"],
      ["properties of broken text", posthog(1, { properties: '{"n":' }), "properties-type"],
      ["set of a list", posthog(1, { set: [] }), "set-type"],
      ["a uuid that is none", posthog(1, { uuid: 12 }), "uuid-invalid"],
    ],
  },
  {
    name: "an object of one's own",
    mapping: {
      event: "action",
      distinctId: ["user.id", "guest"],
      timestamp: "at",
      timeFormat: "milliseconds",
      properties: "data",
      set: "person",
    },
    good: own,
    bad: [
      ["a path that leads nowhere", own(1, { action: undefined }), "event-missing"],
      ["a path through text", own(1, { user: "u" }), "distinct-id-missing"],
      ["none of several identifiers", own(1, { user: {}, guest: null }), "distinct-id-missing"],
      ["a time before 1970", own(1, { at: -1 }), "timestamp-before-1970"],
      ["a time that is missing", own(1, { at: undefined }), "timestamp-missing"],
      ["a time without zone", own(1, { at: "2023-01-01T00:00:00" }), "timestamp-without-zone"],
      ["properties of a number", own(1, { data: 1 }), "properties-type"],
      ["person properties of text", own(1, { person: "x" }), "set-type"],
    ],
  },
];

const all = cases.flatMap(({ name, mapping, good, bad }) =>
  bad.map(([what, row, reason]) => [name, what, { mapping, good, row }, reason] as const),
);

test.each(all)("%s: %s", async (_, __, { mapping, good, row }, reason) => {
  const lines = [good(2), good(3), row, good(4)].map((object) => JSON.stringify(object));
  await file(folder, "a.ndjson", lines);
  const report = await scan({ source: "a.ndjson", mapping }, { folder, cache: false });
  expect(report.invalid).toEqual({ [reason]: 1 });
  expect(report.invalidExamples).toMatchObject([{ file: "a.ndjson", line: 3, reason }]);
  await expect(run(folder, server, { source: "a.ndjson", mapping })).rejects.toThrow("a.ndjson:3 ");
  expect(server.requests).toBe(0);
  const skipping = { mapping, onInvalid: "skip", deadLetterFile: "dead.ndjson" } as const;
  const result = await run(folder, server, { source: "a.ndjson", ...skipping });
  expect(result).toMatchObject({ eventsSent: 3, skipped: { [reason]: 1 } });
  expect(server.summary).toMatchObject({ events: 3, checksum: result.checksum });
  const dead = await readFile(path.join(folder, "dead.ndjson"), "utf8");
  expect(
    dead
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  ).toMatchObject([{ file: "a.ndjson", line: 3, reason, original: lines[2] }]);
});
