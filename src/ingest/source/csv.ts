import { isUtf8 } from "node:buffer";
import { parse } from "csv-parse/sync";
import { codeOf } from "../errors";
import type { Problem } from "../event/reasons";
import type { Block, SourceRecord } from "./block";
import { longestRecord, shownBytes } from "./block";

const newline = 0x0a;
const quote = 0x22;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Turns the cells of a row into the JSON text of one object. */
export type RowReader = (cells: readonly string[]) => string | Problem;

/** Makes a {@link RowReader} once the header is known. */
export type HeaderReader = (header: readonly string[]) => RowReader | Problem;

interface Row {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly lines: number;
}

/** Both ends of line everywhere: the library would settle for the first it sees, and take a lone CR for one. */
const record_delimiter = ["\r\n", "\n"];

function parseRows(text: Buffer, delimiter: string): string[][] | undefined {
  try {
    return parse(text, { delimiter, record_delimiter, relax_column_count: true, skip_empty_lines: true });
  } catch {
    return undefined;
  }
}

function parseError(text: Buffer, delimiter: string): string {
  try {
    parse(text, { delimiter, record_delimiter, relax_column_count: true });
  } catch (error) {
    const code = codeOf(error);
    if (code !== "") return code.replace(/^CSV_/, "").toLowerCase().replaceAll("_", " ");
  }
  return "it is no single row";
}

