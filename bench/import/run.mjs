// @ts-check
// npm run bench -- import [--events N] [--rounds N] [--only a,b] [--large] [--save NAME]: what an import costs, against
// four others, all into the same counting sink, in turns. Each number of the table is a median. --save keeps the result
// in bench/import/results, --large adds a run of ten times as many events.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { figures, OURS, table } from "./report.mjs";
import { folder, posthogNode, posthogPython, rust, sources, startSink } from "./tools.mjs";

/** @import { Sample, Scenario } from "./report.mjs" */
/** @import { Sink } from "./tools.mjs" */

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {number} share The part of the file that it reads: what counts is a rate.
 * @property {(file: string, port: string, gzip: string) => readonly [string, readonly string[]]} command
 */

const run = promisify(execFile);
const here = path.dirname(fileURLToPath(import.meta.url));
/** @param {string} name */
const contender = (name) => path.join(here, "contenders", name);

/** @param {readonly number[]} numbers */
function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [below = 0, above = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? above : (below + above) / 2;
}

/**
 * @param {{ reference: string }} programs
 * @returns {Promise<Contender[]>}
 */
async function contenders({ reference }) {
  const modules = await posthogNode();
  const python = await posthogPython();
  const node = process.execPath;
  return [
    {
      name: OURS,
      share: 1,
      command: (file, port, gzip) => [node, [contender("ours.mjs"), file, port, gzip]],
    },
    { name: "Rust reference", share: 1, command: (file, port, gzip) => [reference, [file, port, gzip]] },
    {
      name: "naive Node",
      share: 0.3,
      command: (file, port, gzip) => [node, [contender("naive.mjs"), file, port, gzip]],
    },
    {
      name: "posthog-node",
      share: 0.1,
      command: (file, port, gzip) => [node, [contender("posthog-node.mjs"), file, port, gzip, modules]],
    },
    {
      name: "posthog-python",
      share: 0.05,
      command: (file, port, gzip) => [python, [contender("posthog_python.py"), file, port, gzip]],
    },
  ];
}

/**
 * @param {Contender} one
 * @param {ReadonlyMap<number, string>} files
 * @param {number} count
 * @param {Sink} sink
 * @param {string} gzip
 * @returns {Promise<Sample>}
 */
async function measureOnce(one, files, count, sink, gzip) {
  const events = Math.round(count * one.share);
  await sink.stats();
  const [command, args] = one.command(files.get(events) ?? "", String(sink.port), gzip);
  const { stdout } = await run(command, args, { maxBuffer: 1 << 26 });
  /** @type {{ seconds: number, cpuSeconds: number, peakMb: number }} */
  const said = JSON.parse(stdout.trim().split("\n").slice(-1).join(""));
  const { events: arrived } = await sink.stats();
  if (arrived !== events) throw new Error(`${one.name}: ${arrived} of ${events} events arrived`);
  return { rate: events / said.seconds, cpu: (said.cpuSeconds * 1e6) / events, peakMb: said.peakMb };
}

/**
 * @param {{ title: string, latencyMs: number, gzip: string }} settings
 * @param {readonly Contender[]} chosen
 * @param {(one: Contender, sink: Sink) => Promise<Sample>} measure
 * @param {{ rounds: number, sinkProgram: string }} how
 * @returns {Promise<Scenario>}
 */
async function scenario({ title, latencyMs }, chosen, measure, { rounds, sinkProgram }) {
  const sink = await startSink(sinkProgram, latencyMs);
  /** @type {Map<string, Sample[]>} */
  const samples = new Map(chosen.map(({ name }) => [name, []]));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const one of chosen) samples.get(one.name)?.push(await measure(one, sink));
    }
  } finally {
    sink.stop();
  }
  const rows = [...samples].map(([name, own]) => ({
    name,
    rate: median(own.map(({ rate }) => rate)),
    cpu: median(own.map(({ cpu }) => cpu)),
    peakMb: median(own.map(({ peakMb }) => peakMb)),
    samples: own,
  }));
  return { title, rows };
}

async function main() {
  const { values } = parseArgs({
    options: {
      events: { type: "string", default: "1000000" },
      rounds: { type: "string", default: "3" },
      only: { type: "string" },
      large: { type: "boolean", default: false },
      save: { type: "string" },
    },
  });
  const count = Number(values.events);
  const rounds = Number(values.rounds);
  const programs = await rust();
  const all = await contenders(programs);
  const names = values.only?.split(",");
  const chosen = all.filter(({ name }) => names === undefined || names.includes(name));
  const parts = new Set(chosen.map(({ share }) => Math.round(count * share)));
  parts.delete(count);
  const files = await sources(count, [...parts]);
  const settings = [
    { title: "plain, no latency", latencyMs: 0, gzip: "plain" },
    { title: "gzip, no latency", latencyMs: 0, gzip: "gzip" },
    { title: "plain, 50 ms latency", latencyMs: 50, gzip: "plain" },
    { title: "gzip, 50 ms latency", latencyMs: 50, gzip: "gzip" },
  ];
  const before = os.loadavg()[0] ?? 0;
  const machine = `${os.cpus().length} × ${os.cpus()[0]?.model ?? "?"}`;
  const text = [
    `${count.toLocaleString("en")} events, ${rounds} rounds in turns, Node ${process.version}, ${machine}`,
  ];
  console.log(text[0]);
  /** @type {Scenario[]} */
  const results = [];
  for (const one of settings) {
    const result = await scenario(
      one,
      chosen,
      (contestant, sink) => measureOnce(contestant, files, count, sink, one.gzip),
      { rounds, sinkProgram: programs.sink },
    );
    results.push(result);
    text.push(table(result));
    console.log(`\n${table(result)}`);
  }
  /** @type {(Sample & { events: number }) | undefined} */
  let memory;
  const [own] = all;
  if (values.large && own !== undefined) {
    const large = await sources(10 * count, []);
    const sink = await startSink(programs.sink, 0);
    memory = { events: 10 * count, ...(await measureOnce(own, large, 10 * count, sink, "plain")) };
    sink.stop();
  }
  const load = [before, os.loadavg()[0] ?? 0];
  const verdicts = figures(results, memory);
  text.push(verdicts.text, `Load average before and after: ${load.map((one) => one.toFixed(1)).join(", ")}`);
  console.log(`\n${verdicts.text}`);
  const report = {
    count,
    rounds,
    node: process.version,
    machine,
    results,
    memory,
    figures: verdicts.figures,
  };
  const json = `${JSON.stringify(report, null, 2)}\n`;
  await writeFile(path.join(folder, "import.json"), json);
  if (values.save !== undefined) {
    await mkdir(path.join(here, "results"), { recursive: true });
    await writeFile(path.join(here, "results", `${values.save}.json`), json);
    await writeFile(path.join(here, "results", `${values.save}.md`), `${text.join("\n\n")}\n`);
  }
}

await main();
