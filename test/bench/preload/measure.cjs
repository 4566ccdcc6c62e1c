// @ts-check
// Preloaded into the node processes of a benchmark's operation: the provider notes what it used so far. The engine
// ends it without a word, so that an exit handler alone would not do.
"use strict";
const { renameSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const EVERY_MS = 100;
const folder = process.env["BENCH_USAGE"];
if (folder !== undefined && /[\\/]cmd[\\/]dynamic-provider/.test(process.argv[1] ?? "")) {
  const note = () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
    // In one step: the engine may end this process at any moment.
    writeFileSync(
      join(folder, "..", `usage-${process.pid}`),
      JSON.stringify({ cpuSeconds, peakMb: (maxRSS * 1024) / 1e6 }),
    );
    renameSync(join(folder, "..", `usage-${process.pid}`), join(folder, `${process.pid}.json`));
  };
  setInterval(note, EVERY_MS).unref();
  process.on("exit", note);
}
