// Exports: every hour to S3 from now on, and the first month of the year once.
import * as pulumi from "@pulumi/pulumi";
import * as posthog from "pulumi-posthog";

const config = new pulumi.Config();

const lake = new posthog.BatchExport("lake", {
  name: "Events to the data lake",
  interval: "hour",
  destination: {
    type: "S3",
    config: {
      bucketName: "example-data-lake",
      region: "eu-central-1",
      prefix: "posthog/",
      fileFormat: "JSONLines",
      compression: "gzip",
      excludeEvents: ["$feature_flag_called"],
      awsAccessKeyId: config.requireSecret("awsAccessKeyId"),
      awsSecretAccessKey: config.requireSecret("awsSecretAccessKey"),
    },
  },
});

const january = new posthog.BatchExportBackfill("january", {
  batchExportId: lake.id,
  startAt: "2026-01-01T00:00:00Z",
  endAt: "2026-02-01T00:00:00Z",
});

export const backfill = january.backfillId;
