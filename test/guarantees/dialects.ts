import { type Message, Refusal, type Rules } from "./relay";

/*
 * Servers that others may build from the same interface document, and the ways in which they may read it. Each is the
 * emulator behind a relay that says the same in another way.
 */

type Entry = [key: string, value: unknown];
type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every object inside a body, changed from the inside out. */
function each(value: unknown, change: (fields: Fields) => Fields): unknown {
  if (Array.isArray(value)) return value.map((member) => each(member, change));
  if (!isFields(value)) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([key, inner]): Entry => [key, each(inner, change)])),
  );
}

const entries = (fields: Fields, change: (entry: Entry) => Entry[]): Fields =>
  Object.fromEntries(Object.entries(fields).flatMap(change));

const isPage = (body: unknown): body is Fields & { results: unknown[] } =>
  isFields(body) && Array.isArray(body["results"]);

/** What the document calls free-form, or what came from the program as it is. */
const FREE = new Set([
  "filters",
  "config",
  "config_schema",
  "capabilities",
  "metrics",
  "public_jobs",
  "tiles",
]);

function outside(fields: Fields, change: (fields: Fields) => Fields): Fields {
  return entries(fields, ([key, value]) => [[key, FREE.has(key) ? value : each(value, change)]]);
}

/** Says no more than it has to: nothing that is null, empty or false, lists as bare arrays, writes with no answer. */
export const terse: Rules = {
  answer({ method, status, body }: Message): unknown {
    if (method === "PATCH") return new Refusal(204, undefined);
    if (isPage(body)) return new Refusal(status, body.results.map(withoutNothing));
    return new Refusal(status === 201 ? 200 : status, isFields(body) ? withoutNothing(body) : body);
  },
};

function withoutNothing(value: unknown): unknown {
  return isFields(value)
    ? outside(value, (fields) =>
        entries(fields, ([key, inner]) => (isNothing(inner) && key !== "is_verified" ? [] : [[key, inner]])),
      )
    : value;
}

function isNothing(value: unknown): boolean {
  return value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0);
}

/** Writes numbers as texts, pages of two with a link to the next that is no address, and fields that nobody knows. */
export const loose: Rules = {
  answer({ method, path, status, body }: Message): unknown {
    if (method === "DELETE") return new Refusal(200, {});
    const loosened = isFields(body) ? outside(body, loosen) : body;
    if (!isPage(body)) return new Refusal(status, isFields(loosened) ? loosen(loosened) : loosened);
    const url = new URL(path, "http://relay");
    const offset = Number(url.searchParams.get("offset") ?? 0);
    const results = body.results
      .slice(0, 2)
      .map((row) => (isFields(row) ? loosen(outside(row, loosen)) : row));
    url.searchParams.set("offset", String(offset + 2));
    const next = body.results.length > 2 ? url.search : null;
    return new Refusal(status, { next, results });
  },
};

function loosen(fields: Fields): Fields {
  const numbers = entries(fields, ([key, value]) => [
    [key, typeof value === "number" && !FREE.has(key) ? String(value) : value],
  ]);
  return { ...numbers, x_unknown: { nested: [1, null] }, _links: { self: null } };
}

/** Null for whatever is empty and for what is secret, pages that say how many there are and not where, other statuses. */
export const nulls: Rules = {
  answer({ method, path, status, body }: Message): unknown {
    // Refused, although the domain is verified by now.
    if (path.endsWith("/verify/")) return new Refusal(409, { error: "nothing to verify" });
    if (!isPage(body)) return new Refusal(method === "POST" && status === 200 ? 202 : status, nulled(body));
    const offset = Number(new URL(path, "http://relay").searchParams.get("offset") ?? 0);
    const results = body.results.slice(0, 3).map(nulled);
    return new Refusal(status, {
      count: String(offset + body.results.length),
      results: results.length > 0 ? results : null,
    });
  },
  refusal({ status, body }: Message): Refusal {
    const { attr, detail } = isFields(body) ? body : {};
    if (status === 404) return new Refusal(410, { message: "Gone" });
    if (status !== 400) return new Refusal(status, body);
    return new Refusal(422, { detail: [{ loc: attr === null ? ["body"] : ["body", attr], msg: detail }] });
  },
};

function nulled(value: unknown): unknown {
  if (!isFields(value)) return value;
  const emptied = (fields: Fields): Fields =>
    entries(fields, ([key, inner]) => [
      [key, key === "config" || (isNothing(inner) && inner !== false) ? null : inner],
    ]);
  return Object.fromEntries(Object.entries(emptied(outside(value, emptied))).reverse());
}
