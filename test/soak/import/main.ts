import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { commandKills } from "./command-kills";
import { engineKills } from "./engine-kills";
import { faults } from "./faults";
import { fuzz } from "./fuzz";
import { isClean } from "./kills";
import { million } from "./million";
import { rate } from "./rate";

const USAGE = `npm run soak -- import [OPTIONS]; 0 leaves a part out

  --command-runs N   runs of the command that are killed, each one to three times (150)
  --engine-runs N    runs of the real engine that are killed, each one to three times (60)
  --fault-events N   events of each form of source among faults (100000)
  --million N        events of each form of source by the real engine (1000000)
  --rate-minutes N   minutes for which four imports have to hold their rate (5)
  --fuzz-rounds N    rounds of the differential fuzz, of 60 lines each (20000)
  --seed N           what happens when (1)
  --report FILE      where the report goes (.local/soak-import.json)
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "command-runs": { type: "string", default: "150" },
      "engine-runs": { type: "string", default: "60" },
      "fault-events": { type: "string", default: "100000" },
      million: { type: "string", default: "1000000" },
      "rate-minutes": { type: "string", default: "5" },
      "fuzz-rounds": { type: "string", default: "20000" },
      seed: { type: "string", default: "1" },
      report: { type: "string", default: ".local/soak-import.json" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const seed = Number(values.seed);
  const report: Record<string, unknown> = { node: process.version, cpu: cpus()[0]?.model, seed };
  let clean = true;
  const part = async (
    name: string,
    amount: string,
    run: (amount: number) => Promise<{ readonly ok: boolean }>,
  ): Promise<void> => {
    if (Number(amount) === 0) return;
    const began = Date.now();
    const result = await run(Number(amount));
    report[name] = { ...result, seconds: Math.round((Date.now() - began) / 1000) };
    clean &&= result.ok;
    say(`${name}: ${JSON.stringify(report[name])}`);
    mkdirSync(dirname(values.report), { recursive: true });
    writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`);
  };
  await part("fuzz", values["fuzz-rounds"], (rounds) => fuzz(rounds, seed, say));
  await part("commandKills", values["command-runs"], async (runs) => {
    const totals = await commandKills(runs, seed, say);
    return { ...totals, ok: isClean(totals) };
  });
  await part("engineKills", values["engine-runs"], async (runs) => {
    const totals = await engineKills(runs, seed, say);
    return { ...totals, ok: isClean(totals) };
  });
  await part("faults", values["fault-events"], (events) => faults(events, seed, say));
  await part("rate", values["rate-minutes"], rate);
  await part("million", values.million, async (events) => {
    const forms = await million(events, say);
    return { forms, ok: forms.every(({ problems }) => problems.length === 0) };
  });
  say(`${clean ? "everything as it should be" : "NOT everything as it should be"}. Report: ${values.report}`);
  return clean ? 0 : 1;
}

void main().then((code) => {
  process.exitCode = code;
});
