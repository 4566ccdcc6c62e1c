import * as pulumi from "@pulumi/pulumi";
import { Domain, type DomainArgs } from "../resources/domain";
import { DomainVerification, type DomainVerificationArgs } from "../resources/domain-verification";

/** The TXT record that proves a domain. */
export interface ProofRecord {
  /** Full name: `_posthog-challenge.` and the domain. */
  name: pulumi.Output<string>;
  /** Text that it must hold. */
  value: pulumi.Output<string>;
}

/** Arguments of {@link VerifiedDomain}. */
export interface VerifiedDomainArgs
  extends
    Omit<DomainArgs, "adoptId">,
    Pick<DomainVerificationArgs, "timeoutSeconds" | "jitProvisioningEnabled" | "ssoEnforcement"> {
  /**
   * Makes the DNS record with a resource of any DNS provider, and returns it (or several). Pass `opts` on, so that the
   * record stands below the component.
   */
  dnsRecord(
    record: ProofRecord,
    opts: { parent: pulumi.Resource },
  ): pulumi.Resource | readonly pulumi.Resource[];
}

/**
 * A domain, the DNS record that proves it, and its verification. What depends on the component finds a verified domain.
 *
 * The login arguments are sent once the domain is verified, in the same `pulumi up`.
 *
 * @example
 * const zoneId = new pulumi.Config().require("zoneId");
 * new posthog.VerifiedDomain("company", {
 *   domain: "example.org",
 *   ssoEnforcement: "google-oauth2",
 *   dnsRecord: ({ name, value }, opts) =>
 *     new cloudflare.DnsRecord("company-proof", { type: "TXT", name, content: value, ttl: 60, zoneId }, opts),
 * });
 */
export class VerifiedDomain extends pulumi.ComponentResource {
  /** The domain. */
  readonly domain: Domain;
  /** Its verification. */
  readonly verification: DomainVerification;

  constructor(name: string, args: VerifiedDomainArgs, opts?: pulumi.ComponentResourceOptions) {
    super("posthog:index:VerifiedDomain", name, {}, opts);
    const { dnsRecord, timeoutSeconds, jitProvisioningEnabled, ssoEnforcement, ...domain } = args;
    const own = { parent: this };
    this.domain = new Domain(name, domain, own);
    const record = dnsRecord(
      { name: known(this.domain.dnsRecordName), value: known(this.domain.dnsRecordValue) },
      own,
    );
    const login = { timeoutSeconds, jitProvisioningEnabled, ssoEnforcement };
    const given = Object.entries(login).filter(([, value]) => value !== undefined);
    const { organizationId, connection } = domain;
    this.verification = new DomainVerification(
      name,
      {
        // Secret where the domain is: the verification says again which one it is.
        domainId: pulumi.all([this.domain.id, domain.domain]).apply(([id]) => id),
        ...(organizationId === undefined ? {} : { organizationId }),
        ...(connection === undefined ? {} : { connection }),
        ...Object.fromEntries(given),
      },
      { ...own, dependsOn: [record].flat() },
    );
    this.registerOutputs({ domain: this.domain, verification: this.verification });
  }
}

/** The service gives every domain a record; the outputs are typed as optional since states of others may lack them. */
function known(output: pulumi.Output<string | undefined>): pulumi.Output<string> {
  return output.apply((value) => value ?? "");
}
