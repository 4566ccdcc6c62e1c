// @ts-check
// `npm start`: the quickstart, previewed, applied and proven free of drift by the real engine.
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureEngine } from "./engine.mjs";
import { withLock } from "./lib/lock.mjs";
import { LOCAL, SetupError, log, runMain, setup } from "./setup.mjs";
import { hasData, openEmulator } from "./start/emulator.mjs";
import { listen } from "./start/interruption.mjs";
import { Project } from "./start/project.mjs";

/** @typedef {import("./start/interruption.mjs").Interruption} Interruption */

const USAGE = `npm start [-- --keep] [-- --yes]
  runs examples/quickstart against a local PostHog emulator.
  --keep  leaves the emulator and its page running until Ctrl-C
  With POSTHOG_HOST, POSTHOG_API_KEY and POSTHOG_PROJECT_ID of your own PostHog set, it previews the
  dashboards there instead, and nothing else.
  --yes   makes them, too`;

/** For the emulator alone, which checks nothing about them; a stack of your own gets real ones. */
const EXAMPLE_SECRETS = {
  awsAccessKeyId: "example-access-key-id",
  awsSecretAccessKey: "example-secret-access-key",
};

const INTERRUPTED = 130;

await runMain(async () => {
  const options = parse();
  if (options.help) {
    log(USAGE);
    return 0;
  }
  const own = ownService(process.env);
  await setup();
  const engine = await ensureEngine({ log });
  log(`Pulumi ${engine.version} (${engine.pulumi})`);

  const interruption = listen();
  return withLock(
    join(LOCAL, "start.lock"),
    () => (own ? preview(engine, own, options.yes, interruption) : local(engine, interruption)),
    {
      waiting: (pid) => log(`another npm start (process ${pid}) is at work here: waiting for it`),
      signal: interruption.came,
    },
  ).then((finished) => finished.end(options.keep));
});

