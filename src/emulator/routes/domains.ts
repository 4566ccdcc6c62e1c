import { randomUUID } from "node:crypto";

import { adminToWrite } from "../http/auth";
import { type Call, created, noContent, ok } from "../http/call";
import { invalid, notFound, permissionDenied } from "../http/errors";
import {
  boolean,
  canonicalUuid,
  checked,
  isUuid,
  nullable,
  required,
  text,
  validate,
  validatePartial,
} from "../fields/fields";
import { hasFeature } from "../world/features";
import { urlSafeToken } from "../world/identity";
import { byText, page } from "../http/pages";
import type { Route } from "../http/router";
import type { Domain } from "../store/entities";
import type { World } from "../world/world";

const LIST = "/api/organizations/:organization_id/domains/";
const ONE = `${LIST}:id/`;

const DOMAIN = /^([a-z0-9]+(-[a-z0-9]+)*\.)+[a-z]{2,}$/;
const ONLY_WHEN_VERIFIED = ["jit_provisioning_enabled", "sso_enforcement"] as const;
const NOT_IN_PLAN = "Automatic provisioning is not enabled for this organization.";

function inPlan({ organization }: Call): boolean {
  return hasFeature(organization, "automatic_provisioning");
}

function fieldsOf(world: World, self: Domain | undefined) {
  return {
    domain: required(
      checked(text({ max: 128 }), (domain) => {
        if (world.store.domains.find((row) => row.domain === domain && row !== self)) {
          throw invalid("domain with this domain already exists.", null, "unique");
        }
        if (!DOMAIN.test(domain)) throw invalid("Please enter a valid domain or subdomain name.");
        return domain;
      }),
    ),
    jit_provisioning_enabled: boolean(),
    sso_enforcement: text({ max: 28, blank: true }),
    saml_entity_id: nullable(text({ max: 512, blank: true })),
    saml_acs_url: nullable(text({ max: 512, blank: true })),
    saml_x509_cert: nullable(text({ blank: true })),
  };
}

function find(call: Call): Domain {
  const id = call.parameter("id");
  const domain = isUuid(id) ? call.world.store.domains.get(canonicalUuid(id)) : undefined;
  if (domain?.organization_id !== call.organization.id) throw notFound();
  return domain;
}

function update(call: Call) {
  const { world } = call;
  const domain = find(call);
  const fields = fieldsOf(world, domain);
  const body = call.body();
  const changes = call.method === "PUT" ? validate(fields, body) : validatePartial(fields, body);
  if (domain.verified_at === null) {
    for (const name of ONLY_WHEN_VERIFIED) {
      if (name in changes) {
        throw invalid(
          "This attribute cannot be updated until the domain is verified.",
          name,
          "verification_required",
        );
      }
    }
  }
  if (changes.jit_provisioning_enabled && !inPlan(call)) {
    throw invalid(NOT_IN_PLAN, "jit_provisioning_enabled", "feature_not_available");
  }
  return ok(printDomain(world.store.domains.update(domain, changes)));
}

/** The service finds the TXT record at `_posthog-challenge.<domain>`, or it does not; both are a 200. */
function verify(call: Call) {
  const { world } = call;
  const domain = find(call);
  if (domain.verified_at !== null)
    throw invalid("This domain has already been verified.", null, "already_verified");
  const name = `_posthog-challenge.${domain.domain}`;
  const proven = world.store.dnsRecords.find(
    (record) => record.name === name && record.value === domain.verification_challenge,
  );
  if (proven) world.store.domains.update(domain, { verified_at: world.time });
  return ok(printDomain(domain));
}

export function printDomain(domain: Domain) {
  return {
    id: domain.id,
    domain: domain.domain,
    is_verified: domain.verified_at !== null,
    verified_at: domain.verified_at,
    verification_challenge: domain.verification_challenge,
    jit_provisioning_enabled: domain.jit_provisioning_enabled,
    sso_enforcement: domain.sso_enforcement,
    has_saml: Boolean(domain.saml_entity_id && domain.saml_acs_url && domain.saml_x509_cert),
    saml_entity_id: domain.saml_entity_id,
    saml_acs_url: domain.saml_acs_url,
    saml_x509_cert: domain.saml_x509_cert,
  };
}

export const domainRoutes: readonly Route[] = [
  {
    method: "GET",
    template: LIST,
    scope: "organization:read",
    handler: (call) => {
      const rows = call.world.store.domains.filter((row) => row.organization_id === call.organization.id);
      return ok(
        page(
          call,
          rows.sort((a, b) => byText(a.domain, b.domain)),
          printDomain,
        ),
      );
    },
  },
  {
    method: "POST",
    template: LIST,
    scope: "organization:write",
    guard: adminToWrite,
    handler: (call) => {
      const fields = validate(fieldsOf(call.world, undefined), call.body());
      // The service's cloud asks this of every new domain, whatever it says.
      if (!inPlan(call)) throw permissionDenied(NOT_IN_PLAN);
      // Neither jit_provisioning_enabled nor sso_enforcement: the service drops both before verification.
      const domain = call.world.store.domains.insert({
        id: randomUUID(),
        organization_id: call.organization.id,
        domain: fields.domain,
        verified_at: null,
        verification_challenge: urlSafeToken(32),
        jit_provisioning_enabled: false,
        sso_enforcement: "",
        saml_entity_id: fields.saml_entity_id ?? null,
        saml_acs_url: fields.saml_acs_url ?? null,
        saml_x509_cert: fields.saml_x509_cert ?? null,
      });
      return created(printDomain(domain));
    },
  },
  {
    method: "GET",
    template: ONE,
    scope: "organization:read",
    handler: (call) => ok(printDomain(find(call))),
  },
  { method: "PATCH", template: ONE, scope: "organization:write", guard: adminToWrite, handler: update },
  { method: "PUT", template: ONE, scope: "organization:write", guard: adminToWrite, handler: update },
  {
    method: "DELETE",
    template: ONE,
    scope: "organization:write",
    guard: adminToWrite,
    handler: (call) => {
      call.world.store.domains.delete(find(call).id);
      return noContent;
    },
  },
  { method: "POST", template: `${ONE}verify/`, scope: "closed", guard: adminToWrite, handler: verify },
];
