// @ts-check
// pulumi-posthog with everything on: validation, uuids, merging, checkpoints, progress, checksum.
import { createRequire } from "node:module";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { measure } from "./measure.mjs";

const [file = "", port = "", gzip = ""] = process.argv.slice(2);
const { runImport } = createRequire(import.meta.url)("../../../dist/ingest/index.js");
const folder = await mkdtemp(path.join(os.tmpdir(), "bench-"));
await measure(async () => {
  const result = await runImport(
    { source: file, eventsPerMinute: "unlimited", announced: true, gzip: gzip === "gzip" },
    {
      folder,
      ingestHost: `http://127.0.0.1:${port}`,
      projectApiKey: "phc_bench",
      onProgress: () => undefined,
    },
  );
  return result.eventsSent;
});
await rm(folder, { recursive: true, force: true });
