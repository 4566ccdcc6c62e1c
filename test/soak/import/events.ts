import { execFile } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { ROOT } from "../../support/engine";

const execute = promisify(execFile);

/** The command line's own entry. */
export const COMMAND = join(ROOT, "dist", "cli", "main.js");

/** Forms of a source; all hold the same events in the same order. */
export const FORMS = ["lines", "gzip", "array", "csv", "folder"] as const;
export type Form = (typeof FORMS)[number];

/** What `source` says for each form. */
export const SOURCES: Readonly<Record<Form, string>> = {
  lines: "events.ndjson",
  gzip: "events.ndjson.gz",
  array: "events.json",
  csv: "events.csv",
  folder: "parts",
};

function* csvOf(lines: Iterable<string>): Generator<string> {
  yield "event,timestamp,properties\n";
  for (const line of lines) {
    const { event, timestamp, properties } = JSON.parse(line) as Record<string, unknown>;
    const cells = [event, timestamp, JSON.stringify(properties)];
    yield `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(",")}\n`;
  }
}

function* arrayOf(lines: Iterable<string>): Generator<string> {
  let before = "[";
  for (const line of lines) {
    yield `${before}${line}`;
    before = ",\n";
  }
  yield "]\n";
}

function* ended(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}

/** Several texts as one, so that a stream has less to do. */
function* chunks(texts: Iterable<string>): Generator<string> {
  let held: string[] = [];
  for (const text of texts) {
    if (held.push(text) < 500) continue;
    yield held.join("");
    held = [];
  }
  yield held.join("");
}

async function write(file: string, texts: Iterable<string>): Promise<void> {
  const output = createWriteStream(file);
  const input = Readable.from(chunks(texts));
  if (file.endsWith(".gz")) await pipeline(input, createGzip({ level: 1 }), output);
  else await pipeline(input, output);
}

/** Writes `count` realistic events in one form below a folder. */
export async function writeForm(folder: string, form: Form, count: number, seed: number): Promise<void> {
  const { events } = await import("../../../bench/import/generate.mjs");
  const file = join(folder, SOURCES[form]);
  if (form === "csv") await write(file, csvOf(events(count, seed)));
  else if (form === "array") await write(file, arrayOf(events(count, seed)));
  else if (form === "folder") {
    await mkdir(file, { recursive: true });
    const all = [...events(count, seed)];
    await write(join(file, "1.ndjson"), ended(all.slice(0, count / 2)));
    await write(join(file, "2.ndjson.gz"), ended(all.slice(count / 2)));
  } else await write(file, ended(events(count, seed)));
}

/** What `--out` writes for a source: each event as it is sent, with its uuid, in the order of the source. */
export async function mapped(folder: string, source: string, out: string): Promise<string[]> {
  await execute(process.execPath, [COMMAND, "import", source, "--out", out], { cwd: folder });
  return (await readFile(out, "utf8")).trimEnd().split("\n");
}

/** The lines of a file, one by one. */
export function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Infinity });
}
