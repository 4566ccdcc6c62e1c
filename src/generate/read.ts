import type { ApiClient } from "../client/client";
import { ApiError, PermissionError } from "../client/errors";
import { callFor, remoteOf } from "../engine/requests/call";
import { isObject, textAt, toJsonObject, type JsonObject, type Props } from "../engine/values/json";
import { resolveOrganization } from "../engine/requests/organization";
import type { Call } from "../engine/requests/remote";
import { idOf } from "../engine/values/wire";
import { keyOf, labelOf, type Existing, type Project } from "./existing";
import { KINDS, mayHaveChildren, reasonToLeaveOut, type Kind } from "./kinds";
import { selectedKinds, selectedProjects, takes, type Selection } from "./select";

/** Objects asked for at once; the client keeps to its own limit besides. */
const AT_ONCE = 8;
/** The plan does not include it, the key may not see it, this PostHog does not have it. */
const CLOSED: readonly number[] = [402, 403, 404];

/** What is to be read, from where. */
export interface Question {
  readonly client: ApiClient;
  /** UUID, slug or `@current`; undefined where only projects are asked for. */
  readonly organization: string;
  readonly selection: Selection;
  /** Whether to do without what only the single form of an object shows. */
  readonly listsOnly: boolean;
  /** Keys of objects that an earlier run has written: they stay, whatever is selected now. */
  readonly known: ReadonlySet<string>;
  /** Told while objects are read. */
  progress(kind: string, done: number, total: number): void;
}

/** An object, or a whole kind, that is not written. */
export interface Omitted {
  readonly kind: Kind;
  /** What people call the object; undefined for the whole kind. */
  readonly label: string | undefined;
  readonly reason: string;
}

/** What there is. */
export interface Reading {
  /** The organization as the service shows it; undefined where the key may not see it. */
  readonly organization: JsonObject | undefined;
  readonly organizationId: string | undefined;
  readonly projects: readonly Project[];
  readonly existing: readonly Existing[];
  readonly omitted: readonly Omitted[];
  /** Kinds that could not be read, at least in part. */
  readonly unread: ReadonlySet<string>;
}

/**
 * Reads what is to become resources, through the lists and reads that the lifecycle uses.
 *
 * @throws PostHogError where the service fails or refuses the key: half of an organization would look like all of it
 */
export async function readExisting(question: Question): Promise<Reading> {
  const { client, selection } = question;
  const { organization, organizationId } = await readOrganization(question);
  const projects = organization
    ? selectedProjects(selection, projectsOf(organization))
    : await namedProjects(client, selection);
  const all: Existing[] = [];
  const omitted: Omitted[] = [];
  const unread = new Set<string>();
  const selected = new Set(selectedKinds(selection));
  const kept = keptPlaces(question.known);
  const others = (organization ? projectsOf(organization) : []).filter(({ id }) => kept.projects.has(id));
  const every = [...projects, ...others.filter(({ id }) => !projects.some((one) => one.id === id))];
  const scope = {
    question,
    organizationId,
    projects: every,
    selected,
    selectedProjects: projects,
    read: all,
  };
  for (const kind of KINDS.filter((one) => selected.has(one) || kept.types.has(one.type))) {
    for (const place of placesOf(kind, scope)) {
      const found = await readPlace(kind, place, scope);
      all.push(...found.existing);
      omitted.push(...found.omitted);
      if (found.unread !== undefined) {
        unread.add(kind.type);
        const same = omitted.find((one) => one.kind === kind && one.label === undefined);
        if (same?.reason !== found.unread) omitted.push({ kind, label: undefined, reason: found.unread });
      }
    }
  }
  return { organization, organizationId, projects: every, existing: withoutDoubles(all), omitted, unread };
}

interface Scope {
  readonly question: Question;
  readonly organizationId: string | undefined;
  /** Those that are selected, and those that an earlier run wrote something of. */
  readonly projects: readonly Project[];
  readonly selected: ReadonlySet<Kind>;
  readonly selectedProjects: readonly Project[];
  /** What was read so far. */
  readonly read: readonly Existing[];
}

/** Kinds and projects of what an earlier run has written. */
function keptPlaces(known: ReadonlySet<string>): { types: Set<string>; projects: Set<string> } {
  const types = new Set<string>();
  const projects = new Set<string>();
  for (const key of known) {
    const [, type = "", project] = /^(\w+) (?:(\d+)\/)?/.exec(key) ?? [];
    types.add(type);
    if (project !== undefined) projects.add(project);
  }
  return { types, projects };
}

/** A plugin that does several things is in several lists; the first kind has it. */
function withoutDoubles(all: readonly Existing[]): Existing[] {
  const seen = new Set<string>();
  return all.filter(({ kind, id }) => {
    if (kind.parent !== undefined) return true;
    const one = `${kind.definition.keyScope} ${id}`;
    const isNew = !seen.has(one);
    seen.add(one);
    return isNew;
  });
}

interface Place {
  readonly at: Props;
  readonly parent: Existing | undefined;
}

async function readOrganization({ client, organization, selection }: Question) {
  try {
    const id = await resolveOrganization(client, organization);
    const found = await client.get(`/api/organizations/${encodeURIComponent(id)}/`, {
      subject: { kind: "Organization", verb: "reading", id },
      scope: "organization:read",
    });
    return { organization: toJsonObject(isObject(found) ? found : {}), organizationId: id };
  } catch (error) {
    // A key for projects alone sees no organization; then somebody has to say which project.
    if (!PermissionError.isInstance(error) || selection.projects.length === 0) throw error;
    return { organization: undefined, organizationId: undefined };
  }
}