function parse() {
  try {
    const { values } = parseArgs({
      options: { keep: { type: "boolean" }, yes: { type: "boolean" }, help: { type: "boolean" } },
    });
    return { keep: values.keep === true, yes: values.yes === true, help: values.help === true };
  } catch (error) {
    throw new SetupError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

/** @typedef {{ end: (keep: boolean) => Promise<number> }} Finished */

/**
 * The whole quickstart against the emulator.
 *
 * @param {import("./engine.mjs").Engine} engine
 * @param {Interruption} interruption
 * @returns {Promise<Finished>}
 */
async function local(engine, interruption) {
  const fresh = !(await hasData());
  const emulator = await openEmulator();
  const { environment, shared } = emulator;
  log(`${shared ? "using the kept" : "started the"} PostHog emulator at ${environment["POSTHOG_HOST"]}`);
  const project = new Project(engine, "local", environment, interruption.forward);
  let code;
  try {
    await project.open();
    if (fresh && (await project.resources()).length > 0) {
      log("the emulator's data is gone: the stack that described it is begun anew");
      await project.forget();
      await project.open();
    }
    await project.setSecrets(EXAMPLE_SECRETS);
    code = await apply(project, interruption);
    if (code === 0) await tell(project);
  } catch (error) {
    await emulator.close();
    throw error;
  }
  if (code !== 0) await emulator.close();
  return {
    end: async (keep) => {
      if (code !== 0) return code;
      if (keep && !shared) await linger(environment, interruption);
      await emulator.close();
      return 0;
    },
  };
}

/**
 * Preview, update, and the proof that nothing is left to change.
 *
 * @param {Project} project
 * @param {Interruption} interruption
 */
async function apply(project, interruption) {
  for (const { title, args, failed } of [
    {
      title: "pulumi preview: what would change",
      args: ["preview"],
      failed: "The messages above name what to mend, in examples/quickstart/index.ts or in your settings.",
    },
    {
      title: "pulumi up: changing it",
      args: ["up", "--yes", "--skip-preview"],
      failed: "What was made so far is kept; once the cause is mended, the next run goes on from there.",
    },
    {
      title: "pulumi preview --refresh --expect-no-changes: is anything left to change?",
      args: ["preview", "--refresh", "--expect-no-changes"],
      failed:
        "Something differs right after the update: either somebody changed it meanwhile, or it is a bug to report.",
    },
  ]) {
    if (!(await step(project, title, args, failed, interruption)))
      return interruption.came.aborted ? INTERRUPTED : 1;
  }
  log("\nNothing is left to change.");
  return 0;
}

/** @param {Project} project @param {string} title @param {string[]} args @param {string} failed @param {Interruption} interruption */
async function step(project, title, args, failed, interruption) {
  const interrupted = () => interruption.came.aborted;
  let code = 0;
  if (!interrupted()) {
    log(`\n── ${title}`);
    code = await project.show(args);
  }
  // Also where the command had ended by itself, or was not begun yet.
  if (interrupted()) {
    log("\nInterrupted. `npm start` goes on from here.");
    return false;
  }
  if (code === 0) return true;
  process.stderr.write(`\npulumi ${args[0]} ended with exit code ${code}. ${failed} Then: npm start\n`);
  return false;
}

/** @param {Project} project */
async function tell(project) {
  const resources = await project.resources();
  const width = Math.max(...resources.map(({ type }) => type.length));
  log("\nDeclared in examples/quickstart/index.ts, and there now:");
  for (const { type, name, id } of resources) log(`  ${type.padEnd(width)}  ${name}  (id ${id})`);
  log(`
Where to go next:
  - change a name in examples/quickstart/index.ts, then \`npm start\`: one update
  - \`npm start -- --keep\` keeps the emulator running, with a page that shows what it holds
  - with POSTHOG_HOST, POSTHOG_API_KEY and POSTHOG_PROJECT_ID of your own PostHog set, \`npm start\` previews
    the dashboards there and changes nothing
  - README.md tells how to use the package in a program of your own`);
}

/** Leaves the emulator running until Ctrl-C. @param {Record<string, string>} environment @param {Interruption} interruption */
async function linger(environment, interruption) {
  log(`\nThe emulator runs until Ctrl-C. Its page: ${environment["POSTHOG_HOST"]}/`);
  log("In another terminal:");
  for (const [name, value] of Object.entries(environment)) log(`  export ${name}=${value}`);
  // A pending promise alone does not keep node alive.
  const awake = setInterval(() => undefined, 60_000);
  if (!interruption.came.aborted) await once(interruption.came, "abort");
  clearInterval(awake);
  log("\nEnding the emulator; its data stays in .local/emulator.json.");
}

/**
 * The service that the environment names, if it names one.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Record<string, string> | undefined}
 */
function ownService(env) {
  if (!env["POSTHOG_HOST"]) return undefined;
  const missing = ["POSTHOG_API_KEY", "POSTHOG_PROJECT_ID"].filter((name) => !env[name]);
  if (missing.length > 0) {
    throw new SetupError(
      `POSTHOG_HOST is ${env["POSTHOG_HOST"]}, and ${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} not set.\n` +
        "  POSTHOG_API_KEY: a personal API key with the scopes dashboard:read and dashboard:write\n" +
        "  POSTHOG_PROJECT_ID: the number in the address of your project's pages\n" +
        "Without POSTHOG_HOST, `npm start` runs against a local emulator.",
    );
  }
  /** @type {Record<string, string>} */
  const given = { POSTHOG_QUICKSTART: "dashboards" };
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith("POSTHOG_") && value !== undefined && value !== "") given[name] ??= value;
  }
  return given;
}

/**
 * The dashboards alone, in a service of the person's own.
 *
 * @param {import("./engine.mjs").Engine} engine
 * @param {Record<string, string>} environment
 * @param {boolean} yes
 * @param {Interruption} interruption
 * @returns {Promise<Finished>}
 */
async function preview(engine, environment, yes, interruption) {
  const host = environment["POSTHOG_HOST"] ?? "";
  const where = `${host.replace(/^https?:\/\//, "").replace(/[^A-Za-z0-9]+/g, "-")}-${environment["POSTHOG_PROJECT_ID"]}`;
  log(`project ${environment["POSTHOG_PROJECT_ID"]} at ${host}: the dashboards only`);
  const project = new Project(
    engine,
    where.replace(/[^A-Za-z0-9-]+/g, "-").toLowerCase(),
    environment,
    interruption.forward,
  );
  await project.open();
  let code;
  if (yes) {
    code = await apply(project, interruption);
    if (code === 0) await tell(project);
  } else {
    const failed = "The messages above name what to mend: key, scopes, project or host.";
    const fine = await step(project, "pulumi preview: what would change", ["preview"], failed, interruption);
    code = fine ? 0 : interruption.came.aborted ? INTERRUPTED : 1;
    if (fine) log("\nNothing was changed. `npm start -- --yes` makes it so.");
  }
  return { end: () => Promise.resolve(code) };
}
