// One program for dev, staging and production: what differs between them stands in Pulumi.<stack>.yaml, and secrets
// come from the environment, which the pipeline's platform or Pulumi ESC fills.
import * as pulumi from "@pulumi/pulumi";
import * as posthog from "pulumi-posthog";

const config = new pulumi.Config();
const stack = pulumi.getStack();
const isProduction = stack === "production";
const goal = config.requireNumber("retentionGoal");

const growth = new posthog.Dashboard(
  "growth",
  {
    name: isProduction ? "Growth" : `Growth (${stack})`,
    description: `Goal: ${Math.round(goal * 100)} % of new users are back after a week.`,
    tags: ["team:growth", stack],
    pinned: isProduction,
  },
  { protect: isProduction },
);

const lakeBucket = config.get("lakeBucket");
if (lakeBucket !== undefined) {
  new posthog.BatchExport(
    "lake",
    {
      projectId: new pulumi.Config("posthog").require("projectId"),
      name: "Events to the lake",
      interval: config.require("lakeInterval") === "hour" ? "hour" : "day",
      destination: {
        type: "S3",
        config: {
          bucketName: lakeBucket,
          region: "eu-central-1",
          prefix: "posthog/",
          awsAccessKeyId: secret("LAKE_ACCESS_KEY_ID"),
          awsSecretAccessKey: secret("LAKE_SECRET_ACCESS_KEY"),
        },
      },
    },
    { protect: true },
  );
}

if (config.getBoolean("managesTeam") === true) {
  new posthog.Team("analytics", {
    members: [
      { email: "ada@example.com", level: "admin" },
      { email: "margaret@example.com", level: "member" },
    ],
  });
}

export const dashboard = growth.id;

function secret(name: string): pulumi.Output<string> {
  const value = process.env[name];
  if (value === undefined || value === "")
    throw new Error(`${name} is not set: it comes from the pipeline's secrets`);
  return pulumi.secret(value);
}
