import { type Answer, type Call, ok } from "./call";
import { notAcceptable, notFound } from "./errors";
import type { Match, Scope } from "./router";

/** What every view of the service offers beside its routes: JSON and nothing else, and what it takes. */

const MEDIA_TYPE = "application/json";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Looked at before the key: a client that takes no JSON gets no other answer. */
export function negotiate({ request, query }: Call): void {
  const format = query.get("format");
  if (format !== null && format !== "json") throw notFound();
  const accepted = (request.accept ?? "*/*")
    .split(",")
    .map((type) => type.replace(/;.*/, "").trim().toLowerCase());
  if (!accepted.some((type) => type === "*/*" || type === "application/*" || type === MEDIA_TYPE)) {
    throw notAcceptable();
  }
}

/** The `Allow` of every answer. HEAD and OPTIONS need no routes of their own. */
export function allowedMethods({ routes }: Match): string {
  const own = METHODS.filter((method) => routes.has(method));
  return [...own, ...(routes.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

/** What OPTIONS takes is the reading scope of the path's object; a closed action stays closed to it. */
export function readScope({ routes }: Match): Scope {
  const [scope = "closed"] = [...routes.values()].map((route) => route.scope);
  return scope === "closed" || scope === "own" ? scope : `${scope.replace(/:.*/, "")}:read`;
}

/** The answer of OPTIONS. */
export function describe({ template }: Match): Answer {
  const path = template.replace(/\/:[^/]+\/$/, "/");
  const named = /([^/:]+)\/$/.exec(path)?.[1] ?? "";
  const title = named.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
  const name = `${title} ${path === template ? "List" : "Instance"}`;
  return ok({ name, description: "", renders: [MEDIA_TYPE], parses: [MEDIA_TYPE] });
}
