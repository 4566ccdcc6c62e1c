import { settingName, waysToGive } from "../../client/naming";
import { isKey } from "../../client/scrub";
import type { Settings } from "../../client/settings";
import { clientOf, clientsAt } from "./connection";
import type { Problem, ResourceDefinition } from "../definition";
import type { Props } from "../values/json";
import { CURRENT, isOrganizationId, resolveOrganization } from "./organization";
import { printOnce } from "../messages/say";
import { HIDDEN } from "../state/state";
import { hasUnknown } from "../values/unknown";

const SCOPES = ["projectId", "organizationId"] as const;
type ScopeName = (typeof SCOPES)[number];

/** Which project and organization an object belongs to. */
export interface Scope {
  projectId?: string;
  organizationId?: string;
}

/** The scope that checked inputs or stored outputs name. */
export function scopeOf(definition: ResourceDefinition, props: Props): Scope {
  const scope: Scope = {};
  if (definition.scope !== "organization" && typeof props["projectId"] === "string") {
    scope.projectId = props["projectId"];
  }
  if (definition.scope !== "project" && typeof props["organizationId"] === "string") {
    scope.organizationId = props["organizationId"];
  }
  return scope;
}

/** The path of the collection that an object belongs to: its names in braces are filled in from the arguments. */
export function collectionPath(definition: ResourceDefinition, scope: Scope, args: Props = {}): string {
  const parent =
    definition.scope === "projectOrOrganization" && scope.projectId !== undefined
      ? `/api/projects/${encodeURIComponent(scope.projectId)}`
      : undefined;
  const path = parent
    ? definition.path.replace("/api/organizations/{organizationId}", parent)
    : definition.path;
  const known: Props = { ...args, ...scope };
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = known[name];
    return typeof value === "string" || typeof value === "number" ? encodeURIComponent(value) : "";
  });
}

/** Fills in the scope that the program leaves to configuration; what is missing is a problem with both remedies. */
export function fillScope(definition: ResourceDefinition, args: Props, settings: Settings): Problem[] {
  if (definition.scope === "project" && args["projectId"] === undefined) {
    if (settings.projectId === undefined) return [missing("projectId", args)];
    args["projectId"] = settings.projectId;
  }
  const needsOrganization =
    definition.scope === "organization" ||
    (definition.scope === "projectOrOrganization" && args["projectId"] === undefined);
  if (needsOrganization && args["organizationId"] === undefined) {
    if (settings.organizationId === undefined) return [missing("organizationId", args)];
    args["organizationId"] = settings.organizationId;
  }
  if (args["projectId"] === CURRENT) return [{ argument: "projectId", reason: MOVING_PROJECT }];
  return SCOPES.filter((name) => isKey(args[name])).map((name) => keyInstead(name, args));
}

const PROJECT_ID = "the project's id, as in the address of its pages (/project/1)";
/** What a program has in it would be missed, and made again, as soon as somebody clicks on another project. */
const MOVING_PROJECT = `must be ${PROJECT_ID}: ${CURRENT} is whichever project the owner of the key looks at`;

/** A key would be part of every address, and of every message about it. */
function keyInstead(argument: ScopeName, { connection }: Props): Problem {
  const setting = settingName(argument, typeof connection === "string" ? connection : undefined);
  const meant = argument === "projectId" ? PROJECT_ID : "the organization's UUID or slug";
  return { argument, reason: `must be ${meant}, not a key; default: ${setting}` };
}

function missing(argument: ScopeName, { connection }: Props): Problem {
  const ways = waysToGive(argument, typeof connection === "string" ? connection : undefined);
  return { argument, reason: `is not given: write it as an argument, ${ways}` };
}

/**
 * Puts the organization's UUID where a slug or `@current` was given. A resource that is in the state keeps the
 * UUID it was made with: `@current` moves with every new organization, and nothing may be replaced for that.
 */
export async function pinOrganization(args: Props, olds: Props): Promise<void> {
  const asked = args["organizationId"];
  if (typeof asked !== "string" || hasUnknown(asked)) return;
  const pinned = olds["organizationId"];
  if (isOrganizationId(asked)) {
    // One that is written in another case is no other organization.
    const isPinned = typeof pinned === "string" && pinned.toLowerCase() === asked.toLowerCase();
    args["organizationId"] = isPinned ? pinned : asked.toLowerCase();
    return;
  }
  args[HIDDEN.organization] = asked;
  if (olds[HIDDEN.organization] === asked && typeof pinned === "string" && isOrganizationId(pinned)) {
    args["organizationId"] = pinned;
    if (asked === CURRENT) await sayWhetherMoved(args, pinned);
    return;
  }
  args["organizationId"] = await resolveOrganization(clientOf(args), asked);
}

async function sayWhetherMoved(args: Props, pinned: string): Promise<void> {
  const now = await resolveOrganization(clientOf(args), CURRENT).catch(() => pinned);
  if (now === pinned) return;
  printOnce(
    `${CURRENT} is now organization ${now}; what was made in ${pinned} stays there. ` +
      `Write the UUID of the one you mean to keep this from changing under you.`,
  );
}

/**
 * Learns what `@current` is before a request that moves it, also for other connections: their keys may be of the same
 * person. Where it cannot be told, nobody relies on it.
 */
export async function holdCurrent(props: Props): Promise<void> {
  const clients = clientsAt(clientOf(props).host);
  await Promise.all(clients.map((client) => resolveOrganization(client, CURRENT).catch(() => undefined)));
}
