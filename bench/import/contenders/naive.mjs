// @ts-check
// What one would write in ten minutes: readline, parse, stringify, fetch.
import { createReadStream } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { gzip as zip } from "node:zlib";
import { measure } from "./measure.mjs";

const [file = "", port = "", gzip = ""] = process.argv.slice(2);
const compress = promisify(zip);

/** @param {readonly unknown[]} batch */
async function send(batch) {
  const text = JSON.stringify({ api_key: "phc_bench", historical_migration: true, batch });
  const body = gzip === "gzip" ? await compress(text, { level: 1 }) : text;
  const response = await fetch(`http://127.0.0.1:${port}/batch/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  await response.text();
  if (!response.ok) throw new Error(`answered ${response.status}`);
}

await measure(async () => {
  let events = 0;
  /** @type {unknown[]} */
  let batch = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    batch.push(JSON.parse(line));
    if (batch.length < 2000) continue;
    await send(batch);
    events += batch.length;
    batch = [];
  }
  if (batch.length > 0) await send(batch);
  return events + batch.length;
});
