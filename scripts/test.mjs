// @ts-check
// `npm test [-- JEST ARGUMENTS]`: what the tests need, then the tests; ends with `N passed, N failed`.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensureEngine } from "./engine.mjs";
import { run } from "./lib/run.mjs";
import { LOCAL, ROOT, log, runMain, setup } from "./setup.mjs";

await runMain(async () => {
  let engine;
  try {
    await setup();
    engine = await ensureEngine({ log });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    log("0 passed, 1 failed");
    return 1;
  }
  const { pulumi, path, version } = engine;
  log(`Pulumi ${version} (${pulumi})`);
  const results = join(LOCAL, `test-results-${process.pid}.json`);
  const jest = join(ROOT, "node_modules", "jest", "bin", "jest.js");
  try {
    const { code } = await run(
      process.execPath,
      [jest, "--json", "--outputFile", results, "--testLocationInResults", ...process.argv.slice(2)],
      { cwd: ROOT, env: { ...process.env, PATH: path, PULUMI_POSTHOG_ENGINE: pulumi }, show: "stderr" },
    );
    const counts = count(await readFile(results, "utf8").catch(() => undefined));
    log(
      `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}`,
    );
    return code === 0 && counts.failed > 0 ? 1 : code;
  } finally {
    await rm(results, { force: true });
  }
});

/**
 * Jest does not count the tests of a file that could not be loaded: such a file counts as one failure.
 *
 * @param {string | undefined} text
 */
function count(text) {
  if (text === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const results = JSON.parse(text);
  return {
    passed: Number(results.numPassedTests),
    failed: Number(results.numFailedTests) + Number(results.numRuntimeErrorTestSuites),
    skipped: Number(results.numPendingTests) + Number(results.numTodoTests),
  };
}
