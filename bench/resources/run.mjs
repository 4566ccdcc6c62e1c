// npm run bench -- resources [--rounds N] [--only CASE,CASE] [--quick]: what operations over many resources cost, through the
// real engine, against an emulator that answers after 50 ms. What is compared with what stands in test/bench.
import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ensureEngine } from "../../scripts/engine.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const engine = await ensureEngine({ log: (line) => console.log(line) });
const register = path.join(root, "test", "soak", "register.cjs");
const main = path.join(root, "test", "bench", "main.ts");
const { status } = spawnSync(process.execPath, ["--require", register, main, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: engine.path, PULUMI_POSTHOG_ENGINE: engine.pulumi },
});
process.exitCode = status ?? 1;
