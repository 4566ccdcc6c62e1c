// @ts-check
// The long tests of the import: `node scripts/soak-import.mjs [--kills 200] [--rate-minutes 5] [--fuzz-rounds 20000]
// [--seed 1] [--report FILE]`. 0 leaves a part out. Each part ends in numbers; the report holds them as JSON.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { events, randomFrom } from "../bench/import/generate.mjs";
import { ROOT, log, runMain, setup } from "./setup.mjs";

const execute = promisify(execFile);
const COMMAND = path.join(ROOT, "dist", "cli", "main.js");
const SERVER = path.join(ROOT, "test", "soak", "ingest-server.mjs");
const KEY = "phc_soak";
const EVENTS = 20_000;
const UNTHROTTLED = [
  "--events-per-minute",
  "unlimited",
  "--announced",
  "--batch-bytes",
  "65536",
  "--concurrency",
  "4",
];

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    "rate-minutes": { type: "string", default: "5" },
    "fuzz-rounds": { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    report: { type: "string" },
  },
});

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** The same events in each form that a source can have. @param {string} folder */
async function writeSources(folder) {
  const lines = [...events(EVENTS, 7)];
  const csv = lines.map((line) => {
    const { event, properties, timestamp } = JSON.parse(line);
    return [event, timestamp, JSON.stringify(properties)]
      .map((cell) => `"${cell.replaceAll('"', '""')}"`)
      .join(",");
  });
  const half = EVENTS / 2;
  await writeFile(path.join(folder, "events.ndjson"), lines.join("\n"));
  await writeFile(path.join(folder, "events.ndjson.gz"), gzipSync(lines.join("\n")));
  await writeFile(path.join(folder, "events.json"), `[${lines.join(",\n")}]`);
  await writeFile(path.join(folder, "events.csv"), ["event,timestamp,properties", ...csv].join("\n"));
  await mkdir(path.join(folder, "parts"));
  await writeFile(path.join(folder, "parts", "1.ndjson"), lines.slice(0, half).join("\n"));
  await writeFile(path.join(folder, "parts", "2.ndjson.gz"), gzipSync(lines.slice(half).join("\n")));
  return ["events.ndjson", "events.ndjson.gz", "events.json", "events.csv", "parts"];
}

/** @param {number} port @param {string} file */
async function startServer(port, file) {
  const child = spawn(process.execPath, [SERVER, String(port), file, "30"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

/** @param {string} folder @param {string} source @param {number} port @param {string[]} more */
function startImport(folder, source, port, more = []) {
  const env = {
    PATH: process.env["PATH"],
    POSTHOG_INGEST_HOST: `http://127.0.0.1:${port}`,
    POSTHOG_PROJECT_API_KEY: KEY,
  };
  const child = spawn(process.execPath, [COMMAND, "import", source, ...UNTHROTTLED, ...more], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (part) => (text += String(part)));
  child.stderr.on("data", (part) => (text += String(part)));
  return { child, ended: once(child, "close").then(([code]) => ({ code, text })) };
}

/** Requests that were taken, each as the uuids of its events; a last line without end was never answered. @param {string} file */
async function taken(file) {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" "));
}

/** Events that the newest checkpoint in a folder counts as sent. @param {string} folder */
async function checkpointed(folder) {
  const imports = path.join(folder, ".pulumi-posthog", "imports");
  const [name] = (await readdir(imports).catch(() => [])).filter((file) => file.endsWith(".json"));
  if (name === undefined) return 0;
  const { files } = JSON.parse(await readFile(path.join(imports, name), "utf8"));
  return files.reduce(
    (/** @type {number} */ sum, /** @type {{ totals: { sent: number } }} */ { totals }) => sum + totals.sent,
    0,
  );
}

/** @param {number} runs @param {number} seed */
async function kills(runs, seed) {
  const random = randomFrom(seed);
  const work = await mkdtemp(path.join(tmpdir(), "soak-import-"));
  const origin = path.join(work, "origin");
  await mkdir(origin);
  const sources = await writeSources(origin);
  /** @type {Map<string, Set<string>>} */
  const expected = new Map();
  for (const source of sources) {
    const out = path.join(work, "expected.ndjson");
    await execute(process.execPath, [COMMAND, "import", source, "--out", out], { cwd: origin });
    const lines = (await readFile(out, "utf8")).trimEnd().split("\n");
    expected.set(source, new Set(lines.map((line) => JSON.parse(line).uuid)));
  }
  const totals = {
    runs,
    killedImports: 0,
    killedServers: 0,
    emptyMachine: 0,
    lost: 0,
    doubled: 0,
    startedOver: 0,
    failed: 0,
    resumedFrom: 0,
  };
  for (let run = 0; run < runs; run++) {
    const source = sources[run % sources.length] ?? "";
    const folder = path.join(work, `run-${run}`);
    await cp(origin, folder, { recursive: true });
    const file = path.join(work, `taken-${run}`);
    const port = await freePort();
    let server = await startServer(port, file);
    const killsServer = random() < 0.4;
    const emptyMachine = !killsServer && random() < 0.35;
    let machine = folder;
    let import_ = startImport(folder, source, port);
    // Several kills in one run: of the import, or of the server under it.
    for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
      // Mostly once it is sending: a process that only starts has nothing to lose.
      const seen = (await taken(file)).length;
      while (random() < 0.97 && import_.child.exitCode === null && (await taken(file)).length === seen)
        await sleep(20);
      const moment = random() * 600;
      const ended = await Promise.race([import_.ended.then(() => true), sleep(moment).then(() => false)]);
      if (ended) break;
      if (killsServer) {
        totals.killedServers++;
        server.kill("SIGKILL");
        await once(server, "close");
        await sleep(random() * 300);
        server = await startServer(port, file);
        continue;
      }
      totals.killedImports++;
      import_.child.kill("SIGKILL");
      await import_.ended;
      if (emptyMachine) {
        totals.emptyMachine++;
        machine = path.join(work, `run-${run}-${left}`);
        await cp(origin, machine, { recursive: true });
      }
      // What the killed process had sent already may still be taken.
      await sleep(300);
      const before = (await taken(file)).flat().length;
      const known = await checkpointed(machine);
      totals.resumedFrom += known > 0 ? 1 : 0;
      import_ = startImport(machine, source, port);
      if (left > 1) continue;
      await import_.ended;
      const again = (await taken(file)).flat().length - before;
      if (again > EVENTS - known) totals.startedOver++;
    }
    const { code, text } = await import_.ended;
    server.kill("SIGTERM");
    await once(server, "close");
    const wanted = expected.get(source) ?? new Set();
    const got = new Set((await taken(file)).flat());
    const lost = [...wanted].filter((uuid) => !got.has(uuid)).length;
    const doubled = [...got].filter((uuid) => !wanted.has(uuid)).length;
    totals.lost += lost;
    totals.doubled += doubled;
    if (code !== 0) totals.failed++;
    if (code !== 0 || lost + doubled > 0)
      log(`run ${run} (${source}): exit ${code}, ${lost} lost, ${doubled} doubled\n${text}`);
    if ((run + 1) % 20 === 0) log(`${run + 1} runs: ${JSON.stringify(totals)}`);
    for (const name of await readdir(work))
      if (name.startsWith("run-") || name.startsWith("taken-"))
        await rm(path.join(work, name), { recursive: true, force: true });
  }
  await rm(work, { recursive: true, force: true });
  return { ...totals, ok: totals.lost + totals.doubled + totals.startedOver + totals.failed === 0 };
}

