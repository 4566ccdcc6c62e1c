import { z } from "zod";

/** One page of a list; the service's other keys do not matter here. */
const listPage = z.looseObject({
  results: z.array(z.unknown()).nullable(),
  next: z.union([z.string(), z.literal(false)]).nullish(),
  count: z.coerce.number().int().nonnegative().optional().catch(undefined),
});

/** The interface document shows the list of collaborators as the one object that is in it. */
const loneObject = z.looseObject({
  id: z.union([z.string(), z.number()]),
  results: z.undefined().optional(),
});

/** One page: what it holds, and the link to the next one. */
export interface Page {
  results: unknown[];
  next: string | undefined;
  /** How many objects the whole list has, where nothing is said of a next page. */
  count?: number;
  /** How many objects the whole list has, as far as that is said. */
  total?: number;
}

/** Pages that are asked for at once: the way to the service and back is most of what a page takes. */
const AT_ONCE = 10;

/** Reads a page. A plain array is a list of one page; undefined for what is no list. */
export function parsePage(answer: unknown): Page | undefined {
  if (Array.isArray(answer)) return { results: answer, next: undefined };
  if (loneObject.safeParse(answer).success) return { results: [answer], next: undefined };
  const page = listPage.safeParse(answer);
  if (!page.success) return undefined;
  const { results, next, count } = page.data;
  return {
    results: results ?? [],
    next: next === false ? undefined : (next ?? undefined),
    ...(count === undefined ? {} : { total: count }),
    ...(next === undefined && count !== undefined ? { count } : {}),
  };
}

/**
 * Path and query of the page that a `next` link names, below our own address; undefined where the link leads out of
 * the interface. The link's host is ignored: behind a proxy the service often names another one or `http`, and the
 * key must not travel there.
 *
 * @param current path of the page that held the link
 */
export function nextTarget(next: string, base: URL, current: string): string | undefined {
  const prefix = base.pathname.replace(/\/$/, "");
  const here = new URL(`${prefix}${current}`, base);
  if (!URL.canParse(next, here.href)) return undefined;
  const { pathname, search } = new URL(next, here);
  // A proxy may serve the service below a path that the service does not know of.
  const path = prefix !== "" && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
  return path.startsWith("/api/") ? `${path}${search}` : undefined;
}

/**
 * The next page and those after it, as far as they can be told beforehand: by offset, in a list that says how long it is.
 * Which page really comes next is still the service's word.
 *
 * @param next path and query of the next page
 * @param page the page before it
 * @param received how many objects have come so far
 */
export function pagesFrom(next: string, { results, total = 0 }: Page, received: number): string[] {
  const offset = /[?&]offset=(\d+)/.exec(next)?.[1];
  if (results.length === 0 || Number(offset) !== received) return [];
  const left = Math.ceil((total - received) / results.length);
  return Array.from({ length: Math.min(AT_ONCE, left) }, (_, index) =>
    next.replace(/([?&]offset=)\d+/, `$1${String(received + index * results.length)}`),
  );
}
