import { settingsOf } from "../../src/ingest";
import { Batch, migrationEnvelope, mostEvents } from "../../src/ingest/batch/batch";
import { Filler } from "../../src/ingest/batch/filler";
import type { ImportArguments } from "../../src/ingest";
import { Arena } from "../../src/ingest/wasm/arena";

/** What lines become: the body that is sent, and what is set aside. */
export interface Outcome {
  readonly body: string;
  readonly lines: readonly number[];
  readonly dead: readonly string[];
  readonly totals: unknown;
  /** Lines that WebAssembly left to JSON.parse. */
  readonly unclear: number;
}

const nowMs = Date.UTC(2026, 0, 1);
const room = 4_000_000;

/** Reads the same lines with the scanner, or with JSON.parse alone. */
export class Reader {
  readonly #arena = new Arena(2 * room + Batch.bytes(1024 * 1024));
  readonly #region = this.#arena.reserve(room);
  readonly #batch = new Batch(this.#arena, migrationEnvelope("phc_x"), 1024 * 1024);
  readonly #filler: Filler;
  #unclear = 0;
  #scans = 0;

  constructor(scan: boolean, args: Partial<ImportArguments> = {}) {
    const settings = settingsOf({ source: "x", ...args });
    this.#filler = new Filler(this.#arena, settings, this.#batch, { nowMs, mostEvents, scan });
    const { machine } = this.#arena;
    if (scan) {
      const counted: typeof machine.scan = (...values) => {
        const status = machine.scan(...values);
        this.#scans++;
        if (status === 2) this.#unclear++;
        return status;
      };
      Object.defineProperty(this.#arena, "machine", { value: { ...machine, scan: counted } });
    }
  }

  read(text: Buffer): Outcome {
    const { bytes } = this.#arena;
    text.copy(bytes, this.#region);
    // What stands behind the lines must not matter.
    bytes.fill(0x22, this.#region + text.length, this.#region + text.length + 64);
    this.#unclear = 0;
    this.#scans = 0;
    this.#filler.use(this.#batch);
    this.#filler.startFile({ index: 0, name: "a.ndjson" }, 1, 0);
    const block = { kind: "lines", start: this.#region, end: this.#region + text.length, offset: 1 } as const;
    const outcome = { body: "", lines: [] as number[], dead: [] as string[], totals: [] as unknown[] };
    const take = (): void => {
      const batch = this.#batch;
      outcome.body += `${batch.body(0, batch.count).toString("latin1")}\n`;
      outcome.lines.push(...batch.lines.subarray(0, batch.count));
      outcome.dead.push(...batch.dead.map(({ line, problem }) => `${line} ${problem.reason}`));
      outcome.totals.push(
        structuredClone(batch.segments.map(({ totals, line, offset }) => ({ totals, line, offset }))),
      );
    };
    for (let at = block.start; at < block.end;) {
      at = this.#filler.lines(block, at);
      if (at === block.end) this.#filler.endFile();
      else this.#filler.close();
      take();
      this.#filler.use(this.#batch);
    }
    // Lines that are not UTF-8 keep a whole block from the scanner.
    return { ...outcome, unclear: this.#scans === 0 ? Infinity : this.#unclear };
  }
}

type Random = () => number;

const oddNumbers = [
  "0",
  "-0",
  "1.50",
  "1e5",
  "1E-7",
  "-12.5e+3",
  "123456789012345678901234567890",
  "1e308",
  "1e309",
  "1e99",
  "1e100",
  "-1e999",
  "01",
  "+1",
  "1.",
  ".5",
  "-",
  "1e",
  "0x10",
  "NaN",
  "9".repeat(310),
  `${"9".repeat(250)}e90`,
];
const oddStrings = [
  '""',
  '"a"',
  '"\\u00e9"',
  '"\\ud83d\\ude00"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\uD8"',
  '"\\n\\t\\/\\""',
  '"\\x"',
  '"caf\u00e9 \u6771\u4eac \u{1f600}"',
  '"tab\there"',
  '" "',
  '"\u00a0"',
  '"\u3000"',
  '"\u2003x"',
  '"\\u0020"',
  '"unclosed',
];
const oddTimes = [
  "2023-01-01T00:00:00Z",
  "2024-02-29T23:59:59.123456789+14:00",
  "2023-02-29T00:00:00Z",
  "1969-12-31T23:59:59Z",
  "1970-01-01T00:00:00+00:01",
  "2030-01-01T00:00:00Z",
  "2025-12-31T12:00:00-05:00",
  "2025-12-30T00:00:00.5Z",
  "2023-01-01 00:00:00Z",
  "2023-01-01T00:00Z",
  "2023-01-01T00:00:00+0100",
  "2023-01-01T00:00:00",
  "2023-01-01T00:00:60Z",
  "2023-1-01T00:00:00Z",
  "2023-01-01T00:00:00.Z",
  "2023-01-01T00:00:00.1234567890Z",
  "2023-01-01T00:00:00+19:00",
  "0000-01-01T00:00:00Z",
  "2023-01-01t00:00:00z",
];
const names = [
  "event",
  "timestamp",
  "properties",
  "distinct_id",
  "uuid",
  "$set",
  "$set_once",
  "$insert_id",
  "insert_id",
  "messageId",
  "extra",
  "$anon_distinct_id",
  "$group_key",
  "$group_type",
  "$lib",
  "$sex",
  "distinct_it",
  "ev\\u0065nt",
  "distinct\\u005fid",
  "__proto__",
  "",
];
const eventNames = [
  "$pageview",
  "Signed Up",
  "$identify",
  "$group_identify",
  "$identifx",
  "",
  " ",
  "\u6771\u4eac",
  "\u3000",
  "Old Name",
];

function pick<Item>(random: Random, list: readonly Item[]): Item {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new RangeError("an empty list");
  return found;
}

function blank(random: Random): string {
  return random() < 0.85 ? "" : pick(random, [" ", "  ", "\t", "\r", " \t "]);
}

function value(random: Random, depth: number): string {
  const dice = random();
  if (dice < 0.25) return pick(random, oddStrings);
  if (dice < 0.45) return pick(random, oddNumbers);
  if (dice < 0.6) return pick(random, ["true", "false", "null", "tru", "nulls", "{}", "[]", "{ }", "[ ]"]);
  if (depth > 3) return "1";
  const many = Math.floor(random() * 4);
  if (dice < 0.8)
    return `[${Array.from({ length: many }, () => blank(random) + value(random, depth + 1) + blank(random)).join(",")}]`;
  return object(
    random,
    Array.from({ length: many }, () => [pick(random, names), value(random, depth + 1)] as const),
  );
}

function object(random: Random, members: readonly (readonly [string, string])[]): string {
  const inner = members.map(
    ([name, text]) => `${blank(random)}"${name}"${blank(random)}:${blank(random)}${text}${blank(random)}`,
  );
  return `{${inner.join(",")}}`;
}

const simple = (random: Random): string =>
  pick(random, ['"x"', "1", "1.5", "true", "null", '"S\u00e3o Paulo"', '{"a":[1,2]}']);

/** An event as exports hold it, with its parts in any order, and something odd in it now and then. */
function sensible(random: Random): string {
  const odd = (usual: string, strange: () => string): string => (random() < 0.96 ? usual : strange());
  const id = odd(`"user-${Math.floor(random() * 5)}"`, () => value(random, 2));
  const inside: (readonly [string, string])[] = [
    ["$lib", '"web"'],
    [pick(random, ["plan", "n", "\u00fcber"]), simple(random)],
  ];
  if (random() < 0.7) inside.push(["distinct_id", id]);
  if (random() < 0.15) inside.push(["$insert_id", odd('"i1"', () => value(random, 2))]);
  if (random() < 0.15) inside.push([pick(random, names), value(random, 1)]);
  const members: (readonly [string, string])[] = [
    [
      "event",
      odd(JSON.stringify(random() < 0.75 ? "$pageview" : pick(random, eventNames)), () => value(random, 2)),
    ],
    ["timestamp", `"${odd("2023-01-01T00:00:00.000Z", () => pick(random, oddTimes))}"`],
    [
      "properties",
      odd(
        object(
          random,
          inside.sort(() => random() - 0.5),
        ),
        () => value(random, 1),
      ),
    ],
  ];
  if (random() < 0.4)
    members.push(["distinct_id", odd(`"user-${Math.floor(random() * 5)}"`, () => value(random, 2))]);
  if (random() < 0.15)
    members.push([
      "uuid",
      odd(`"0186fb26-f7e7-747f-89ce-b8829f5c6d0${Math.floor(random() * 4)}"`, () => value(random, 2)),
    ]);
  if (random() < 0.1) members.push([pick(random, names), value(random, 1)]);
  if (random() < 0.03) members.pop();
  return object(
    random,
    members.sort(() => random() - 0.5),
  );
}

const splices = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  " ",
  "\r",
  "0",
  "e",
  "-",
  "\u0000",
  "\u007f",
  "\u00e9",
  "null",
  "\\u",
  "\ud83d\ude00",
];

function mutated(random: Random, text: string): Buffer {
  let bytes = Buffer.from(text);
  for (let rounds = Math.floor(random() * 3); rounds >= 0; rounds--) {
    const at = Math.floor(random() * bytes.length);
    const dice = random();
    if (dice < 0.25) bytes[at] = Math.floor(random() * (random() < 0.1 ? 256 : 128));
    else if (dice < 0.5) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    else if (dice < 0.9)
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(pick(random, splices)), bytes.subarray(at)]);
    else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.floor(random() * bytes.length))]);
  }
  return Buffer.from(bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)));
}

/** Lines to compare the two readers with: most of them almost right. */
export function fuzzLines(random: Random, count: number): Buffer {
  const lines = Array.from({ length: count }, () => {
    const dice = random();
    if (dice < 0.02)
      return Buffer.from(pick(random, ["", " ", "\r", "{}", "[]", "1", '"x"', `{"a":${"[".repeat(200)}`]));
    const text = sensible(random);
    return dice < 0.7 ? Buffer.from(text) : mutated(random, text);
  });
  const end = random() < 0.5 ? "\n" : "";
  return Buffer.concat(
    lines.flatMap((line, index) => [line, Buffer.from(index < lines.length - 1 ? "\n" : end)]),
  );
}
