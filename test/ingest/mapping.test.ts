import { readFile } from "node:fs/promises";
import path from "node:path";
import { exportEvents, type ImportArguments } from "../../src/ingest";
import { epochToIso, parseIsoTime } from "../../src/ingest/event/time";
import { file, temporaryFolder } from "./support";

interface Sent {
  readonly event: string;
  readonly timestamp: string;
  readonly uuid: string;
  readonly distinct_id?: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly $set?: Readonly<Record<string, unknown>>;
  readonly $set_once?: Readonly<Record<string, unknown>>;
}

/** The events that an import of these lines would send, and their text. */
async function mapped(
  content: string | readonly string[],
  args: Partial<ImportArguments>,
  name = "a.ndjson",
): Promise<{ events: Sent[]; text: string }> {
  const folder = await temporaryFolder();
  const source = await file(folder, name, content);
  await exportEvents({ source, ...args }, { folder, out: "out.ndjson" });
  const text = await readFile(path.join(folder, "out.ndjson"), "utf8");
  return {
    text,
    events: text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Sent),
  };
}

describe("capture", () => {
  const base = { event: "x", timestamp: "2023-01-01T00:00:00Z" };

  test.each([
    [
      "in properties: they stay as they are",
      { ...base, properties: { distinct_id: "u", a: 1 } },
      { properties: { distinct_id: "u", a: 1 } },
    ],
    [
      "at the top level: it is put into properties, where the interface wants it",
      { ...base, distinct_id: "u", properties: { a: 1 } },
      { properties: { distinct_id: "u", a: 1 } },
    ],
    [
      "in both and equal",
      { ...base, distinct_id: "u", properties: { distinct_id: "u" } },
      { properties: { distinct_id: "u" } },
    ],
    [
      "in both and different: the top level wins, as in the service",
      { ...base, distinct_id: "top", properties: { distinct_id: "inner" } },
      { distinct_id: "top", properties: { distinct_id: "inner" } },
    ],
    ["without properties", { ...base, distinct_id: "u" }, { properties: { distinct_id: "u" } }],
    ["as a whole number", { ...base, distinct_id: 12_345 }, { properties: { distinct_id: "12345" } }],
    [
      "as a whole number in properties",
      { ...base, properties: { a: 1, distinct_id: 7, b: 2 } },
      { properties: { a: 1, b: 2, distinct_id: "7" } },
    ],
    [
      "null at the top level",
      { ...base, distinct_id: null, properties: { distinct_id: "u" } },
      { properties: { distinct_id: "u" } },
    ],
  ])("distinct_id %s", async (_, line, sent) => {
    const { events } = await mapped([JSON.stringify(line)], {});
    expect(events).toMatchObject([{ ...base, ...sent }]);
    expect(Object.keys(events[0] ?? {}).sort()).toEqual(
      ["event", "timestamp", "uuid", ...Object.keys(sent)].sort(),
    );
  });

  test("$set and $set_once go along, what the service ignores does not", async () => {
    const line = JSON.stringify({
      ...base,
      distinct_id: "u",
      $set: { a: 1 },
      $set_once: { b: 2 },
      type: "capture",
      library: "x",
    });
    const { events } = await mapped([line], {});
    expect(events).toMatchObject([{ $set: { a: 1 }, $set_once: { b: 2 } }]);
    expect(Object.keys(events[0] ?? {}).sort()).toEqual([
      "$set",
      "$set_once",
      "event",
      "properties",
      "timestamp",
      "uuid",
    ]);
  });

  test("identifiers of anonymous users and identifying events stay as they are", async () => {
    const anonymous = "0186fb26-f7e7-747f-89ce-b8829f5c6d01";
    const properties = {
      distinct_id: "user@example.com",
      $anon_distinct_id: anonymous,
      $set: { plan: "free" },
    };
    const group = {
      distinct_id: anonymous,
      $group_type: "company",
      $group_key: "acme",
      $group_set: { name: "Acme" },
    };
    const { events } = await mapped(
      [
        JSON.stringify({ ...base, event: "$identify", properties }),
        JSON.stringify({ ...base, event: "$group_identify", properties: group }),
      ],
      {},
    );
    expect(events).toMatchObject([
      { event: "$identify", properties },
      { event: "$group_identify", properties: group },
    ]);
  });

  test("names are translated exactly", async () => {
    const lines = ["Page View", "Page Views", "page view"].map((event) =>
      JSON.stringify({ ...base, event, distinct_id: "u" }),
    );
    const { events } = await mapped(lines, { rename: { "Page View": "$pageview" } });
    expect(events.map(({ event }) => event)).toEqual(["$pageview", "Page Views", "page view"]);
  });

  test("CSV: columns beside the service's own are properties", async () => {
    const rows = [
      "event,distinct_id,timestamp,properties,plan,note",
      'Signed Up,u1,2023-01-01T00:00:00Z,"{""n"": 12345678901234567890}",free,"two\nlines"',
      "x,u2,2023-01-01T00:00:00Z,,,",
    ];
    const { events, text } = await mapped(rows.join("\r\n"), {}, "a.csv");
    expect(events).toMatchObject([
      { event: "Signed Up", properties: { distinct_id: "u1", plan: "free", note: "two\nlines" } },
      { properties: { distinct_id: "u2" } },
    ]);
    expect(text).toContain('"n": 12345678901234567890');
    expect(Object.keys(events[1]?.properties ?? {})).toEqual(["distinct_id"]);
  });
});

