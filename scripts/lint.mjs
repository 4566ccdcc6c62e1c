// @ts-check
// `npm run lint`: types, lint and format. All three run, so that one run shows everything.
import { join } from "node:path";
import { run } from "./lib/run.mjs";
import { ROOT, log, runMain, setup } from "./setup.mjs";

const CHECKS = [
  { title: "types", command: ["typescript/bin/tsc", "--noEmit", "-p", "tsconfig.json"] },
  { title: "lint", command: ["eslint/bin/eslint.js", "--max-warnings", "0", "."] },
  { title: "format", command: ["prettier/bin/prettier.cjs", "--check", "--log-level", "warn", "."] },
];

await runMain(async () => {
  // `dist` too: the examples import the package by its name, whose types are there.
  await setup();
  /** @type {string[]} */
  const failed = [];
  for (const { title, command } of CHECKS) {
    log(`── ${title}`);
    const [tool = "", ...args] = command;
    const { code } = await run(process.execPath, [join(ROOT, "node_modules", tool), ...args], {
      cwd: ROOT,
      show: true,
    });
    if (code !== 0) failed.push(title);
  }
  log(
    failed.length === 0
      ? "lint: all fine"
      : `lint: not fine: ${failed.join(", ")} (npm run format mends the format)`,
  );
  return failed.length === 0 ? 0 : 1;
});
