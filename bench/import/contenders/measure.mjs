// @ts-check
// What every contender says at its end, on one line.
import process from "node:process";

/** @param {() => Promise<number>} work answers the number of events */
export async function measure(work) {
  const begun = performance.now();
  const events = await work();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage();
  const peakMb = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ seconds, events, cpuSeconds: (user + system) / 1e6, peakMb }));
}