test("Mixpanel's raw export", async () => {
  const line = (time: number | string, more = ""): string =>
    `{"event":"Page View","properties":{"time":${time},"distinct_id":"u1","$insert_id":"abc","$browser":"Chrome","price":1.10${more}}}`;
  const { events, text } = await mapped(
    [
      line(1_600_000_000),
      line("1600000000123", ',"$ip":"1.2.3.4"'),
      '{"event":"$mp_web_page_view","properties":{"time":1600000000,"distinct_id":"u2"}}',
    ],
    { mapping: "mixpanel", rename: { "Page View": "$pageview" } },
  );
  expect(events).toMatchObject([
    {
      event: "$pageview",
      timestamp: "2020-09-13T12:26:40Z",
      properties: { distinct_id: "u1", $browser: "Chrome", $geoip_disable: true },
    },
    { event: "$pageview", timestamp: "2020-09-13T12:26:40.123Z" },
    { event: "$pageview", timestamp: "2020-09-13T12:26:40Z", properties: { distinct_id: "u2" } },
  ]);
  expect(text).toContain('"price":1.10');
  expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(3);
});

test("Amplitude's export", async () => {
  const event = {
    $insert_id: "i-1",
    uuid: "0186fb26-f7e7-747f-89ce-b8829f5c6d01",
    event_type: "[Amplitude] Page Viewed",
    event_time: "2023-03-01 10:20:30.123456",
    user_id: null,
    device_id: "device-1",
    session_id: 1_677_666_030_123,
    event_properties: { page: "/pricing", price: 3 },
    user_properties: { plan: "team" },
    platform: "Web",
    os_name: "Chrome",
    city: "Berlin",
    country: "Germany",
    ip_address: "1.2.3.4",
  };
  const { events } = await mapped(
    [
      JSON.stringify(event),
      JSON.stringify({ ...event, uuid: null, user_id: "u1", user_properties: {}, event_type: "Bought" }),
    ],
    { mapping: "amplitude" },
  );
  expect(events).toMatchObject([
    {
      event: "$pageview",
      timestamp: "2023-03-01T10:20:30.123456Z",
      uuid: event.uuid,
      properties: {
        distinct_id: "device-1",
        $device_id: "device-1",
        page: "/pricing",
        price: 3,
        $browser: "Chrome",
        $geoip_city_name: "Berlin",
        $ip: "1.2.3.4",
        $geoip_disable: true,
      },
      $set: { plan: "team" },
    },
    { event: "Bought", properties: { distinct_id: "u1", $amplitude_user_id: "u1" } },
  ]);
  expect(events[1]).not.toHaveProperty("$set");
});

