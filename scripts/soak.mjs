// @ts-check
// `npm run soak [-- OPTIONS]`: random programs among random faults and kills, through the real engine. What has to
// hold afterwards stands in test/soak; `--help` names the options.
import { join } from "node:path";
import { ensureEngine } from "./engine.mjs";
import { run } from "./lib/run.mjs";
import { ROOT, log, runMain, setup } from "./setup.mjs";

await runMain(async () => {
  await setup();
  const { pulumi, path, version } = await ensureEngine({ log });
  log(`Pulumi ${version} (${pulumi})`);
  const soak = join(ROOT, "test", "soak");
  const { code } = await run(
    process.execPath,
    ["--require", join(soak, "register.cjs"), join(soak, "main.ts"), ...process.argv.slice(2)],
    { cwd: ROOT, env: { ...process.env, PATH: path, PULUMI_POSTHOG_ENGINE: pulumi }, show: true },
  );
  return code;
});
