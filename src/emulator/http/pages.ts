import type { Call } from "./call";

const PAGE_SIZE = 100;

/** One page of a list, with the addresses of its neighbours. Upstream sets no upper limit. */
export interface Page<T> {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: T[];
}

/** Cuts a page out of rows that are sorted already, and prints only those that are on it. */
export function page<T, R>(call: Call, rows: readonly T[], print: (row: T) => R): Page<R> {
  const limit = positive(last(call, "limit")) ?? PAGE_SIZE;
  const offset = positive(last(call, "offset"), 0) ?? 0;
  const before = offset - limit;
  return {
    count: rows.length,
    next: offset + limit >= rows.length ? null : neighbour(call, limit, offset + limit),
    previous: offset <= 0 ? null : neighbour(call, limit, before > 0 ? before : undefined),
    results: rows.slice(offset, offset + limit).map(print),
  };
}

/** Of a parameter that is given twice the last one counts. */
function last(call: Call, name: string): string | undefined {
  return call.query.getAll(name).at(-1);
}

/** What is not a number counts as not given, as in Django REST Framework. */
function positive(text: string | undefined, least = 1): number | undefined {
  if (text === undefined || !/^\s*\+?\d+\s*$/.test(text)) return undefined;
  const number = Number(text);
  return number >= least ? number : undefined;
}

function neighbour(call: Call, limit: number, offset: number | undefined): string {
  const url = new URL(call.request.url);
  url.searchParams.set("limit", String(limit));
  if (offset === undefined) url.searchParams.delete("offset");
  else url.searchParams.set("offset", String(offset));
  url.searchParams.sort();
  return url.href;
}

/** Compares in the given order; a leading `-` turns it around. */
export function byText(a: string | null, b: string | null): number {
  // The database sorts nulls last.
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return collator.compare(a, b);
}

const collator = new Intl.Collator("en");

/** Newest first; of rows made within the same moment the later one comes first. */
export function newestFirst<T>(rows: readonly T[], time: (row: T) => string): T[] {
  // Their fractions, which are left out where zero, make a plain comparison of the texts wrong.
  return [...rows].reverse().sort((a, b) => Date.parse(time(b)) - Date.parse(time(a)));
}
