// @ts-check
// `npm run soak [-- resources|import|generate [OPTIONS]]`: through the real engine, random programs among random faults
// and kills, imports that are killed, slowed down and let down, and a large organization that is taken over; all of them
// where none is named. What has to hold stands in test/soak; `--help` behind a name tells its options.
import { join } from "node:path";
import { ensureEngine } from "./engine.mjs";
import { run } from "./lib/run.mjs";
import { ROOT, log, runMain, setup } from "./setup.mjs";

const SOAK = join(ROOT, "test", "soak");
/** @type {Record<string, string>} */
const MAINS = {
  resources: join(SOAK, "main.ts"),
  import: join(SOAK, "import", "main.ts"),
  generate: join(SOAK, "generate", "main.ts"),
};

await runMain(async () => {
  const [first = "", ...rest] = process.argv.slice(2);
  const isNamed = first in MAINS;
  const names = isNamed ? [first] : first === "" ? Object.keys(MAINS) : ["resources"];
  await setup();
  const { pulumi, path, version } = await ensureEngine({ log });
  log(`Pulumi ${version} (${pulumi})`);
  let worst = 0;
  for (const name of names) {
    const { code } = await run(
      process.execPath,
      [
        ...["--require", join(SOAK, "register.cjs"), MAINS[name] ?? ""],
        ...(isNamed ? rest : process.argv.slice(2)),
      ],
      { cwd: ROOT, env: { ...process.env, PATH: path, PULUMI_POSTHOG_ENGINE: pulumi }, show: true },
    );
    worst = Math.max(worst, code);
  }
  return worst;
});
