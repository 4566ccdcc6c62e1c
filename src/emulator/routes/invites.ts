import { randomUUID } from "node:crypto";

import { type Answer, type Call, created, noContent, ok } from "../http/call";
import { email } from "../fields/email";
import { invalid, notFound } from "../http/errors";
import {
  boolean,
  canonicalUuid,
  checked,
  choice,
  isUuid,
  json,
  nullable,
  required,
  text,
  validate,
  type Values,
} from "../fields/fields";
import { isObject, type Json } from "../fields/json";
import { newestFirst, page } from "../http/pages";
import { projectsOf } from "../world/people";
import type { Route } from "../http/router";
import type { Invite } from "../store/entities";
import { printAuthor } from "../views/people";
import type { World } from "../world/world";

const LIST = "/api/organizations/:organization_id/invites/";
const ONE = `${LIST}:id/`;
const VALID_FOR_MS = 3 * 24 * 60 * 60 * 1000;
const MOST_AT_ONCE = 20;

type InviteFields = Values<ReturnType<typeof fieldsOf>>;

function fieldsOf(call: Call) {
  return {
    target_email: required(checked(email(), lowerCaseDomain)),
    first_name: text({ max: 30, blank: true }),
    level: choice([1, 8, 15]),
    message: nullable(text({ blank: true })),
    private_project_access: nullable(checked(json(), (value) => checkProjectAccess(call, value))),
    send_email: boolean(),
  };
}

function lowerCaseDomain(address: string): string {
  const at = address.lastIndexOf("@");
  return address.slice(0, at) + address.slice(at).toLowerCase();
}

/** An empty list is stored as null; leaving the field out stores an empty list. */
function checkProjectAccess(call: Call, value: Json): Json {
  if (!Array.isArray(value)) throw invalid("The field must be a list of dictionaries.");
  const ids = projectsOf(call.world, call.organization.id).map((project) => project.id);
  for (const item of value) {
    if (!isObject(item)) throw invalid("Each item in the list must be a dictionary.");
    if (!("id" in item) || !("level" in item))
      throw invalid('Each dictionary must contain "id" and "level" keys.');
    const { id, level } = item;
    if (typeof id !== "number" || !Number.isInteger(id)) throw invalid('The "id" field must be an integer.');
    if (level !== 1 && level !== 8) throw invalid('The "level" field must be either "member" or "admin".');
    if (!ids.includes(id)) {
      throw invalid(
        "Team does not exist on this organization, or it is private and you do not have access to it.",
      );
    }
  }
  return value.length === 0 ? null : value;
}

function create(call: Call, fields: InviteFields): Invite {
  const { world, organization } = call;
  const belongs = world.store.memberships.find(
    (row) =>
      row.organization_id === organization.id &&
      world.store.users.require(row.user_id).email === fields.target_email,
  );
  if (belongs) throw invalid("A user with this email address already belongs to the organization.");
  return world.store.invites.insert({
    id: randomUUID(),
    organization_id: organization.id,
    target_email: fields.target_email,
    first_name: fields.first_name ?? "",
    emailing_attempt_made: fields.send_email ?? true,
    level: fields.level ?? 1,
    created_by_id: call.user.id,
    created_at: world.time,
    updated_at: world.time,
    message: fields.message ?? null,
    private_project_access: fields.private_project_access === undefined ? [] : fields.private_project_access,
    expired: false,
  });
}

/**
 * The service takes an array and answers 201 with an array. The document shows one invite going in and one
 * coming back with 200, and no array: there a single object works too, and the answer has the form of the request.
 */
function bulk(call: Call): Answer {
  const { world } = call;
  const body = call.body();
  if (!Array.isArray(body)) {
    if (!world.upstream) return ok(printInvite(world, create(call, validate(fieldsOf(call), body))));
    throw invalid("This endpoint needs an array of data for bulk invite creation.");
  }
  if (body.length > MOST_AT_ONCE) {
    throw invalid("A maximum of 20 invites can be sent in a single request.", null, "max_length");
  }
  const shape = fieldsOf(call);
  // All are validated before the first is stored; a member's address fails only when its own turn comes.
  const all = body.map((item) => validate(shape, item));
  const invites = all.map((fields) => printInvite(world, create(call, fields)));
  return world.upstream ? created(invites) : ok(invites);
}

export function isExpired(world: World, invite: Invite): boolean {
  return invite.expired || Date.parse(invite.created_at) < world.now().getTime() - VALID_FOR_MS;
}

/** The document shows `send_email`, which the service never reads back. */
export function printInvite(world: World, invite: Invite) {
  return {
    id: invite.id,
    target_email: invite.target_email,
    first_name: invite.first_name,
    emailing_attempt_made: invite.emailing_attempt_made,
    level: invite.level,
    is_expired: isExpired(world, invite),
    created_by: printAuthor(world, invite.created_by_id),
    created_at: invite.created_at,
    updated_at: invite.updated_at,
    message: invite.message,
    private_project_access: invite.private_project_access,
    ...(world.upstream ? {} : { send_email: invite.emailing_attempt_made }),
  };
}

/** There is neither a GET nor a PATCH of one invite: both are 405. */
export const inviteRoutes: readonly Route[] = [
  {
    method: "GET",
    template: LIST,
    scope: "organization_member:read",
    handler: (call) => {
      const rows = call.world.store.invites.filter((row) => row.organization_id === call.organization.id);
      const newest = newestFirst(rows, (row) => row.created_at);
      return ok(page(call, newest, (row) => printInvite(call.world, row)));
    },
  },
  {
    method: "POST",
    template: LIST,
    scope: "organization_member:write",
    handler: (call) => created(printInvite(call.world, create(call, validate(fieldsOf(call), call.body())))),
  },
  {
    method: "DELETE",
    template: ONE,
    scope: "organization_member:write",
    handler: (call) => {
      const id = call.parameter("id");
      const invite = isUuid(id) ? call.world.store.invites.get(canonicalUuid(id)) : undefined;
      if (invite?.organization_id !== call.organization.id) throw notFound();
      call.world.store.invites.delete(invite.id);
      return noContent;
    },
  },
  { method: "POST", template: `${LIST}bulk/`, scope: "organization_member:write", handler: bulk },
];
