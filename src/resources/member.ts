import { z } from "zod";
import type { ApiClient } from "../client/client";
import { collectionFor } from "../client/collection";
import { isRefused, PermissionError } from "../client/errors";
import { asObject, collectionRemote, itemPath } from "../engine/requests/collection-remote";
import { definition, defineResource } from "../engine/program/define";
import type { Judgement } from "../engine/definition";
import { StateError } from "../engine/messages/errors";
import { email, isSameAddress, level, text, uuid } from "../engine/values/fields";
import { at, isObject, textAt, toJsonObject, type JsonObject, type Props } from "../engine/values/json";
import { numberOf } from "../engine/values/lenient";
import type { Call, Found } from "../engine/requests/remote";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { moment, user } from "./user";

const OWNER = 15;
const MEMBER = 1;
/** Arguments of which one names the person. */
const WHO = ["userUuid", "email"] as const;

const inputs = {
  /**
   * UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`. A change replaces the member.
   */
  organizationId: text({ min: 1 }).optional(),
  /** UUID of the person. Either this or `email`. Another person: the old one is removed. The same one: nothing is sent. */
  userUuid: uuid().optional(),
  /** E-mail address of the person, in any case. Either this or `userUuid`. Another person replaces, as with `userUuid`. */
  email: email().optional(),
  /** 1 or `member`, 8 or `admin`, 15 or `owner`. Updated in place; never the level of the key's own user. */
  level: level(),
};

const outputs = {
  /** UUID of the membership (the resource's id is the person's). */
  membershipId: z.string().optional(),
  /** The person. */
  user: user.optional(),
  /** When the person joined. */
  joinedAt: moment.optional(),
  /** When the membership was last changed. */
  updatedAt: moment.optional(),
  /** Whether the person has set up two-factor authentication. */
  is2faEnabled: z.boolean().optional(),
  /** Whether the person logs in by a provider. */
  hasSocialAuth: z.boolean().optional(),
};

/** The kind `Member`. */
export const member = definition({
  type: "Member",
  inputs,
  outputs,
  scope: "organization",
  path: "/api/organizations/{organizationId}/members/",
  keyScope: "organization_member",
  idField: "user.uuid",
  read: "list",
  replaceOnChanges: ["organizationId", "userUuid", "email"],
  clears: {},
  fields: { email: { same: isSameAddress } },
  refine: (args) =>
    args["userUuid"] !== undefined && args["email"] !== undefined
      ? [{ argument: "email", reason: "give either userUuid or email, not both" }]
      : [],
  requireOneOf: ["userUuid", "email"],
  takesOver: true,
  repeats: { user: ["userUuid", "email"] },
  judge,
  remote: {
    create,
    async find(call, id) {
      const found = await collectionRemote.find(call, id, {});
      return found && { id, object: withMembershipId(found.object) };
    },
    async update(call, id, changed) {
      const object = await collectionRemote.update(call, id, changed, {});
      return object && withMembershipId(object);
    },
    delete: removeMember,
  },
});

/** Whoever is named by address now and was by UUID before, or the other way round, is nobody else. */
function judge(stored: Props, wanted: Props): Judgement {
  const isSame =
    wanted["email"] === undefined
      ? wanted["userUuid"] === at(stored["user"], "uuid")
      : isSameAddress(at(stored["user"], "email"), wanted["email"]);
  const named = WHO.filter((name) => !isSameAddress(stored[name], wanted[name]));
  return isSame ? { restates: named } : {};
}

function withMembershipId(object: JsonObject): JsonObject {
  return { ...object, membership_id: object["id"] ?? null };
}

/** The members of an organization, as the whole process reads them. */
export function membersOf(call: Call, path: string) {
  return collectionFor(call.client, {
    path,
    single: false,
    idOf: (item) => textAt(item, "user.uuid"),
  });
}

/** The member whom a UUID or an e-mail address names. */
export async function findMember(call: Call, path: string, who: Props): Promise<Found | undefined> {
  const wanted = typeof who["email"] === "string" ? who["email"].toLowerCase() : undefined;
  const item = await membersOf(call, path).search((candidate) => {
    const address = at(candidate, "user.email");
    return wanted === undefined
      ? at(candidate, "user.uuid") === who["userUuid"]
      : typeof address === "string" && address.toLowerCase() === wanted;
  }, call.reading);
  const id = at(item, "user.uuid");
  return isObject(item) && typeof id === "string" ? { id, object: toJsonObject(item) } : undefined;
}