test.each(["a.ndjson", "a.csv"])("a batch export of PostHog's own, %s", async (name) => {
  const uuid = "0186fb26-f7e7-747f-89ce-b8829f5c6d01";
  const row = {
    uuid,
    event: "$autocapture",
    properties: '{"big": 12345678901234567890}',
    distinct_id: "u1",
    timestamp: "2023-03-01 10:20:30.123456",
    elements_chain: 'a:href="/"',
    person_id: "p",
    set: '{"a":1}',
    set_once: "",
  };
  const csv = `${Object.keys(row).join(",")}\n${Object.values(row)
    .map((cell) => `"${cell.replaceAll('"', '""')}"`)
    .join(",")}\n`;
  const { events, text } = await mapped(
    name.endsWith("csv")
      ? csv
      : [
          JSON.stringify(row),
          JSON.stringify({ ...row, properties: { b: 1 }, set: null, uuid: uuid.replace("01", "02") }),
        ],
    { mapping: "posthog" },
    name,
  );
  expect(events[0]).toMatchObject({
    event: "$autocapture",
    uuid,
    timestamp: "2023-03-01T10:20:30.123456Z",
    properties: { distinct_id: "u1", $elements_chain: 'a:href="/"', $geoip_disable: true },
    $set: { a: 1 },
  });
  expect(events[0]).not.toHaveProperty("$set_once");
  expect(text).toContain('"big": 12345678901234567890');
});

describe("a mapping of one's own", () => {
  test("paths into objects", async () => {
    const line =
      '{"name":"Bought","user":{"id":"u1","device.id":"d"},"at":1677666030.5,"data":{"price":1.50},"id":"e-1"}';
    const mapping = {
      event: "name",
      distinctId: ["user.uid", "user.id"],
      timestamp: "at",
      properties: "data",
      insertId: "id",
    };
    const { events, text } = await mapped([line], { mapping });
    expect(events).toMatchObject([
      { event: "Bought", timestamp: "2023-03-01T10:20:30.5Z", properties: { distinct_id: "u1" } },
    ]);
    expect(text).toContain('"price":1.50');
  });

  test("typed CSV columns; what is not named becomes properties", async () => {
    const csv = 'user,when,price,active,tags,zip,empty\nu1,2023-03-01 10:20:30,1.10,TRUE,"[1,2]",01234,\n';
    const mapping = {
      event: { value: "Ordered" },
      distinctId: "user",
      timestamp: "when",
      timeZone: "utc",
      columns: { price: "number", active: "boolean", tags: "json" },
    } as const;
    const { events, text } = await mapped(csv, { mapping }, "a.csv");
    expect(events).toMatchObject([
      {
        event: "Ordered",
        timestamp: "2023-03-01T10:20:30Z",
        properties: { distinct_id: "u1", active: true, tags: [1, 2], zip: "01234" },
      },
    ]);
    expect(text).toContain('"price":1.10');
    expect(Object.keys(events[0]?.properties ?? {}).sort()).toEqual([
      "active",
      "distinct_id",
      "price",
      "tags",
      "zip",
    ]);
  });

  test("a list of properties", async () => {
    const { events } = await mapped(
      ['{"e":"x","u":"u1","t":"2023-01-01T00:00:00Z","a":1,"b":{"c":2},"d":3}'],
      { mapping: { event: "e", distinctId: "u", timestamp: "t", properties: ["a", "b.c"] } },
    );
    expect(events[0]?.properties).toEqual({ distinct_id: "u1", a: 1, "b.c": 2 });
  });
});

describe("times", () => {
  test.each([
    ["1600000000", "2020-09-13T12:26:40Z"],
    ["1600000000.123", "2020-09-13T12:26:40.123Z"],
    ["1600000000123", "2020-09-13T12:26:40.123Z"],
    ["1600000000123456", "2020-09-13T12:26:40.123456Z"],
    ["1600000000100000", "2020-09-13T12:26:40.1Z"],
    ["0", "1970-01-01T00:00:00Z"],
    ["99999999999", "5138-11-16T09:46:39Z"],
    ["100000000000", "1973-03-03T09:46:40Z"],
  ])("%s since 1970", (raw, iso) => {
    expect(epochToIso(raw)).toMatchObject({ iso });
  });

  test.each(["-5", "1e9", "abc", "", "123456789012345678901"])("no time since 1970: %j", (raw) => {
    expect(epochToIso(raw)).toHaveProperty("reason");
  });

  test.each([
    "2023-01-31T12:34:56Z",
    "2023-01-31T12:34:56.7891Z",
    "2024-02-29T23:59:59+05:30",
    "1970-01-01T00:00:00Z",
    "2000-02-29T00:00:00-11:00",
    "2023-12-31T23:59:59.999+0000",
  ])("%s is the moment that JavaScript takes it for", (text) => {
    expect(parseIsoTime(text)).toEqual({ ms: Date.parse(text.replace(/(\.\d{3})\d+/, "$1")) });
  });
});
