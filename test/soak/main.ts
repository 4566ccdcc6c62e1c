import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { soakKills } from "./kills";
import { soak, type SoakResult } from "./soak-run";

const USAGE = `npm run soak -- [--runs N] [--from SEED] [--seed SEED] [--fast] [--minutes N] [--report FILE]

  --runs N       so many random programs (20)
  --from SEED    seed of the first; the others follow (1)
  --seed SEED    this one program alone, to see again what went wrong
  --fast         by the package's provider alone, without the engine: many more crashes in the same time
  --minutes N    stop before another program begins after so many minutes
  --report FILE  where the report goes (.local/soak.json)
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "20" },
      from: { type: "string", default: "1" },
      seed: { type: "string" },
      minutes: { type: "string", default: "1440" },
      report: { type: "string", default: ".local/soak.json" },
      fast: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
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
    mkdirSync(dirname(values.report), { recursive: true });
    writeFileSync(values.report, `${JSON.stringify(report(results), null, 2)}\n`);
  }
  const bad = results.filter(({ problems }) => problems.length > 0);
  process.stdout.write(
    `${results.length} programs, ${bad.length} with problems${bad.length === 0 ? "" : `: ${bad.map(({ seed }) => seed).join(", ")}`}. ` +
      `Report: ${values.report}\n`,
  );
  return bad.length === 0 ? 0 : 1;
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