function known({ id, object }: Found): Found {
  return { id, object: withMembershipId(object) };
}

/** Nobody is made a member from outside: the person has joined already, and is taken over at the declared level. */
async function create(call: Call, args: Props): Promise<Found> {
  const found = await findMember(call, call.path, args);
  const who = String(args["email"] ?? args["userUuid"]);
  if (found === undefined) {
    throw new StateError(
      `${who} is not a member of organization ${call.scope.organizationId ?? ""}. A Member takes over someone who has ` +
        `joined: invite the person with an Invite, and declare the Member once the invite is accepted.`,
    );
  }
  const { level } = args;
  if (numberOf(found.object["level"]) === level) return known(found);
  const changed = await collectionRemote.update(call, found.id, { level }, {});
  if (changed !== undefined) return known({ id: found.id, object: changed });
  // A service may answer to a change without a word about it.
  return known((await collectionRemote.find(call, found.id, {})) ?? found);
}

/** Removes the person, but never the key's own user or the last owner: either would lock everybody out. */
export async function removeMember(call: Call, id: string): Promise<void> {
  const members = (await membersOf(call, call.path).all(call.reading)).filter(isObject);
  const target = members.find((item) => at(item, "user.uuid") === id);
  if (target !== undefined) {
    const owners = members.filter((item) => numberOf(item["level"]) === OWNER);
    const isLastOwner = owners.includes(target) && owners.length === 1;
    const isOwn = !isLastOwner && (await isOwnUser(call, id, target["level"]));
    if (isLastOwner || isOwn) {
      release(call, isOwn ? "is (or outranks) the key's own user" : "is the last owner of the organization");
      return;
    }
  }
  try {
    await collectionRemote.delete(call, id, {});
  } catch (error) {
    // The service lets no owner leave, even beside others: one level down first.
    if (numberOf(target?.["level"]) !== OWNER || !isRefused(error)) throw error;
    await call.client.patch(itemPath(call, id), call.writing({ level: MEMBER }));
    await collectionRemote.delete(call, id, {});
  }
}

function release(call: Call, why: string): void {
  call.warn(`${why}: released from the state, and still a member`);
}

const ownUsers = new WeakMap<ApiClient, Promise<unknown>>();

/**
 * Whether the key belongs to this person. Keys without the scope to ask that find out by setting the level to what
 * it is: the service refuses this for the key's own user and for whoever stands above.
 */
async function isOwnUser(call: Call, id: string, currentLevel: unknown): Promise<boolean> {
  const asked =
    ownUsers.get(call.client) ?? call.client.get("/api/users/@me/", { ...call.reading, scope: "user:read" });
  ownUsers.set(call.client, asked);
  try {
    const own = asObject(await asked)?.["uuid"];
    if (typeof own === "string") return own === id;
  } catch {
    // Closed to this key, or unknown to this service: the next request tells.
  }
  try {
    await call.client.patch(itemPath(call, id), call.writing({ level: currentLevel }));
    return false;
  } catch (error) {
    if (PermissionError.isInstance(error)) return true;
    throw error;
  }
}

/** Arguments of {@link Member}. */
export interface MemberArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link Member}. */
export interface MemberOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * Someone who has joined an organization, taken over and kept at a level.
 *
 * Destroying it removes the person from the organization, except the key's own user and the last owner, who are
 * released from the state with a warning. Endpoint: `/api/organizations/:organization_id/members/`; scope
 * `organization_member:write`; changes need an admin's key.
 *
 * @remarks Nobody is made a member from outside: whoever has not joined is an error. `TeamMember` takes people in any
 * state.
 * @destroy removed; never the key's own user or the last owner
 *
 * @example
 * new posthog.Member("ada", { email: "ada@example.com", level: "admin" });
 */
export class Member extends defineResource<MemberArgs, MemberOutputs>(member) {}
