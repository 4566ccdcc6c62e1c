// @ts-check
// Writes realistic events: the same ones for the same seed, about 470 bytes each.
import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { finished } from "node:stream/promises";
import { createGzip } from "node:zlib";
import process from "node:process";
import { pathToFileURL } from "node:url";

/**
 * A small generator of random numbers (mulberry32): the events are the same on every machine.
 *
 * @param {number} seed
 */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const names = [
  "$pageview",
  "$pageview",
  "$pageview",
  "$autocapture",
  "$pageleave",
  "Signed Up",
  "Plan Chosen",
  "Report Exported",
];
const browsers = ["Chrome", "Safari", "Firefox", "Edge"];
const systems = ["Mac OS X", "Windows", "Linux", "iOS", "Android"];
const cities = ["Berlin", "São Paulo", "Zürich", "Kraków", "東京", "New York", "London", "Reykjavík"];
const pages = [
  "/",
  "/pricing",
  "/docs/getting-started",
  "/blog/a-long-title-about-analytics",
  "/app/projects",
  "/app/settings/team",
];
const plans = ["free", "team", "scale"];

/**
 * Events one after the other, each as the text of one JSON object.
 *
 * @param {number} count
 * @param {number} [seed]
 * @returns {Generator<string, void, undefined>}
 */
export function* events(count, seed = 1) {
  const random = randomFrom(seed);
  /** @param {readonly string[]} list */
  const pick = (list) => list[Math.floor(random() * list.length)] ?? "";
  /** @param {number} digits */
  const hex = (digits) => {
    let text = "";
    while (text.length < digits)
      text += Math.floor(random() * 0x100000000)
        .toString(16)
        .padStart(8, "0");
    return text.slice(0, digits);
  };
  const start = Date.UTC(2023, 0, 1);
  for (let i = 0; i < count; i++) {
    const event = random() < 0.03 ? "$identify" : pick(names);
    const path = pick(pages);
    const user = Math.floor(random() * 50_000);
    const anonymous = `0186${hex(4)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
    const distinctId = random() < 0.4 ? anonymous : `user-${user}@example.com`;
    const properties = {
      distinct_id: distinctId,
      $lib: "web",
      $browser: pick(browsers),
      $browser_version: 90 + Math.floor(random() * 30),
      $os: pick(systems),
      $current_url: `https://app.example.com${path}?utm_source=${pick(plans)}&ref=${hex(8)}`,
      $pathname: path,
      $geoip_city_name: pick(cities),
      $screen_width: 1200 + Math.floor(random() * 1400),
      $session_id: anonymous,
      ...(event === "$identify" ? { $anon_distinct_id: anonymous, $set: { plan: pick(plans) } } : {}),
      value: Math.round(random() * 100_000) / 100,
      plan: pick(plans),
      trial: random() < 0.3,
    };
    const timestamp = new Date(start + Math.floor((i * 31_536_000_000) / count)).toISOString();
    yield JSON.stringify({ event, properties, timestamp });
  }
}

/**
 * Writes `count` events as JSON lines, compressed where the name ends in .gz.
 *
 * @param {string} file
 * @param {number} count
 * @param {number} [seed]
 */
export async function writeEvents(file, count, seed = 1) {
  const output = createWriteStream(file);
  const zip = file.endsWith(".gz") ? createGzip({ level: 6 }) : undefined;
  zip?.pipe(output);
  const target = zip ?? output;
  /** @type {string[]} */
  let lines = [];
  for (const event of events(count, seed)) {
    lines.push(event);
    if (lines.length < 2000) continue;
    if (!target.write(`${lines.join("\n")}\n`)) await once(target, "drain");
    lines = [];
  }
  target.end(lines.length > 0 ? `${lines.join("\n")}\n` : undefined);
  await finished(output);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [file = "events.ndjson", count = "1000000", seed = "1"] = process.argv.slice(2);
  await writeEvents(file, Number(count), Number(seed));
}
