import { ORGANIZATION_TEMPLATE } from "../http/auth";
import { type Call, created, noContent, ok } from "../http/call";
import { invalid, permissionDenied } from "../http/errors";
import {
  boolean,
  canonicalUuid,
  checked,
  type Field,
  isUuid,
  json,
  nullableBoolean,
  required,
  text,
  validate,
  validatePartial,
} from "../fields/fields";
import { hasFeature } from "../world/features";
import { bootstrapOrganization, removeOrganization } from "../world/organizations";
import { page } from "../http/pages";
import { currentOrganization, organizationsOf } from "../world/people";
import { pythonText } from "../fields/python";
import type { Route } from "../http/router";
import { printOrganization } from "../views/people";

const LIST = "/api/organizations/";

function fieldsOf({ world }: Call) {
  return {
    name: required(text({ max: 64 })),
    logo_media_id: emptyToNull(
      checked(mediaKey(), (id) => {
        if (!world.store.media.get(id))
          throw invalid(`Invalid pk "${id}" - object does not exist.`, null, "does_not_exist");
        return id;
      }),
    ),
    is_member_join_email_enabled: boolean(),
    enforce_2fa: nullableBoolean(),
  };
}

/** The key of a picture. A number is taken for the UUID of that value, of which there is none. */
function mediaKey(): Field<string> {
  return checked(json(), (value) => {
    if (typeof value === "boolean") {
      throw invalid("Incorrect type. Expected pk value, received bool.", null, "incorrect_type");
    }
    const given = pythonText(value);
    if (typeof value === "number" && /^\d+$/.test(given)) return given;
    if (!isUuid(given)) throw invalid(`“${given}” is not a valid UUID.`);
    return canonicalUuid(given);
  });
}

/** A key that is an empty text counts as none. */
function emptyToNull<T>(field: Field<T>): Field<T | null> {
  return { ...field, parse: (value) => (value === null || value === "" ? null : field.parse(value)) };
}

function canOwnSeveral(call: Call): void {
  const { world, user } = call;
  if (
    organizationsOf(world, user).length > 0 &&
    !hasFeature(currentOrganization(world, user), "organizations_projects")
  ) {
    throw permissionDenied(
      "You must upgrade your PostHog plan to be able to create and manage multiple organizations.",
    );
  }
}

function atLeast(level: number) {
  return ({ membership }: Call): void => {
    if (membership.level < level) throw permissionDenied("Your organization access level is insufficient.");
  };
}

function update(call: Call, changes: ReturnType<typeof changesOf>) {
  const { world, organization, user } = call;
  world.store.organizations.update(organization, { ...changes, updated_at: world.time });
  return ok(printOrganization(world, organization, user));
}

function changesOf(call: Call) {
  const fields = fieldsOf(call);
  return call.method === "PUT" ? validate(fields, call.body()) : validatePartial(fields, call.body());
}

export const organizationRoutes: readonly Route[] = [
  {
    method: "GET",
    template: LIST,
    scope: "organization:read",
    handler: (call) =>
      ok(
        page(call, organizationsOf(call.world, call.user), (row) =>
          printOrganization(call.world, row, call.user),
        ),
      ),
  },
  {
    method: "POST",
    template: LIST,
    scope: "organization:write",
    guard: canOwnSeveral,
    handler: (call) => {
      const fields = validate(fieldsOf(call), call.body());
      const organization = bootstrapOrganization(call.world, call.user, fields);
      return created(printOrganization(call.world, organization, call.user));
    },
  },
  {
    method: "GET",
    template: ORGANIZATION_TEMPLATE,
    scope: "organization:read",
    handler: (call) => ok(printOrganization(call.world, call.organization, call.user)),
  },
  {
    method: "PATCH",
    template: ORGANIZATION_TEMPLATE,
    scope: "organization:write",
    guard: atLeast(8),
    handler: (call) => update(call, changesOf(call)),
  },
  {
    method: "PUT",
    template: ORGANIZATION_TEMPLATE,
    scope: "organization:write",
    guard: atLeast(8),
    handler: (call) => update(call, changesOf(call)),
  },
  {
    method: "DELETE",
    template: ORGANIZATION_TEMPLATE,
    scope: "organization:write",
    guard: atLeast(15),
    handler: ({ world, organization }) => {
      removeOrganization(world, organization);
      return noContent;
    },
  },
];
