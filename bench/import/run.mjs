// npm run bench -- import [--events N] [--rounds N] [--only a,b]: what an import costs, against four others, all into
// the same counting sink, in turns. Each number of the table is a median.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { folder, posthogNode, posthogPython, rust, sources, startSink } from "./tools.mjs";

const run = promisify(execFile);
const here = path.dirname(fileURLToPath(import.meta.url));
const contender = (name) => path.join(here, "contenders", name);

const ours = "pulumi-posthog";
const reached = [
  ["times posthog-python", "posthog-python", "rate", 100],
  ["times posthog-node", "posthog-node", "rate", 30],
  ["times the Rust reference", "Rust reference", "rate", 0.8],
];

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

async function contenders(programs) {
  const modules = await posthogNode();
  const python = await posthogPython();
  // Those that are slow read the first part of the same file: what counts is a rate.
  return [
    {
      name: ours,
      share: 1,
      command: (file, port, gzip) => [process.execPath, [contender("ours.mjs"), file, port, gzip]],
    },
    {
      name: "Rust reference",
      share: 1,
      command: (file, port, gzip) => [programs.reference, [file, port, gzip]],
    },
    {
      name: "naive Node",
      share: 0.3,
      command: (file, port, gzip) => [process.execPath, [contender("naive.mjs"), file, port, gzip]],
    },
    {
      name: "posthog-node",
      share: 0.1,
      command: (file, port, gzip) => [
        process.execPath,
        [contender("posthog-node.mjs"), file, port, gzip, modules],
      ],
    },
    {
      name: "posthog-python",
      share: 0.05,
      command: (file, port, gzip) => [python, [contender("posthog_python.py"), file, port, gzip]],
    },
  ];
}

async function measureOnce(one, files, count, sink, gzip) {
  const events = Math.round(count * one.share);
  await sink.stats();
  const [command, args] = one.command(files[events], String(sink.port), gzip);
  const { stdout } = await run(command, args, { maxBuffer: 1 << 26 });
  const said = JSON.parse(stdout.trim().split("\n").at(-1));
  const { events: arrived } = await sink.stats();
  if (arrived !== events) throw new Error(`${one.name}: ${arrived} of ${events} events arrived`);
  return { rate: events / said.seconds, cpu: (said.cpuSeconds * 1e6) / events, peakMb: said.peakMb };
}

async function scenario({ title, latencyMs, gzip, names, rounds }, all, files, count, programs) {
  const sink = await startSink(programs.sink, latencyMs);
  const chosen = all.filter(({ name }) => names === undefined || names.includes(name));
  const samples = new Map(chosen.map(({ name }) => [name, []]));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const one of chosen) samples.get(one.name).push(await measureOnce(one, files, count, sink, gzip));
    }
  } finally {
    sink.stop();
  }
  const rows = chosen.map(({ name }) => {
    const own = samples.get(name);
    return {
      name,
      rate: median(own.map(({ rate }) => rate)),
      cpu: median(own.map(({ cpu }) => cpu)),
      peakMb: median(own.map(({ peakMb }) => peakMb)),
      samples: own,
    };
  });
  return { title, rows };
}

function table({ title, rows }) {
  const own = rows.find(({ name }) => name === ours);
  const lines = [
    `\n${title}`,
    `  ${"".padEnd(16)} ${"events/s".padStart(12)} ${"CPU s/million".padStart(14)} ${"peak MB".padStart(8)} ${"ours is".padStart(9)}`,
  ];
  for (const { name, rate, cpu, peakMb } of rows) {
    const ratio =
      own === undefined || name === ours ? "" : `${(own.rate / rate).toFixed(own.rate / rate < 10 ? 2 : 0)}×`;
    lines.push(
      `  ${name.padEnd(16)} ${Math.round(rate).toLocaleString("en").padStart(12)} ${cpu.toFixed(2).padStart(14)} ${peakMb.toFixed(0).padStart(8)} ${ratio.padStart(9)}`,
    );
  }
  return lines.join("\n");
}

/** The figures that an import is to reach, and what it reached. */
function verdicts([plain, , delayed], memory) {
  const own = plain.rows.find(({ name }) => name === ours);
  const lines = reached.flatMap(([text, name, key, least]) => {
    const other = plain.rows.find((row) => row.name === name);
    return other === undefined ? [] : [{ text, is: own[key] / other[key], least }];
  });
  lines.push({ text: "CPU s per million", is: own.cpu, most: 1.2 });
  lines.push({ text: "peak MB", is: own.peakMb, most: 120 });
  if (memory !== undefined)
    lines.push({
      text: `peak MB with ${memory.events.toLocaleString("en")} events`,
      is: memory.peakMb,
      most: 120,
    });
  const slow = delayed?.rows.find(({ name }) => name === ours);
  if (slow !== undefined) lines.push({ text: "events/s at 50 ms", is: slow.rate, least: 250_000 });
  return lines.map((line) => ({
    ...line,
    reached: line.least === undefined ? line.is <= line.most : line.is >= line.least,
  }));
}

async function main() {
  const { values } = parseArgs({
    options: {
      events: { type: "string", default: "1000000" },
      rounds: { type: "string", default: "3" },
      only: { type: "string" },
      large: { type: "boolean", default: false },
    },
  });
  const count = Number(values.events);
  const rounds = Number(values.rounds);
  const programs = await rust();
  const all = await contenders(programs);
  const files = await sources(
    count,
    [...new Set(all.map(({ share }) => Math.round(count * share)))].filter((part) => part !== count),
  );
  const names = values.only?.split(",");
  const scenarios = [
    { title: "plain, no latency", latencyMs: 0, gzip: "plain", names, rounds },
    { title: "gzip, no latency", latencyMs: 0, gzip: "gzip", names, rounds },
    { title: "plain, 50 ms latency", latencyMs: 50, gzip: "plain", names, rounds },
    { title: "gzip, 50 ms latency", latencyMs: 50, gzip: "gzip", names, rounds },
  ];
  console.log(
    `${count.toLocaleString("en")} events, ${rounds} rounds, Node ${process.version}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "?"}`,
  );
  const results = [];
  for (const one of scenarios) {
    results.push(await scenario(one, all, files, count, programs));
    console.log(table(results.at(-1)));
  }
  let memory;
  if (values.large) {
    const large = await sources(10 * count, []);
    const sink = await startSink(programs.sink, 0);
    memory = { events: 10 * count, ...(await measureOnce(all[0], large, 10 * count, sink, "plain")) };
    sink.stop();
  }
  const figures = names === undefined || names.includes(ours) ? verdicts(results, memory) : [];
  console.log("\nfigures to reach (plain, no latency, unless they say otherwise)");
  for (const { text, is, least, most, reached: ok } of figures) {
    console.log(
      `  ${ok ? "reached " : "NOT YET "} ${is >= 1000 ? Math.round(is).toLocaleString("en") : is.toFixed(2)} ${text} (${least === undefined ? `at most ${most}` : `at least ${least.toLocaleString("en")}`})`,
    );
  }
  const report = path.join(folder, "import.json");
  await writeFile(
    report,
    `${JSON.stringify({ count, rounds, node: process.version, cpu: os.cpus()[0]?.model, results, memory, figures }, null, 2)}\n`,
  );
  console.log(`\nevery sample: ${path.relative(process.cwd(), report)}`);
}

await main();
