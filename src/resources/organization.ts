import { z } from "zod";
import { collectionRemote } from "../engine/requests/collection-remote";
import { definition, defineResource } from "../engine/program/define";
import { plainObject, text, uuid } from "../engine/values/fields";
import { resolveOrganization } from "../engine/requests/organization";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { moment } from "./user";

const inputs = {
  /** Name, 1 to 64 characters. Updated in place (the slug stays). */
  name: text({ min: 1, max: 64 }),
  /** UUID of an uploaded picture. Default: none. Updated in place; taken out: none. */
  logoMediaId: uuid().optional(),
  /** Whether members get an e-mail when someone joins. Default: true. Updated in place; taken out: true. */
  isMemberJoinEmailEnabled: z.boolean().optional(),
  /** Whether members must use two-factor authentication. Default: undecided. Updated in place; taken out: undecided. */
  enforce2fa: z.boolean().optional(),
};

const outputs = {
  /** Short name in addresses, made from the name at creation; a later change of the name leaves it. */
  slug: z.string().optional(),
  /** When it was created. */
  createdAt: moment.optional(),
  /** When it was last changed. */
  updatedAt: moment.optional(),
  /** Level of the key's owner in it: 1 member, 8 admin, 15 owner. */
  membershipLevel: z.number().optional(),
  /** What its members may do with plugins: 0 nothing, 3 configure, 6 install, 9 everything. */
  pluginsAccessLevel: z.number().optional(),
  /** Its projects, without their API tokens. */
  teams: z
    .array(
      plainObject({
        /** Number of the project: what `projectId` arguments take. */
        id: z.number().optional(),
        /** UUID of the project. */
        uuid: z.string().optional(),
        /** Name of the project. */
        name: z.string().optional(),
        /** Time zone of the project. */
        timezone: z.string().optional(),
      }),
    )
    .optional(),
  /** Number of the customer in billing. */
  customerId: z.string().optional(),
};

/** The kind `Organization`. */
export const organization = definition({
  type: "Organization",
  inputs,
  outputs,
  scope: "none",
  path: "/api/organizations/",
  keyScope: "organization",
  replaceOnChanges: [],
  clears: { logoMediaId: null, isMemberJoinEmailEnabled: true, enforce2fa: null },
  repeats: { slug: ["name"] },
  remote: {
    async find(call, id, stored) {
      return await collectionRemote.find(call, await resolveOrganization(call.client, id), stored);
    },
  },
});

/** Arguments of {@link Organization}. */
export interface OrganizationArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link Organization}. */
export interface OrganizationOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * An organization; deleting it deletes everything in it, so `protect` it.
 *
 * The service makes it with a first project, and the current organization of the key's owner (`@current` moves).
 * Deleting it deletes its projects, dashboards, exports and events. `Organization.get` and `adoptId` also take a slug or
 * `@current`. Endpoint: `/api/organizations/`; scope `organization:write`; changes need an admin's key, deletion an
 * owner's.
 *
 * @remarks Without `protect: true`, taking it out of the program deletes everything in it.
 * @remarks An export, a domain or a person of it is gone with it; Pulumi's `deletedWith` option saves those requests.
 *
 * @example
 * new posthog.Organization("acme", { name: "Acme", enforce2fa: true }, { protect: true });
 */
export class Organization extends defineResource<OrganizationArgs, OrganizationOutputs>(organization) {}
