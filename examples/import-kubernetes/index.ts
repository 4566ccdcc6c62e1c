// One import on several machines: an Indexed Job of Kubernetes, each of whose pods takes one part of the files.
// Nobody coordinates them: which files a pod takes follows from its index, and every event has the same uuid wherever
// it is sent from, so that a pod which is moved or starts over does no harm.
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const shards = config.requireNumber("shards");

const key = new kubernetes.core.v1.Secret("import-key", {
  stringData: { projectApiKey: config.requireSecret("projectApiKey") },
});

const command = [
  ...["npx", "--yes", "pulumi-posthog@^0.1.0", "import", "/exports"],
  // Kubernetes puts the pod's index here.
  ...["--shard", `$(SHARD)/${shards}`],
  // A total over all shards: each pod takes its part of it. Above 10,000 the provider wants to know beforehand.
  ...["--events-per-minute", String(config.requireNumber("eventsPerMinute"))],
  ...(config.requireBoolean("announced") ? ["--announced"] : []),
  ...["--on-invalid", "skip"],
];

const job = new kubernetes.batch.v1.Job("import", {
  spec: {
    completionMode: "Indexed",
    completions: shards,
    parallelism: shards,
    // A pod that fails goes on where its checkpoint is.
    backoffLimitPerIndex: 10,
    maxFailedIndexes: 0,
    template: {
      spec: {
        restartPolicy: "Never",
        // An interrupted import finishes what is under way, and notes it.
        terminationGracePeriodSeconds: 60,
        containers: [
          {
            name: "import",
            image: config.require("image"),
            // Checkpoints and dead letters go below it, each shard's under a name of its own.
            workingDir: "/checkpoints",
            command,
            env: [
              {
                name: "SHARD",
                valueFrom: {
                  fieldRef: {
                    fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']",
                  },
                },
              },
              { name: "POSTHOG_INGEST_HOST", value: config.require("ingestHost") },
              {
                name: "POSTHOG_PROJECT_API_KEY",
                valueFrom: { secretKeyRef: { name: key.metadata.name, key: "projectApiKey" } },
              },
            ],
            resources: { requests: { cpu: "1", memory: "192Mi" }, limits: { memory: "256Mi" } },
            volumeMounts: [
              { name: "exports", mountPath: "/exports", readOnly: true },
              { name: "checkpoints", mountPath: "/checkpoints" },
            ],
          },
        ],
        volumes: [
          // Both claims exist: the exports, which all pods read, and a folder that all pods write to.
          {
            name: "exports",
            persistentVolumeClaim: { claimName: config.require("exportsClaim"), readOnly: true },
          },
          {
            name: "checkpoints",
            persistentVolumeClaim: { claimName: config.require("checkpointsClaim") },
          },
        ],
      },
    },
  },
});

export const name = job.metadata.name;