/** Four imports in one process at 10,000 a minute each, which together may send 10,000. @param {number} minutes */
async function rate(minutes) {
  const { runImport } = createRequire(import.meta.url)(path.join(ROOT, "dist", "ingest", "index.js"));
  /** @type {{ at: number, events: number }[]} */
  const arrived = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      arrived.push({ at: performance.now(), events: JSON.parse(text).batch.length });
      response.end('{"status":"Ok"}');
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const controller = new AbortController();
  const folders = await Promise.all([0, 1, 2, 3].map(() => mkdtemp(path.join(tmpdir(), "soak-rate-"))));
  const begun = performance.now();
  const imports = folders.map(async (folder, index) => {
    await writeFile(path.join(folder, "a.ndjson"), [...events(10_000 * minutes, 100 + index)].join("\n"));
    return runImport(
      { source: "a.ndjson" },
      { folder, ingestHost: `http://127.0.0.1:${port}`, projectApiKey: KEY, signal: controller.signal },
    ).catch(() => undefined);
  });
  await sleep(minutes * 60_000 + 5000);
  controller.abort();
  await Promise.all(imports);
  server.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  const first = arrived[0]?.at ?? begun;
  const within = arrived.filter(({ at }) => at - first < minutes * 60_000);
  const count = within.reduce((sum, one) => sum + one.events, 0);
  const perMinute = Array.from({ length: minutes }, (_, minute) =>
    within
      .filter(({ at }) => Math.floor((at - first) / 60_000) === minute)
      .reduce((sum, one) => sum + one.events, 0),
  );
  const off = Math.abs(count / (10_000 * minutes) - 1);
  return { minutes, events: count, perMinute, offPercent: Math.round(off * 10_000) / 100, ok: off < 0.02 };
}

/** @param {number} rounds @param {string} seed */
async function fuzz(rounds, seed) {
  const jest = path.join(ROOT, "node_modules", "jest", "bin", "jest.js");
  const env = { ...process.env, FUZZ_ROUNDS: String(rounds), FUZZ_SEED: seed };
  const { stderr } = await execute(
    process.execPath,
    [jest, "test/ingest/wasm.test.ts", "-t", "accept, refuse and send"],
    { cwd: ROOT, env, maxBuffer: 1 << 26 },
  ).catch((/** @type {unknown} */ error) => ({
    stderr: typeof error === "object" && error !== null && "stderr" in error ? String(error.stderr) : "",
  }));
  const ok = /Tests:.* 3 passed/.test(stderr) && !/ failed/.test(stderr);
  if (!ok) log(stderr);
  return { lines: rounds * 20 * 3, ok };
}

await runMain(async () => {
  await setup();
  /** @type {Record<string, { ok: boolean }>} */
  const report = {};
  if (values["fuzz-rounds"] !== "0") report["fuzz"] = await fuzz(Number(values["fuzz-rounds"]), values.seed);
  if (values.kills !== "0") report["kills"] = await kills(Number(values.kills), Number(values.seed));
  if (values["rate-minutes"] !== "0") report["rate"] = await rate(Number(values["rate-minutes"]));
  const text = `${JSON.stringify(report, null, 2)}\n`;
  log(text);
  if (values.report !== undefined) await writeFile(values.report, text);
  return Object.values(report).every(({ ok }) => ok) ? 0 : 1;
});
