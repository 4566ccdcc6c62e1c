import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { soakKills } from "./kills";
import { underRateLimit } from "./rate-limit";
import { soak, type SoakResult } from "./soak-run";

const USAGE = `npm run soak -- [--runs N] [--from SEED] [--seed SEED] [--fast] [--minutes N] [--report FILE]
npm run soak -- --rate-limit LIMIT [--dashboards N] [--report FILE]

  --runs N       so many random programs (20)
  --from SEED    seed of the first; the others follow (1)
  --seed SEED    this one program alone, to see again what went wrong
  --fast         by the package's provider alone, without the engine: many more crashes in the same time
  --minutes N    stop before another program begins after so many minutes
  --report FILE  where the report goes (.local/soak.json)
  --rate-limit LIMIT  instead of random programs: one up of many dashboards at a service that limits requests
                 (480/min,4800/hour is PostHog's own)
  --dashboards N so many of them (700)
`;

/** Far above what a few minutes' worth of requests take. */
const LIMITED_MS = 3_600_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "20" },
      from: { type: "string", default: "1" },
      seed: { type: "string" },
      minutes: { type: "string", default: "1440" },
      report: { type: "string", default: ".local/soak.json" },
      fast: { type: "boolean", default: false },
      "rate-limit": { type: "string" },
      dashboards: { type: "string", default: "700" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (values["rate-limit"] !== undefined) {
    return await limited(values["rate-limit"], Number(values.dashboards), values.report);
  }
  const first = Number(values.seed ?? values.from);
  const runs = values.seed === undefined ? Number(values.runs) : 1;
  const end = Date.now() + Number(values.minutes) * 60_000;
  const results: SoakResult[] = [];
  for (let seed = first; seed < first + runs && Date.now() < end; seed++) {
    const result = await (values.fast ? soakKills(seed) : soak(seed));
    results.push(result);
    process.stdout.write(
      `seed ${seed}: ${result.resources} resources, ${result.operations} operations, ${result.kills} kills, ` +
        `${sum(Object.values(result.faults))} faults, ${result.seconds} s: ` +
        `${result.problems.length === 0 ? "as it should be" : `\n  ${result.problems.join("\n  ")}`}\n`,
    );
    save(values.report, report(results));
  }
  const bad = results.filter(({ problems }) => problems.length > 0);
  process.stdout.write(
    `${results.length} programs, ${bad.length} with problems${bad.length === 0 ? "" : `: ${bad.map(({ seed }) => seed).join(", ")}`}. ` +
      `Report: ${values.report}\n`,
  );
  return bad.length === 0 ? 0 : 1;
}

async function limited(limit: string, dashboards: number, file: string): Promise<number> {
  const result = await underRateLimit({ limit, dashboards, timeoutMs: LIMITED_MS });
  save(file, result);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\nReport: ${file}\n`);
  return result.problems.length === 0 ? 0 : 1;
}

function save(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

function report(results: readonly SoakResult[]) {
  const faults: Record<string, number> = {};
  for (const result of results) {
    for (const [name, times] of Object.entries(result.faults)) faults[name] = (faults[name] ?? 0) + times;
  }
  return {
    seeds: [results[0]?.seed, results.at(-1)?.seed],
    runs: results.length,
    operations: sum(results.map(({ operations }) => operations)),
    kills: sum(results.map(({ kills }) => kills)),
    faults,
    withProblems: results.filter(({ problems }) => problems.length > 0).map(({ seed }) => seed),
    results,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

void main().then((code) => {
  process.exitCode = code;
});
