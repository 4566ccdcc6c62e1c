// @ts-check
// `npm run lint`: types, lint, format, and whether what docs/ says of the code is current. All run, so that one run
// shows everything.
import { join } from "node:path";
import { run } from "./lib/run.mjs";
import { ROOT, log, runMain, setup } from "./setup.mjs";

const CHECKS = [
  { title: "types", command: ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "tsconfig.json"] },
  { title: "lint", command: ["node_modules/eslint/bin/eslint.js", "--max-warnings", "0", "."] },
  {
    title: "format",
    command: ["node_modules/prettier/bin/prettier.cjs", "--check", "--log-level", "warn", "."],
  },
  { title: "docs", command: ["scripts/docs.mjs", "--check"] },
];

await runMain(async () => {
  // `dist` too: the examples import the package by its name, whose types are there.
  await setup();
  /** @type {string[]} */
  const failed = [];
  for (const { title, command } of CHECKS) {
    log(`── ${title}`);
    const [tool = "", ...args] = command;
    const { code } = await run(process.execPath, [join(ROOT, tool), ...args], {
      cwd: ROOT,
      show: true,
    });
    if (code !== 0) failed.push(title);
  }
  log(
    failed.length === 0
      ? "lint: all fine"
      : `lint: not fine: ${failed.join(", ")} (npm run format mends the format, npm run docs the docs)`,
  );
  return failed.length === 0 ? 0 : 1;
});
