import type { Emulator } from "../../support/emulator";
import { writes } from "../../support/emulator";
import { isExempt, type Kept, type KindCases, type Sent } from "../cases";

type Request = Emulator["requests"][number];

/** Ids by which requests name an object, or its parts. */
export function idsOf(kind: KindCases, kept: Kept): readonly string[] {
  return kind.idsOf?.(kept) ?? [kept.id.split("/").at(-1) ?? ""];
}

/**
 * The writes to one object, as the tables write them: below the object; of kinds that have their objects in several
 * places, below the project or organization, with `$` for an id.
 */
export function sentTo(emulator: Emulator, kind: KindCases, ...sides: readonly (Kept | undefined)[]): Sent[] {
  const kept = sides.filter((side) => side !== undefined);
  const ids = new Set(kept.flatMap((side) => idsOf(kind, side)));
  const marks = kept.flatMap((side) => kind.marksOf?.(side) ?? []);
  const one = collectionOf(kind, `(?:${[...ids].join("|")})/((?:[^/]+/)*)`);
  return writes(emulator).flatMap((request): Sent[] => {
    const { path, body } = request;
    if (kind.idsOf === undefined) {
      const action = one.exec(path)?.[1];
      return action === undefined ? [] : [asSent(request, action)];
    }
    const below = path.replace(/^\/api\/(?:projects|organizations)\/[^/]+\//, "");
    const parts = below.split("/");
    const isIts = parts.some((part) => ids.has(part)) || marks.some((mark) => holds(body, mark));
    return isIts ? [asSent(request, parts.map((part) => (ids.has(part) ? "$" : part)).join("/"))] : [];
  });
}

/** The request that made an object: the one in whose body or path this value stands. */
export function creationOf(emulator: Emulator, kind: KindCases, marker: unknown): Request | undefined {
  const { creation } = kind;
  const made =
    creation === undefined || isExempt(creation)
      ? collectionOf(kind, "(?:create_from_template_json/)?", "POST ")
      : creation;
  return writes(emulator)
    .filter(({ method, path }) => made.test(`${method} ${path}`))
    .find(({ path, body }) => holds(body, marker) || path.split("/").includes(String(marker)));
}

/** The request that removed an object. */
export function removalOf(emulator: Emulator, kind: KindCases, kept: Kept): Request | undefined {
  const { removal } = kind;
  if (isExempt(removal) || "row" in removal) return undefined;
  const [method, , body] = removal;
  const ids = idsOf(kind, kept);
  const collection =
    kind.idsOf === undefined ? collectionOf(kind, "[^/]+/") : /\/(?:invites|members)\/[^/]+\/$/;
  return writes(emulator).find(
    (request) =>
      request.method === method &&
      collection.test(request.path) &&
      ids.includes(request.path.split("/").at(-2) ?? "") &&
      (body === undefined || JSON.stringify(request.body).includes('"deleted":true')),
  );
}

/** How many requests sent events: each file of the tables holds one. */
export function importsOf(requests: readonly Request[]): number {
  return requests.filter(({ path }) => path === "/batch/").length;
}

/** Whether a value stands anywhere in a body. */
export function holds(body: unknown, value: unknown): boolean {
  if (typeof body !== "object" || body === null) return body === value;
  return Object.values(body).some((member) => holds(member, value));
}

function asSent({ method, body }: Request, action: string): Sent {
  return body === undefined ? [method, action] : [method, action, body];
}

/** Collections of projects and organizations are told apart by their last part; an export has one below each. */
function collectionOf(kind: KindCases, below: string, before = ""): RegExp {
  const path = kind.path
    .replace(/^\/api\/(?:organizations|projects)\/\$\w+/, "/api/(?:organizations|projects)/[^/]+")
    .replace(/\$\w+/g, "[^/]+");
  return new RegExp(`^${before}${path}${below}$`);
}