/** The one of comma, semicolon and tab that the header uses most. */
function delimiterOf(header: string): string {
  const outside = header.replaceAll(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((delimiter) => ({ delimiter, count: outside.split(delimiter).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

/** Where the row that starts at `start` ends: at a newline with every quote closed. Undefined where it does not. */
function rowEnd(text: Buffer, start: number): { readonly end: number; readonly lines: number } | undefined {
  let quotes = 0;
  let lines = 0;
  for (let at = start; at < text.length;) {
    const found = text.indexOf(newline, at);
    const end = found < 0 ? text.length : found + 1;
    for (let i = text.indexOf(quote, at); i >= 0 && i < end; i = text.indexOf(quote, i + 1)) quotes++;
    lines++;
    if (quotes % 2 === 0) return { end, lines };
    at = end;
  }
  return undefined;
}

function firstLineEnd(text: Buffer, start: number): number {
  const found = text.indexOf(newline, start);
  return found < 0 ? text.length : found + 1;
}

/**
 * Rows of a CSV file as JSON objects. Rows are cut here and read by a CSV library; where a row is broken (a quote that
 * nobody closes swallows what follows) only its first line is reported, and reading goes on with the next line.
 */
class RowCutter {
  readonly #readHeader: HeaderReader;
  #reader: RowReader | undefined;
  #columns = 0;
  #delimiter = ",";
  #line = 0;
  #offset = 0;
  #pending = Buffer.alloc(0);
  #unusable = false;

  constructor(readHeader: HeaderReader) {
    this.#readHeader = readHeader;
  }

  get unusable(): boolean {
    return this.#unusable;
  }

  #header(text: Buffer): Problem | undefined {
    const line = text.toString("utf8").replace(/\r?\n$/, "");
    this.#delimiter = delimiterOf(line);
    const cells = isUtf8(text) ? parseRows(text, this.#delimiter)?.[0] : undefined;
    if (cells === undefined)
      return { reason: "csv-header", detail: isUtf8(text) ? parseError(text, this.#delimiter) : "not UTF-8" };
    const names = cells.map((name) => name.trim());
    if (names.some((name) => name === "")) return { reason: "csv-header", detail: "a column has no name" };
    if (names.some((name) => name.includes("\r")))
      return { reason: "csv-header", detail: "its lines end in CR alone: save it with LF or CRLF" };
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) return { reason: "csv-header", detail: `column ${twice} appears twice` };
    const reader = this.#readHeader(names);
    if (typeof reader !== "function") return reader;
    this.#reader = reader;
    this.#columns = names.length;
    return undefined;
  }

  #row(text: Buffer, row: Row, cells: readonly string[] | undefined, base: number): SourceRecord {
    const raw = text.subarray(row.start, row.end);
    const place = { line: row.line, lineAfter: row.line + row.lines - 1, end: base + row.end };
    const bad = (problem: Problem): SourceRecord => ({ ...place, text: trimNewline(raw), problem });
    if (!isUtf8(raw)) return bad({ reason: "not-utf8" });
    if (raw.length > longestRecord) {
      const problem: Problem = { reason: "line-too-long", detail: `${raw.length} bytes` };
      return { ...place, text: raw.subarray(0, shownBytes), bytes: raw.length, problem };
    }
    const found = cells ?? parseRows(raw, this.#delimiter)?.[0];
    if (found === undefined)
      return bad({ reason: "csv-malformed", detail: parseError(raw, this.#delimiter) });
    if (found.length !== this.#columns) {
      return bad({ reason: "csv-columns", detail: `${found.length} instead of ${this.#columns}` });
    }
    const json = this.#reader?.(found);
    if (json === undefined || typeof json !== "string") return bad(json ?? { reason: "csv-header" });
    return { ...place, text: Buffer.from(json), original: trimNewline(raw) };
  }

  *#cut(text: Buffer, last: boolean): Generator<SourceRecord> {
    const base = this.#offset;
    let at = 0;
    const rows: Row[] = [];
    while (at < text.length) {
      const found = rowEnd(text, at);
      const openEnded = found === undefined;
      if (openEnded && !last && text.length - at <= longestRecord) break;
      const end = found?.end ?? firstLineEnd(text, at);
      rows.push({ start: at, end, line: this.#line + 1, lines: found?.lines ?? 1 });
      this.#line += found?.lines ?? 1;
      at = end;
    }
    yield* this.#read(text, rows, base);
    this.#offset = base + at;
    this.#pending = Buffer.from(text.subarray(at));
  }

  *#read(text: Buffer, rows: readonly Row[], base: number): Generator<SourceRecord> {
    const filled = rows.filter((row) => !isBlank(text, row));
    const first = filled[0];
    if (first === undefined) return;
    if (this.#reader === undefined) {
      const problem = this.#header(text.subarray(first.start, first.end));
      if (problem !== undefined) {
        this.#unusable = true;
        yield {
          text: trimNewline(text.subarray(first.start, first.end)),
          line: first.line,
          lineAfter: first.line,
          end: base + first.end,
          problem,
        };
        return;
      }
      yield* this.#read(text, filled.slice(1), base);
      return;
    }
    const last = filled[filled.length - 1] ?? first;
    const whole = text.subarray(first.start, last.end);
    const all = isUtf8(whole) ? parseRows(whole, this.#delimiter) : undefined;
    const together = all?.length === filled.length ? all : undefined;
    for (const [index, row] of filled.entries()) {
      const record = this.#row(text, row, together?.[index], base);
      const torn = record.problem?.reason === "csv-malformed" || record.problem?.reason === "csv-columns";
      if (torn && row.lines > 1) {
        yield* this.#tear(text, row, record, base);
        continue;
      }
      yield record;
    }
  }

  /** A broken row of several lines: its first line is at fault, the others may be rows of their own. */
  *#tear(text: Buffer, row: Row, record: SourceRecord, base: number): Generator<SourceRecord> {
    const cut = firstLineEnd(text, row.start);
    yield {
      ...record,
      text: trimNewline(text.subarray(row.start, cut)),
      lineAfter: row.line,
      end: base + cut,
    };
    const rest: Row[] = [];
    let line = row.line + 1;
    for (let at = cut; at < row.end;) {
      const found = rowEnd(text.subarray(0, row.end), at) ?? { end: firstLineEnd(text, at), lines: 1 };
      rest.push({ start: at, end: found.end, line, lines: found.lines });
      line += found.lines;
      at = found.end;
    }
    yield* this.#read(text, rest, base);
  }

  take(bytes: Buffer): SourceRecord[] {
    const fresh =
      this.#offset === 0 && this.#pending.length === 0 && bytes.subarray(0, 3).equals(byteOrderMark);
    if (fresh) this.#offset = 3;
    const chunk = fresh ? bytes.subarray(3) : bytes;
    return [
      ...this.#cut(
        this.#pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#pending, chunk]),
        false,
      ),
    ];
  }

  /** A line between rows that is too long to be held: what was open before it cannot be closed any more. */
  *jump(record: SourceRecord): Generator<SourceRecord> {
    yield* this.#cut(this.#pending, true);
    this.#line++;
    this.#offset = record.end;
    yield { ...record, line: this.#line, lineAfter: this.#line };
  }

  end(): SourceRecord[] {
    return [...this.#cut(this.#pending, true)];
  }
}

function trimNewline(text: Buffer): Buffer {
  let end = text.length;
  while (end > 0 && (text[end - 1] === newline || text[end - 1] === 0x0d)) end--;
  return text.subarray(0, end);
}

function isBlank(text: Buffer, row: Row): boolean {
  return trimNewline(text.subarray(row.start, row.end)).length === 0;
}

/** The rows of a CSV file, out of its blocks of lines. */
export async function* csvBlocks(
  lines: AsyncIterable<Block>,
  bytes: Buffer,
  readHeader: HeaderReader,
): AsyncGenerator<Block> {
  const cutter = new RowCutter(readHeader);
  for await (const block of lines) {
    const records =
      block.kind === "lines"
        ? cutter.take(bytes.subarray(block.start, block.end))
        : block.records.flatMap((record) => [...cutter.jump(record)]);
    if (records.length > 0) yield { kind: "records", records };
    if (cutter.unusable) return;
  }
  const records = cutter.end();
  if (records.length > 0) yield { kind: "records", records };
}
