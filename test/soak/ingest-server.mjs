// @ts-check
// A capture server that can be killed at any moment: what it has taken stands in a file before it answers. It prints
// its port once it listens; 0 takes a free one.
//   ingest-server.mjs PORT LOG DELAY_MS
import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { gunzipSync } from "node:zlib";

const [port, log = "", delay = "0"] = process.argv.slice(2);
const file = openSync(log, "a");
// Ends what a kill may have cut off.
writeSync(file, "\n");

/** An event by its uuid and by all that it holds. @param {{ uuid: string }} event */
const named = (event) =>
  `${event.uuid}:${createHash("sha1").update(JSON.stringify(event)).digest("hex").slice(0, 12)}`;

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("error", () => undefined);
  request.on("end", () => {
    const raw = Buffer.concat(chunks);
    const body = JSON.parse((raw[0] === 0x1f ? gunzipSync(raw) : raw).toString("utf8"));
    // A line without the point at its end was cut off by a kill, and its request never answered.
    writeSync(file, `${body.batch.map(named).join(" ")} .\n`);
    setTimeout(() => response.end('{"status":"Ok"}'), Number(delay) * Math.random());
  });
});
const listen = () => server.listen(Number(port), "127.0.0.1");
server.on("listening", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : address);
});
server.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
  // While it was away, somebody's outgoing connection may have been given its port.
  if (error.code !== "EADDRINUSE") throw error;
  setTimeout(listen, 100);
});
listen();

process.on("SIGTERM", () => {
  closeSync(file);
  process.exit(0);
});
