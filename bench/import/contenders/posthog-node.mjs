// @ts-check
// posthog-node with historicalMigration, and the batch sizes with which it was fastest here.
import { createReadStream } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { createInterface } from "node:readline";
import { measure } from "./measure.mjs";

const [file = "", port = "", gzip = "", modules = ""] = process.argv.slice(2);
const { PostHog } = createRequire(`${modules}/`)("posthog-node");
const batch = 2000;
const client = new PostHog("phc_bench", {
  host: `http://127.0.0.1:${port}`,
  historicalMigration: true,
  flushAt: batch,
  maxBatchSize: batch,
  maxQueueSize: 10 * batch,
  flushInterval: 1_000_000,
  disableCompression: gzip !== "gzip",
  disableGeoip: true,
});

await measure(async () => {
  let events = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const { event, properties, timestamp } = JSON.parse(line);
    const { distinct_id: distinctId } = properties;
    client.capture({ distinctId, event, properties, timestamp: new Date(timestamp) });
    if (++events % batch === 0) await client.flush();
  }
  await client.shutdown(60_000);
  return events;
});
