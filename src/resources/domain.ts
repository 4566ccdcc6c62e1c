import { z } from "zod";
import { definition, defineResource } from "../engine/program/define";
import { text } from "../engine/values/fields";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { LOGIN_ARGUMENTS, noteLogin } from "./domain-login";
import { moment } from "./user";

const inputs = {
  /**
   * UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`. A change replaces the domain.
   */
  organizationId: text({ min: 1 }).optional(),
  /** The domain in lower case (`example.com`), at most 128 characters. A change replaces it, the old one going first. */
  domain: text({ max: 128 }).regex(/^([a-z0-9]+(-[a-z0-9]+)*\.)+[a-z]{2,}$/, {
    error: 'must be a domain in lower case, such as "example.com", without protocol or path',
  }),
  /**
   * Whether people with an address of the domain get an account when they first log in. Default: false. The service
   * refuses it before the domain is verified: until then it waits. Updated in place.
   */
  jitProvisioningEnabled: z.boolean().optional(),
  /**
   * The one way to log in: `saml`, `google-oauth2`, `github`, `gitlab`, or "" for any. Default: "". Waits for
   * verification like `jitProvisioningEnabled`. Updated in place.
   */
  ssoEnforcement: text({ max: 28 }).optional(),
  /** Entity id of the SAML provider, at most 512 characters. Default: none. Updated in place; taken out: emptied. */
  samlEntityId: text({ max: 512 }).optional(),
  /** Address that SAML answers go to, at most 512 characters. Default: none. Updated in place; taken out: emptied. */
  samlAcsUrl: text({ max: 512 }).optional(),
  /** Certificate of the SAML provider (public). Default: none. Updated in place; taken out: emptied. */
  samlX509Cert: text().optional(),
};

const outputs = {
  /** Whether the DNS record was found. */
  isVerified: z.boolean().optional(),
  /** When it was verified. */
  verifiedAt: moment.optional(),
  /** Text that the DNS record must hold. */
  verificationChallenge: z.string().optional(),
  /** Whether SAML is set up completely. */
  hasSaml: z.boolean().optional(),
  /** Name of the TXT record that proves the domain: `_posthog-challenge.` and the domain. */
  dnsRecordName: z.string().optional(),
  /** Value of the TXT record that proves the domain. */
  dnsRecordValue: z.string().optional(),
};

/** The kind `Domain`. */
export const domain = definition({
  type: "Domain",
  inputs,
  outputs,
  scope: "organization",
  path: "/api/organizations/{organizationId}/domains/",
  keyScope: "organization",
  replaceOnChanges: ["organizationId", "domain"],
  deleteBeforeReplace: true,
  clears: {
    jitProvisioningEnabled: false,
    ssoEnforcement: "",
    samlEntityId: "",
    samlAcsUrl: "",
    samlX509Cert: "",
  },
  waitsFor: { output: "isVerified", arguments: LOGIN_ARGUMENTS },
  inspect: (call, args) => Promise.resolve(noteLogin(call.client.host, args["domain"], call.subject, args)),
  derive: (known) => ({
    dnsRecordName: `_posthog-challenge.${String(known["domain"])}`,
    ...(known["verificationChallenge"] === undefined
      ? {}
      : { dnsRecordValue: known["verificationChallenge"] }),
  }),
  repeats: { dnsRecordName: ["domain"] },
});

/** Arguments of {@link Domain}. */
export interface DomainArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link Domain}. */
export interface DomainOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * An e-mail domain of an organization, with the DNS record that proves it. It is claimed over all of PostHog: no other
 * organization can have it.
 *
 * Endpoint: `/api/organizations/:organization_id/domains/`; scope `organization:write`; changes need an admin's key.
 *
 * @remarks Destroying it ends the enforcement of its login at once, for everybody with an address of the domain.
 *
 * @example
 * const domain = new posthog.Domain("main", { domain: "example.com" });
 * export const record = { name: domain.dnsRecordName, value: domain.dnsRecordValue };
 */
export class Domain extends defineResource<DomainArgs, DomainOutputs>(domain) {}
