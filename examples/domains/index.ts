// Domains: the domain names its DNS record, the record is made, and PostHog is asked until it has found it.
import * as pulumi from "@pulumi/pulumi";
import * as posthog from "pulumi-posthog";

// In your program this is your DNS provider's resource, such as aws.route53.Record or cloudflare.DnsRecord. This one
// tells the emulator, which looks nothing up.
class EmulatedRecord extends pulumi.dynamic.Resource {
  constructor(name: string, args: pulumi.Inputs, opts?: pulumi.CustomResourceOptions) {
    const provider: pulumi.dynamic.ResourceProvider = {
      async create(record: { name: string; value: string }) {
        const response = await fetch(`${process.env["POSTHOG_HOST"] ?? ""}/_emulator/dns`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ name: record.name, value: record.value }),
        });
        if (!response.ok) throw new Error(`the record was refused: ${String(response.status)}`);
        return { id: record.name, outs: record };
      },
    };
    super(provider, name, args, opts);
  }
}

const company = new posthog.VerifiedDomain("company", {
  domain: "example.org",
  jitProvisioningEnabled: true,
  dnsRecord: ({ name, value }, opts) => new EmulatedRecord("company-record", { name, value }, opts),
});

export const verifiedAt = company.verification.verifiedAt;
