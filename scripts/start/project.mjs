// @ts-check
import { randomBytes } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { alive } from "../lib/lock.mjs";
import { run, tail } from "../lib/run.mjs";
import { LOCAL, ROOT, SetupError } from "../setup.mjs";

/** Name of the root project in Pulumi.yaml. */
const PROJECT = "posthog-quickstart";
const BACKEND = join(LOCAL, "state");
const PASSPHRASE = join(LOCAL, "passphrase");
/** For commands that only touch local files. */
const QUICK_MS = 60_000;

/** Variables that would reach into the run from a person's other work. */
const FOREIGN = /^PULUMI_(?!POSTHOG_|NODEJS_)|^POSTHOG_/;

/** The root project, run on a backend of its own below `.local`. */
export class Project {
  /**
   * @param {import("../engine.mjs").Engine} engine
   * @param {string} stack
   * @param {Record<string, string>} posthog `POSTHOG_…` variables of the program and the provider
   * @param {AbortSignal} signal interrupts the command that runs
   */
  constructor(engine, stack, posthog, signal) {
    this.engine = engine;
    this.stack = stack;
    this.posthog = posthog;
    this.signal = signal;
  }

  /** Makes stack and passphrase where they are missing, and lifts the lock of a run that was killed. */
  async open() {
    await mkdir(BACKEND, { recursive: true });
    // One passphrase for good: with another the stack's secrets could not be read again.
    await writeFile(PASSPHRASE, randomBytes(24).toString("base64url"), { flag: "wx", mode: 0o600 }).catch(
      (/** @type {unknown} */ error) => {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      },
    );
    await this.quiet(["stack", "select", "--create", this.stack]);
    if (await this.hasStaleLock()) await this.quiet(["cancel", "--yes", this.stack]);
  }

  /** Forgets the stack; nothing is deleted in any service. */
  async forget() {
    await this.quiet(["stack", "rm", "--yes", "--force", this.stack]);
  }

  /**
   * Sets secret settings that are not set yet.
   *
   * @param {Record<string, string>} values
   */
  async setSecrets(values) {
    const set = JSON.parse(await this.quiet(["config", "--json", "--stack", this.stack]));
    const missing = Object.entries(values).filter(([name]) => !(`${PROJECT}:${name}` in set));
    if (missing.length === 0) return;
    const args = missing.flatMap(([name, value]) => ["--secret", `${PROJECT}:${name}=${value}`]);
    await this.quiet(["config", "set-all", "--stack", this.stack, ...args]);
  }

  /**
   * Runs a command on the stack in the sight of the person.
   *
   * @param {readonly string[]} args
   * @returns {Promise<number>} its exit code
   */
  async show(args) {
    const options = { cwd: ROOT, env: await this.environment(), show: true, signal: this.signal };
    return (await run(this.engine.pulumi, [...args, "--stack", this.stack], options)).code;
  }

  /** What the stack holds. @returns {Promise<{ type: string, name: string, id: string }[]>} */
  async resources() {
    const { deployment } = JSON.parse(await this.quiet(["stack", "export", "--stack", this.stack]));
    /** @type {{ urn: string, type: string, id?: string }[]} */
    const resources = deployment.resources ?? [];
    return resources
      .filter(({ type }) => type.startsWith("pulumi-nodejs:"))
      .map(({ urn, type, id }) => ({
        type: type.slice(type.lastIndexOf(":") + 1),
        name: urn.split("::").slice(3).join("::"),
        id: id ?? "",
      }))
      .sort((a, b) => `${a.type} ${a.name}`.localeCompare(`${b.type} ${b.name}`));
  }

  /** @returns {Promise<NodeJS.ProcessEnv>} */
  async environment() {
    const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));
    return {
      ...own,
      ...this.posthog,
      PATH: this.engine.path,
      PULUMI_BACKEND_URL: `file://${BACKEND}`,
      PULUMI_CONFIG_PASSPHRASE: (await readFile(PASSPHRASE, "utf8")).trim(),
      PULUMI_HOME: join(LOCAL, "pulumi"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
  }

  /** @param {readonly string[]} args */
  async quiet(args) {
    const options = { cwd: ROOT, env: await this.environment(), timeoutMs: QUICK_MS };
    const outcome = await run(
      this.engine.pulumi,
      [...args, "--non-interactive", "--color", "never"],
      options,
    );
    if (outcome.code === 0) return outcome.stdout;
    throw new SetupError(
      `pulumi ${args.slice(0, 2).join(" ")} failed:\n${tail(outcome)}\n` +
        `If .local was changed by hand, delete it: \`npm start\` makes it anew.`,
    );
  }

  /** Whether only processes that are gone hold the stack's lock. */
  async hasStaleLock() {
    const folder = join(BACKEND, ".pulumi", "locks", "organization", PROJECT, this.stack);
    const files = await readdir(folder).catch(() => []);
    if (files.length === 0) return false;
    const texts = await Promise.all(
      files.map((file) => readFile(join(folder, file), "utf8").catch(() => "{}")),
    );
    return texts.every((text) => !alive(Number(JSON.parse(text).pid ?? 0)));
  }
}
