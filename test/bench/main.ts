import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import * as prettier from "prettier";
import { z } from "zod";
import { ROOT } from "../support/engine";
import { CASES, READING } from "./cases";
import { type Findings, findings, together } from "./findings";
import { figureLines, figures, growths, growthTable, table } from "./report";
import { LATENCY_MS } from "./scene";

const USAGE = `npm run bench -- resources [--rounds N] [--only CASE,CASE] [--report FILE] [--append]

  --rounds N    each is measured so often, in turns (3)
  --only CASES  ${Object.keys(CASES).join(", ")}
  --operations  of those that read, only these (${READING.join(",")})
  --report FILE where every sample goes (.local/bench/resources.json), and the tables beside it as .md
  --append      add to what the report holds, as if all rounds had been of one run
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "3" },
      only: { type: "string" },
      operations: { type: "string", default: READING.join(",") },
      report: { type: "string", default: join(ROOT, ".local", "bench", "resources.json") },
      append: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const names = values.only?.split(",") ?? Object.keys(CASES);
  const unknown = names.filter((name) => CASES[name] === undefined);
  if (unknown.length > 0) throw new Error(`there is no case ${unknown.join(", ")}\n${USAGE}`);
  const plan = {
    rounds: Number(values.rounds),
    operations: READING.filter((operation) => values.operations.split(",").includes(operation)),
    told: (line: string) => void process.stderr.write(`${line}\n`),
  };
  let all: Findings = values.append ? known(values.report) : { results: [], states: [] };
  for (const name of names) {
    const found = await CASES[name]?.(plan);
    if (found === undefined) continue;
    all = together(all, found);
    await save(values.report, all);
  }
  console.log(tables(all));
  console.log(`\nevery sample: ${values.report}`);
  return figures(all).every((figure) => figure.reached) ? 0 : 1;
}

function tables(all: Findings): string {
  return [table(all), growthTable(growths(all)), figureLines(figures(all))].join("\n").trim();
}

function known(file: string): Findings {
  return existsSync(file)
    ? findings.parse(JSON.parse(readFileSync(file, "utf8")))
    : { results: [], states: [] };
}

async function save(file: string, all: Findings): Promise<void> {
  const report = {
    node: process.version,
    pulumi: versionOf("@pulumi/pulumi"),
    cpu: `${os.cpus().length} × ${os.cpus()[0]?.model ?? "?"}`,
    latencyMs: LATENCY_MS,
    figures: figures(all),
    growth: growths(all),
    ...all,
  };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await prettier.format(JSON.stringify(report), { parser: "json", printWidth: 110 }));
  const about = `Node ${report.node}, Pulumi ${report.pulumi}, ${report.cpu}, ${LATENCY_MS} ms latency`;
  writeFileSync(
    file.replace(/(\.json)?$/, ".md"),
    `# npm run bench -- resources\n\n${about}. Times are the middle of all rounds, memory is the most.\n\n` +
      `\`\`\`text\n${tables(all)}\n\`\`\`\n`,
  );
}

function versionOf(name: string): string {
  const manifest = readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}

void main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
