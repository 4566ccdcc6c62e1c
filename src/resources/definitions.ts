import { definitionOf } from "../engine/program/define";
import type { ResourceDefinition } from "../engine/definition";
import * as kinds from "./index";

/**
 * Every kind, in the order of README's table: by what it is and not by the line it stands on, since each compiler gives
 * the exports of a module an order of its own.
 */
export const definitions: readonly ResourceDefinition[] = Object.values(kinds)
  .map(definitionOf)
  .sort((a, b) => (place(a) < place(b) ? -1 : 1));

/** What belongs to a project comes first, then organizations and what they have; kinds of one collection by name. */
function place({ scope, path, type }: ResourceDefinition): string {
  const [collection = path] = /^\/api\/\w+\/(?:\{\w+\}\/\w+\/)?/.exec(path) ?? [];
  return `${scope === "project" ? 0 : 1} ${collection} ${type}`;
}
