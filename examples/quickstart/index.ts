// The analytics of a small team: two dashboards, an hourly export to S3, the company's domain, two invites and who
// is an admin. `npm start` runs it.
import * as pulumi from "@pulumi/pulumi";
import * as posthog from "pulumi-posthog";

const growth = new posthog.Dashboard("growth", {
  name: "Growth",
  description: "What new users do in their first week.",
  tags: ["team:growth", "weekly"],
  pinned: true,
});

const reliability = new posthog.Dashboard("reliability", {
  name: "Reliability",
  description: "Errors and slow pages, by release.",
  tags: ["team:platform"],
});

export const dashboards = { growth: growth.id, reliability: reliability.id };

// With a PostHog of your own, `npm start` declares the dashboards alone: nobody is invited by accident.
export const organization =
  process.env["POSTHOG_QUICKSTART"] === "dashboards" ? undefined : declareOrganization();

function declareOrganization() {
  const config = new pulumi.Config();

  const lake = new posthog.BatchExport("lake", {
    name: "Events to the data lake",
    interval: "hour",
    destination: {
      type: "S3",
      config: {
        bucketName: "example-data-lake",
        region: "eu-central-1",
        prefix: "posthog/{year}/{month}/{day}/",
        compression: "gzip",
        awsAccessKeyId: config.requireSecret("awsAccessKeyId"),
        awsSecretAccessKey: config.requireSecret("awsSecretAccessKey"),
      },
    },
  });

  // Single sign-on waits for the DNS record below, and is sent by the first run that finds the domain verified.
  const domain = new posthog.Domain("company", { domain: "example.com", ssoEnforcement: "google-oauth2" });

  const newcomers = { margaret: "Margaret", radia: "Radia" };
  for (const [name, firstName] of Object.entries(newcomers)) {
    new posthog.Invite(name, { targetEmail: `${name}@example.com`, firstName, level: "member" });
  }
  new posthog.Member("katherine", { email: "katherine@example.com", level: "admin" });

  return {
    export: lake.id,
    dnsRecord: { name: domain.dnsRecordName, type: "TXT", value: domain.dnsRecordValue },
  };
}
