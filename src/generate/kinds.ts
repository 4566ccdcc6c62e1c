import type { ResourceDefinition } from "../engine/definition";
import { isObject } from "../engine/values/json";
import { definitions } from "../resources/definitions";

/** Kinds that a list shows and that are not written, with the reason for the person who reads it. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  DashboardTileMove: "a move of a tile is an action, and PostHog keeps no record of it",
  BatchExportBackfill: "a backfill is an action, done once",
  InviteBatch: "each invite is written as an Invite",
  TeamMember: "people are written as Member and Invite",
  HistoricalImport: "an import is an action, done once",
};

/** Files that hold several kinds, or that are called otherwise than the end of the kind's path. */
const AREAS: Readonly<Record<string, string>> = {
  organizations: "organization",
  members: "people",
  invites: "people",
  batch_exports: "exports",
  collaborators: "dashboards",
  pipeline_destinations: "plugins",
  pipeline_frontend_apps: "plugins",
  pipeline_import_apps: "plugins",
};

/** Areas whose resources others name come first; any other follows in the registry's order. */
const FIRST = ["organization", "people", "domains", "dashboards", "exports", "plugins"];

/** Arguments that hold the id of another kind's resource without saying so in their name. */
const REFERENCES: Readonly<Record<string, string>> = { userUuid: "Member" };

/** A kind that is written. */
export interface Kind {
  readonly definition: ResourceDefinition;
  readonly type: string;
  /** File that its resources stand in, without `.ts`. */
  readonly area: string;
  /** The kind that its objects belong to, and the argument that names one of those. */
  readonly parent: { readonly type: string; readonly argument: string } | undefined;
  /** Arguments that another kind declares for the same object. */
  readonly declaredElsewhere: readonly string[];
}

/** The kinds that are written, each after those that it refers to. */
export const KINDS: readonly Kind[] = order(
  definitions.filter(({ type }) => !(type in LEFT_OUT)).map((definition, _, all) => kindOf(definition, all)),
);

function kindOf(definition: ResourceDefinition, all: readonly ResourceDefinition[]): Kind {
  const { type, path, inputs } = definition;
  const segment = /(\w+)\/$/.exec(path)?.[1] ?? type;
  const before = all.slice(0, all.indexOf(definition));
  // Two kinds of one path are two views of the same objects: what both could declare, the first does.
  const same = before.find((other) => other.path === path);
  const argument = same ? ownerArgument(definition, same) : /\/\{(\w+)\}\/\w+\/$/.exec(path)?.[1];
  const owner = argument === undefined ? undefined : referredType(argument, type);
  return {
    definition,
    type,
    area: AREAS[segment] ?? segment.replaceAll("_", "-"),
    parent: argument === undefined || owner === undefined ? undefined : { type: owner, argument },
    declaredElsewhere: same ? Object.keys(inputs).filter((name) => name in same.inputs) : [],
  };
}

function ownerArgument(definition: ResourceDefinition, owner: ResourceDefinition): string | undefined {
  return Object.keys(definition.inputs).find((name) => referredType(name, definition.type) === owner.type);
}

/** The kind whose id an argument of another kind holds. */
export function referredType(argument: string, ownType: string): string | undefined {
  const named = /^([a-z]\w*)Id$/.exec(argument)?.[1];
  const type =
    REFERENCES[argument] ??
    (named && definitions.find((one) => one.type.toLowerCase() === named.toLowerCase())?.type);
  return type === ownType || type === "Organization" ? undefined : type;
}

function order(kinds: readonly Kind[]): Kind[] {
  const area = (kind: Kind): number => (FIRST.includes(kind.area) ? FIRST.indexOf(kind.area) : FIRST.length);
  const referred = ({ type }: Kind): number => (Object.values(REFERENCES).includes(type) ? 0 : 1);
  return kinds.toSorted((a, b) => area(a) - area(b) || referred(a) - referred(b));
}

/**
 * Objects of the parent that have children to be asked for: everybody may edit an open dashboard, and asking each of a
 * thousand for its collaborators would cost as many requests.
 */
export function mayHaveChildren(child: Kind, parent: unknown): boolean {
  if (child.type !== "DashboardCollaborator") return true;
  return isObject(parent) && parent["restriction_level"] === 37;
}

/** Why an object of a list is not written, though its kind is. */
export function reasonToLeaveOut(
  kind: Kind,
  object: unknown,
  organizationId: string | undefined,
): string | undefined {
  if (!isObject(object)) return undefined;
  if (kind.type === "Invite" && object["is_expired"] === true)
    return "expired: nobody can accept it any more";
  const owner = object["organization_id"];
  if (typeof owner === "string" && organizationId !== undefined && owner !== organizationId)
    return "belongs to another organization, which shares it";
  return undefined;
}

/** Whether the program protects it from deletion: whatever does not pass by itself, as an invite does. */
export function isProtected(kind: Kind): boolean {
  return kind.type !== "Invite";
}
