// @ts-check
// `npm run bench [-- NAME [options]]`: runs the benchmarks in bench/NAME/run.mjs, all of them without a name.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runMain, setup, SetupError } from "./setup.mjs";

const BENCHES = join(ROOT, "bench");

/** @param {string} name */
const scriptOf = (name) => join(BENCHES, name, "run.mjs");

await runMain(async () => {
  const [first, ...rest] = process.argv.slice(2);
  const known = readdirSync(BENCHES).filter((name) => existsSync(scriptOf(name)));
  if (first !== undefined && !known.includes(first)) {
    throw new SetupError(`there is no benchmark ${first}; there are ${known.join(", ")}`);
  }
  await setup();
  let worst = 0;
  for (const name of first === undefined ? known : [first]) {
    const { status } = spawnSync(process.execPath, [scriptOf(name), ...rest], {
      stdio: "inherit",
      cwd: ROOT,
    });
    worst = Math.max(worst, status ?? 1);
  }
  return worst;
});