function projectsOf(organization: JsonObject): Project[] {
  const teams = Array.isArray(organization["teams"]) ? organization["teams"] : [];
  return teams
    .map((team) => ({ id: textAt(team, "id"), name: textAt(team, "name") }))
    .filter(({ id }) => id !== "");
}

/** Projects by id, each asked for by itself. */
async function namedProjects(client: ApiClient, { projects }: Selection): Promise<Project[]> {
  const asked = projects.map(async (id) => {
    const path = `/api/projects/${encodeURIComponent(id)}/`;
    try {
      return { id, name: textAt(await client.get(path, { scope: "project:read" }), "name") };
    } catch (error) {
      if (PermissionError.isInstance(error)) return { id, name: "" };
      throw error;
    }
  });
  return await Promise.all(asked);
}

/** Where a kind's objects are: one list for each of these. */
function placesOf(kind: Kind, scope: Scope): Place[] {
  const { definition, parent } = kind;
  if (parent !== undefined && definition.path.includes(`{${parent.argument}}`)) {
    const owners = scope.read.filter(
      (one) => one.kind.type === parent.type && mayHaveChildren(kind, one.object),
    );
    return owners.map((owner) => ({ at: { ...owner.place, [parent.argument]: owner.id }, parent: owner }));
  }
  if (definition.scope === "none")
    return scope.organizationId === undefined ? [] : [{ at: {}, parent: undefined }];
  if (definition.scope === "organization") {
    const { organizationId } = scope;
    return organizationId === undefined ? [] : [{ at: { organizationId }, parent: undefined }];
  }
  return scope.projects.map(({ id }) => ({ at: { projectId: id }, parent: undefined }));
}

interface Found {
  readonly existing: readonly Existing[];
  readonly omitted: readonly Omitted[];
  readonly unread?: string;
}

async function readPlace(kind: Kind, place: Place, scope: Scope): Promise<Found> {
  try {
    const ids = await listed(kind, place, scope);
    return await readAll(kind, place, ids, scope);
  } catch (error) {
    if (!isClosed(error)) throw error;
    const [reason = ""] = error.message.split("\n");
    return {
      existing: [],
      omitted: [],
      unread: error.hint === undefined ? reason : `${reason} ${error.hint}`,
    };
  }
}

/** What a key, a plan or an older PostHog does not open; everything else is a failure. */
function isClosed(error: unknown): error is ApiError {
  return ApiError.isInstance(error) && !error.webPage && CLOSED.includes(error.status);
}

function callAt({ definition }: Kind, place: Place, { question }: Scope): Call {
  const wanted = question.listsOnly ? [] : Object.keys(definition.inputs);
  // The names alone tell the collection what a list has to show, or its objects are asked for one by one.
  const asked = Object.fromEntries(wanted.map((name) => [name, true]));
  return callFor(definition, "reading", { ...asked, ...place.at });
}

/** Ids of the objects of a place. */
async function listed(kind: Kind, place: Place, scope: Scope): Promise<string[]> {
  const { definition } = kind;
  if (definition.scope === "none") return scope.organizationId === undefined ? [] : [scope.organizationId];
  const call = callAt(kind, place, scope);
  const items = (await call.collection.all(call.reading)).filter(isObject).map(toJsonObject);
  const prefix = place.parent === undefined ? "" : `${place.parent.id}/`;
  return items
    .filter((item) => item["deleted"] !== true)
    .flatMap((item) => idOf(definition, item) ?? [])
    .map((id) => prefix + id);
}

async function readAll(kind: Kind, place: Place, ids: readonly string[], scope: Scope): Promise<Found> {
  const { question, organizationId } = scope;
  const call = callAt(kind, place, scope);
  const existing: Existing[] = [];
  const omitted: Omitted[] = [];
  let done = 0;
  await inParallel(ids, async (id, index) => {
    const found = await remoteOf(kind.definition).find(call, id, place.at);
    if (place.parent === undefined) question.progress(kind.type, ++done, ids.length);
    if (found === undefined) return;
    const key = keyOf(kind.type, place.at, id);
    const parent = place.parent ?? ownerOf(kind, id, scope);
    if (kind.parent !== undefined && parent === undefined) return;
    if (!question.known.has(key)) {
      if (!isAsked(kind, place, scope) || !takes(question.selection, kind, found.object, id)) return;
      const reason = reasonToLeaveOut(kind, found.object, organizationId);
      if (reason !== undefined) {
        omitted.push({ kind, label: labelOf(found.object, id), reason });
        return;
      }
    }
    existing[index] = { kind, id, key, object: found.object, place: place.at, parent };
  });
  return { existing: existing.flat(), omitted };
}

/** Whether the selection names the kind and the project; others are read for what an earlier run wrote of them. */
function isAsked(kind: Kind, place: Place, { selected, selectedProjects: projects }: Scope): boolean {
  const project = place.at["projectId"];
  return selected.has(kind) && (project === undefined || projects.some(({ id }) => id === project));
}

/** What an object belongs to where its kind shares a list with its owner's. */
function ownerOf({ parent, definition }: Kind, id: string, { read }: Scope): Existing | undefined {
  if (parent === undefined) return undefined;
  const owner = definition.argumentsOf?.(id)[parent.argument];
  return read.find((one) => one.kind.type === parent.type && one.id === owner);
}

async function inParallel<T>(
  items: readonly T[],
  act: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of left) await act(item, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
