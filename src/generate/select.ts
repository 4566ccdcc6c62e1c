import { KINDS, type Kind } from "./kinds";
import { labelOf, tagsOf, type Project } from "./existing";
import type { JsonObject } from "../engine/values/json";

/** What is to be written. */
export interface Selection {
  /** Classes such as `Dashboard`, in any case; none: all. */
  readonly kinds: readonly string[];
  /** Patterns of names, in any case, with `*` for anything; none: all. */
  readonly names: readonly string[];
  /** Tags, in any case, of which an object has one; none: all. */
  readonly tags: readonly string[];
  /** Ids or names of projects; none: all of the organization. */
  readonly projects: readonly string[];
}

/** A selection that names what is not there. */
export class SelectionError extends Error {
  override name = "SelectionError";
}

/**
 * The kinds that a selection names, with what they belong to. Those without tags have none of a tag, unless they belong to what may have one.
 *
 * @throws SelectionError where it names what is no kind
 */
export function selectedKinds(selection: Selection): Kind[] {
  const types = KINDS.map(({ type }) => type);
  for (const asked of selection.kinds) {
    if (!types.some((type) => equals(type, asked)))
      throw new SelectionError(`there is no kind ${asked} to generate; there are: ${types.join(", ")}`);
  }
  // What belongs to something cannot be written without it.
  const isNamed = ({ type }: Kind): boolean =>
    selection.kinds.length === 0 ||
    selection.kinds.some((asked) => equals(type, asked)) ||
    KINDS.some((child) => child.parent?.type === type && isNamed(child));
  return KINDS.filter((kind) => isNamed(kind) && (selection.tags.length === 0 || hasTags(kind)));
}

function hasTags({ definition, parent }: Kind): boolean {
  const owner = KINDS.find(({ type }) => type === parent?.type);
  return "tags" in definition.inputs || (owner !== undefined && hasTags(owner));
}

/** Whether a selection takes an object; what belongs to another one is taken with it. */
export function takes(selection: Selection, kind: Kind, object: JsonObject, id: string): boolean {
  if (kind.parent !== undefined) return true;
  const { names, tags } = selection;
  const label = labelOf(object, id);
  const named = names.length === 0 || names.some((pattern) => matches(pattern, label));
  const tagged =
    tags.length === 0 || tagsOf(object).some((tag) => tags.some((asked) => equals(tag, asked.trim())));
  return named && tagged;
}

/**
 * The projects that a selection names.
 *
 * @throws SelectionError where it names what is no project of the organization
 */
export function selectedProjects(selection: Selection, projects: readonly Project[]): Project[] {
  const asked = selection.projects;
  const missing = asked.find((name) => !projects.some((project) => isCalled(project, name)));
  if (missing !== undefined) {
    const all = projects.map(({ id, name }) => `${id} (${name})`).join(", ");
    throw new SelectionError(`the organization has no project ${missing}; it has: ${all || "none"}`);
  }
  return projects.filter((project) => asked.length === 0 || asked.some((name) => isCalled(project, name)));
}

function isCalled({ id, name }: Project, asked: string): boolean {
  return id === asked || equals(name, asked);
}

function equals(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Runs of `*` count as one: nothing that is typed makes the search slow. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.toLowerCase().split(/\*+/);
  const [first = "", ...rest] = parts;
  const lower = text.toLowerCase();
  const last = rest.pop();
  if (last === undefined) return lower === first;
  if (!lower.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = lower.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return lower.length - last.length >= from && lower.endsWith(last);
}
