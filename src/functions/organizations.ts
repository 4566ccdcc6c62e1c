import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { domain, type DomainOutputs } from "../resources/domain";
import { organization, type OrganizationOutputs } from "../resources/organization";
import {
  dataFunction,
  recordOf,
  type ConnectionArgs,
  type LiftedArgs,
  type RecordOf,
  type ValuesOf,
} from "./data-function";
import { idArgs, organizationArgs } from "./scope-args";

const ownOfOrganization = {
  /** UUID of the organization. */
  id: z.string(),
  /** Features of its plan, in the service's own form. */
  availableProductFeatures: z.array(z.unknown()),
  /** Anything the service notes about it; text in the interface, an object in the service. */
  metadata: z.unknown(),
  /** How many people belong to it; text in the interface, a number in the service. */
  memberCount: z.coerce.number(),
};
const organizationRecord = recordOf({
  ...organization.inputs,
  ...organization.outputs,
  ...ownOfOrganization,
});

const { organizationId: _organizationId, ...domainInputs } = domain.inputs;
const ownOfDomain = {
  /** UUID of the domain. */
  id: z.string(),
};
const domainRecord = recordOf({ ...domainInputs, ...domain.outputs, ...ownOfDomain });

/** An organization as the service shows it, its projects without their tokens. */
export interface OrganizationResult
  extends ValuesOf<OrganizationOutputs>, RecordOf<typeof ownOfOrganization> {}
/** A domain as the service shows it, with the DNS record that proves it. */
export interface DomainResult
  extends ValuesOf<Omit<DomainOutputs, "organizationId">>, RecordOf<typeof ownOfDomain> {}
/** Arguments of {@link getOrganization}. */
export type GetOrganizationArgs = z.input<z.ZodObject<typeof organizationArgs>> & ConnectionArgs;
/** Arguments of {@link getDomains}. */
export type GetDomainsArgs = GetOrganizationArgs;
/** Arguments of {@link getDomain}. */
export type GetDomainArgs = GetOrganizationArgs & z.input<z.ZodObject<typeof idArgs>>;

const organizationFunction = dataFunction({
  name: "getOrganization",
  scope: "organization",
  args: organizationArgs,
  ask: async ({ get }) =>
    organizationRecord.parse(await get("/api/organizations/{organizationId}/", "organization:read")),
});
const organizationsFunction = dataFunction({
  name: "getOrganizations",
  scope: "none",
  args: {},
  ask: async ({ list }) =>
    (await list("/api/organizations/", "organization:read")).map((item) => organizationRecord.parse(item)),
});

const DOMAINS = "/api/organizations/{organizationId}/domains/";

function domainOf(item: unknown): DomainResult {
  const found = domainRecord.parse(item);
  return { ...found, ...domain.derive?.(found) };
}

const domainFunction = dataFunction({
  name: "getDomain",
  scope: "organization",
  args: { ...organizationArgs, ...idArgs },
  ask: async ({ get }) => domainOf(await get(`${DOMAINS}{id}/`, "organization:read")),
});
const domainsFunction = dataFunction({
  name: "getDomains",
  scope: "organization",
  args: organizationArgs,
  ask: async ({ list }) => (await list(DOMAINS, "organization:read")).map(domainOf),
});

/** An organization by UUID, slug or `@current`. `GET /api/organizations/:id/` */
export function getOrganization(args: GetOrganizationArgs = {}): Promise<OrganizationResult> {
  return organizationFunction.call(args);
}
/** {@link getOrganization} of arguments that may be outputs. */
export function getOrganizationOutput(
  args: LiftedArgs<GetOrganizationArgs> = {},
): pulumi.Output<OrganizationResult> {
  return organizationFunction.output(args);
}

/** Every organization that the key's owner belongs to. `GET /api/organizations/` */
export function getOrganizations(args: ConnectionArgs = {}): Promise<OrganizationResult[]> {
  return organizationsFunction.call(args);
}
/** {@link getOrganizations} of arguments that may be outputs. */
export function getOrganizationsOutput(
  args: LiftedArgs<ConnectionArgs> = {},
): pulumi.Output<OrganizationResult[]> {
  return organizationsFunction.output(args);
}

/** A domain by its UUID. `GET /api/organizations/:organization_id/domains/:id/` */
export function getDomain(args: GetDomainArgs): Promise<DomainResult> {
  return domainFunction.call(args);
}
/** {@link getDomain} of arguments that may be outputs. */
export function getDomainOutput(args: LiftedArgs<GetDomainArgs>): pulumi.Output<DomainResult> {
  return domainFunction.output(args);
}

/** Every domain of an organization. `GET /api/organizations/:organization_id/domains/` */
export function getDomains(args: GetDomainsArgs = {}): Promise<DomainResult[]> {
  return domainsFunction.call(args);
}
/** {@link getDomains} of arguments that may be outputs. */
export function getDomainsOutput(args: LiftedArgs<GetDomainsArgs> = {}): pulumi.Output<DomainResult[]> {
  return domainsFunction.output(args);
}
