import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Emulator } from "../support/emulator";
import type { Declared, Stack } from "../support/stack";
import { eventLines } from "../ingest/support";

/** A form in which a source can stand in a file. */
export interface Form {
  readonly name: string;
  /** File name below the program's folder. */
  readonly file: string;
  /** Its project: each form imports the same events, which one project would merge. */
  readonly key: string;
  readonly content: (lines: readonly string[]) => string | Buffer;
}

/** The forms that a source can have. */
export const FORMS: readonly Form[] = [
  { name: "plain", file: "events.ndjson", key: "phc_plain", content: (lines) => lines.join("\n") },
  { name: "gzip", file: "events.ndjson.gz", key: "phc_gzip", content: (lines) => gzipSync(lines.join("\n")) },
  { name: "csv", file: "events.csv", key: "phc_csv", content: csv },
  { name: "array", file: "events.json", key: "phc_array", content: (lines) => `[${lines.join(",\n")}]` },
];

function csv(lines: readonly string[]): string {
  const rows = lines.map((line) => {
    const { event, timestamp, properties } = JSON.parse(line) as Record<string, unknown>;
    return [event, timestamp, JSON.stringify(properties)]
      .map((cell) => `"${String(cell).replaceAll('"', '""')}"`)
      .join(",");
  });
  return ["event,timestamp,properties", ...rows].join("\r\n");
}

/** Writes a file of the program's folder. */
export function write(folder: string, name: string, content: string | Buffer): void {
  const file = join(folder, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, content);
}

/** Writes events [from, to) as JSON lines. */
export function writeLines(folder: string, name: string, from: number, to: number): void {
  write(folder, name, eventLines(from, to).join("\n"));
}

/** As fast as can be. */
export const UNTHROTTLED = { eventsPerMinute: "unlimited", announced: true } as const;

/** Declares an import named `past`, and nothing else. */
export function declareImport(stack: Stack, args: Readonly<Record<string, unknown>>): void {
  stack.declare([importOf("past", args)]);
}

/** An import as a declared resource. */
export function importOf(name: string, args: Readonly<Record<string, unknown>>): Declared {
  return { class: "HistoricalImport", name, args: { ...UNTHROTTLED, ...args } };
}

/** Requests to batch capture so far. */
export function sent(emulator: Emulator): number {
  return emulator.requests.filter(({ path }) => path.startsWith("/batch")).length;
}
