// A small team's analytics: two dashboards, an hourly export to S3, the company's domain, an invite, a level.
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

// `npm start` against a PostHog of your own declares the dashboards alone: nobody is invited by accident.
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

  const domain = new posthog.Domain("company", { domain: "example.com" });

  new posthog.Invite("margaret", {
    targetEmail: "margaret@example.com",
    firstName: "Margaret",
    level: "member",
  });
  new posthog.Member("ada", { email: "ada@example.com", level: "admin" });

  return {
    export: lake.id,
    dnsRecord: { name: domain.dnsRecordName, type: "TXT", value: domain.dnsRecordValue },
  };
}
