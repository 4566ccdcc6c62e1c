import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { takeOver } from "./take-over";

const USAGE = `npm run soak -- generate [OPTIONS]: an organization of 1,200 objects of all kinds, taken over without a write

  --plain            an up that writes the state at each step, as without the advice of the program's README
  --report FILE      where the report goes (.local/soak-generate.json)
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      report: { type: "string", default: ".local/soak-generate.json" },
      plain: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const result = await takeOver({ say, plain: values.plain });
  const report = { node: process.version, cpu: cpus()[0]?.model, ...result };
  mkdirSync(dirname(values.report), { recursive: true });
  writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`);
  say(JSON.stringify(result, null, 2));
  const isClean = result.problems.length === 0;
  say(
    `${isClean ? "everything as it should be" : "NOT everything as it should be"}. Report: ${values.report}`,
  );
  return isClean ? 0 : 1;
}

void main().then((code) => {
  process.exitCode = code;
});
