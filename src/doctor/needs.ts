import type { ResourceDefinition } from "../engine/definition";
import { definitions } from "../resources/definitions";

/** Kinds whose actions PostHog closes to every key with scopes. */
const CLOSED: Readonly<Record<string, string>> = {
  DashboardTileMove: "move_tile",
  DomainVerification: "verify",
};
/** Kinds whose changes need a key of an admin or owner of the organization. */
const FOR_ADMINS = ["Organization", "Domain", "DomainVerification", "Member", "TeamMember"];

/** A kind that is no kind of this package. */
export class KindError extends Error {
  override name = "KindError";
}

/**
 * The definitions of these classes, in any case; of all where there are none.
 *
 * @throws KindError where one is no class of this package
 */
export function definitionsOf(kinds: readonly string[]): ResourceDefinition[] {
  const unknown = kinds.find((kind) => !definitions.some(({ type }) => isSame(type, kind)));
  if (unknown !== undefined)
    throw new KindError(
      `there is no kind ${unknown}; there are: ${definitions.map(({ type }) => type).join(", ")}`,
    );
  return definitions.filter(({ type }) => kinds.length === 0 || kinds.some((kind) => isSame(type, kind)));
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** What a program's resources ask of an account. */
export interface Needs {
  /** Scopes of the key that reading needs, with the kinds that need it. */
  readonly reads: ReadonlyMap<string, readonly string[]>;
  /** The same for changes. */
  readonly writes: ReadonlyMap<string, readonly string[]>;
  /** Kinds with actions that are closed to keys with scopes, by action. */
  readonly closed: ReadonlyMap<string, string>;
  /** Kinds that an admin's key changes. */
  readonly forAdmins: readonly string[];
  readonly plugins: readonly string[];
  readonly project: boolean;
  readonly organization: boolean;
  readonly events: boolean;
}

/** What kinds ask of an account. */
export function needsOf(kinds: readonly ResourceDefinition[]): Needs {
  // What needs no scope sends events alone, with a project's own key.
  const managed = kinds.filter(({ keyScope }) => keyScope !== "");
  const types = managed.map(({ type }) => type);
  return {
    reads: byScope(managed, "read"),
    writes: byScope(managed, "write"),
    closed: new Map(Object.entries(CLOSED).filter(([type]) => types.includes(type))),
    forAdmins: types.filter((type) => FOR_ADMINS.includes(type)),
    plugins: managed.filter(({ keyScope }) => keyScope === "plugin").map(({ type }) => type),
    project: managed.some(({ scope }) => scope === "project"),
    organization: managed.some(({ scope }) => scope === "organization" || scope === "projectOrOrganization"),
    events: managed.length < kinds.length,
  };
}

function byScope(kinds: readonly ResourceDefinition[], action: "read" | "write"): Map<string, string[]> {
  const scopes = new Map<string, string[]>();
  for (const { keyScope, type } of kinds) {
    const scope = `${keyScope}:${action}`;
    scopes.set(scope, [...(scopes.get(scope) ?? []), type]);
  }
  return scopes;
}

/** Whether a key with these scopes may do what a scope allows; a right to change includes the right to read. */
export function covers(scopes: readonly string[], scope: string): boolean {
  return scopes.includes("*") || scopes.includes(scope) || scopes.includes(scope.replace(/:read$/, ":write"));
}
