import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import * as prettier from "prettier";
import { soakEngine } from "./engine-run";
import { soakProvider } from "./provider-run";
import { underRateLimit } from "./rate-limit";
import { merged, printed, report, reportFile, sum, type SoakResult } from "./result";

const USAGE = `npm run soak -- [--runs N] [--from SEED] [--seed SEED] [--fast | --inside] [--jobs N] [--minutes N] [--report FILE]
npm run soak -- --rate-limit LIMIT [--dashboards N] [--report FILE]

  --runs N       so many random programs (20)
  --from SEED    seed of the first; the others follow (1)
                 from 40000 on, people move between kinds and resources change their names, too
  --seed SEED    this one program alone, to see again what went wrong
  --fast         by the package's provider alone, without the engine: many more crashes in the same time
  --inside       the same without a process for each operation: cut off instead of killed, many more yet
  --jobs N       so many programs at once (1)
  --minutes N    begin no other program after so many minutes
  --report FILE  where the report goes (.local/soak.json)
  --rate-limit LIMIT  instead of random programs: one up of many dashboards at a service that limits requests
                 (480/min,4800/hour is PostHog's own)
  --dashboards N so many of them (700)
  --add FILE     adds an earlier report, of other seeds; may be given several times
`;

/** Far above what a few minutes' worth of requests take. */
const LIMITED_MS = 3_600_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "20" },
      from: { type: "string", default: "1" },
      seed: { type: "string" },
      jobs: { type: "string", default: "1" },
      minutes: { type: "string", default: "1440" },
      report: { type: "string", default: ".local/soak.json" },
      add: { type: "string", multiple: true, default: [] },
      fast: { type: "boolean", default: false },
      inside: { type: "boolean", default: false },
      "rate-limit": { type: "string" },
      dashboards: { type: "string", default: "700" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { "rate-limit": limit } = values;
  if (limit !== undefined) return await limited(limit, Number(values.dashboards), values.report);
  const first = Number(values.seed ?? values.from);
  const runs = values.seed === undefined ? Number(values.runs) : 1;
  const end = Date.now() + Number(values.minutes) * 60_000;
  const results: SoakResult[] = [];
  const earlier = values.add.map((file) => reportFile.parse(JSON.parse(readFileSync(file, "utf8"))));
  const write = (): void => writeFileSync(values.report, printed(merged([...earlier, report(results)])));
  mkdirSync(dirname(values.report), { recursive: true });
  let next = first;
  const work = async (): Promise<void> => {
    while (next < first + runs && Date.now() < end) {
      const seed = next++;
      const result = await (
        values.inside ? soakProvider(seed, "inside") : (values.fast ? soakProvider : soakEngine)(seed)
      ).catch((error: unknown) => broken(seed, error));
      results.push(result);
      process.stdout.write(lineOf(result));
      write();
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  write();
  const bad = report(results).seedsWithProblems;
  process.stdout.write(
    `${results.length} programs, ${bad.length} with problems${bad.length === 0 ? "" : `: ${bad.join(", ")}`}. ` +
      `Report: ${values.report}\n`,
  );
  return bad.length === 0 ? 0 : 1;
}

async function limited(limit: string, dashboards: number, file: string): Promise<number> {
  const result = await underRateLimit({ limit, dashboards, timeoutMs: LIMITED_MS });
  mkdirSync(dirname(file), { recursive: true });
  const text = await prettier.format(JSON.stringify(result), { parser: "json", printWidth: 110 });
  writeFileSync(file, text);
  process.stdout.write(`${text}Report: ${file}\n`);
  return result.problems.length === 0 ? 0 : 1;
}

/** A program that could not be run to its end, whoever is to blame. */
function broken(seed: number, error: unknown): SoakResult {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const nothing = { resources: 0, kinds: [], operations: 0, kills: 0, faults: {}, failures: 0, seconds: 0 };
  return { seed, form: "engine", ...nothing, problems: [{ failing: "failed", what }] };
}

function lineOf({ seed, resources, operations, kills, faults, seconds, problems }: SoakResult): string {
  const found = problems.map(({ failing, what }) => `${failing}: ${what}`);
  return (
    `seed ${seed}: ${resources} resources, ${operations} operations, ${kills} kills, ` +
    `${sum(Object.values(faults))} faults, ${seconds} s: ` +
    `${found.length === 0 ? "as it should be" : `\n  ${found.join("\n  ")}`}\n`
  );
}

void main().then((code) => {
  process.exitCode = code;
});
