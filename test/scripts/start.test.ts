import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { enginePath, engineSearchPath, ROOT } from "../support/engine";
import { startEmulator, writes } from "../support/emulator";

let clone: string;
const children = new Set<ChildProcess>();

/** A clone beside this one, installed and built, with nothing of its own run yet. */
beforeAll(() => {
  clone = realpathSync(mkdtempSync(join(tmpdir(), "clone-")));
  for (const name of ["package.json", "package-lock.json", "Pulumi.yaml", "scripts", "examples", "dist"]) {
    cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  }
  const built = (file: string): boolean =>
    !file.endsWith(".ts") ||
    existsSync(file.replace(join(ROOT, "src"), join(ROOT, "dist")).replace(/ts$/, "js"));
  cpSync(join(ROOT, "src"), join(clone, "src"), { recursive: true, filter: built });
  for (const name of ["tsconfig.json", "tsconfig.build.json"]) cpSync(join(ROOT, name), join(clone, name));
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
  // `dist` is taken as it is, also where somebody is editing the sources meanwhile.
  const setup = JSON.stringify(join(clone, "scripts", "setup.mjs"));
  execFileSync(process.execPath, ["--input-type=module", "-e", `await (await import(${setup})).noteBuilt()`]);
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});

interface Started {
  readonly child: ChildProcess;
  said(): string;
  readonly done: Promise<{ code: number; said: string }>;
}

/** Halves the time of each run; the first one goes without, as a user's does. */
const SWIFT = {
  PULUMI_NODEJS_TRANSPILE_ONLY: "true",
  NODE_OPTIONS: `--require ${JSON.stringify(join(ROOT, "test", "support", "lazy.cjs"))}`,
};

/** `npm start -- ARGS`, without npm. */
function start(args: readonly string[] = [], env: Record<string, string> = {}): Started {
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(POSTHOG_|PULUMI_)/.test(name)),
  );
  const child = spawn(process.execPath, [join(clone, "scripts", "start.mjs"), ...args], {
    cwd: clone,
    env: { ...own, ...SWIFT, PATH: engineSearchPath(), PULUMI_POSTHOG_ENGINE: enginePath(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => (said += String(chunk)));
  const done = new Promise<{ code: number; said: string }>((resolve) => {
    child.on("close", (code) => {
      children.delete(child);
      resolve({ code: code ?? -1, said });
    });
  });
  return { child, said: () => said, done };
}

const npmStart = (args?: readonly string[], env?: Record<string, string>): Started["done"] =>
  start(args, env).done;

/** What a run that must succeed said. */
async function started(args?: readonly string[], env?: Record<string, string>): Promise<string> {
  const { code, said } = await npmStart(args, env);
  if (code !== 0) throw new Error(`npm start ended with exit code ${code}:\n${said}`);
  return said;
}

async function until(run: Started, text: string): Promise<void> {
  while (!run.said().includes(text)) {
    if (run.child.exitCode !== null) throw new Error(`it ended without ${text}:\n${run.said()}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

const emulatorOf = (said: string): string => /PostHog emulator at (http:\S+)/.exec(said)?.[1] ?? "";
/** Whether this clone's emulator runs: its port may be another one's by now. */
const isRunning = (): boolean =>
  execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" }).includes(
    join(clone, "dist", "cli", "main.js"),
  );
const isServed = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

describe("against the emulator", () => {
  test("it applies the quickstart, proves it, says so, and leaves only .local", async () => {
    const before = readdirSync(clone);
    const said = await started([], { PULUMI_NODEJS_TRANSPILE_ONLY: "", NODE_OPTIONS: "" });
    expect(said).toContain("Nothing is left to change.");
    expect(said).toMatch(/Dashboard +growth +\(id \d+\)/);
    expect(said).toContain("Where to go next");
    expect(said.indexOf("── pulumi preview")).toBeLessThan(said.indexOf("── pulumi up"));
    expect(isRunning()).toBe(false);
    expect(readdirSync(clone)).toEqual(before.includes(".local") ? before : [...before, ".local"].sort());
    // Keys of the emulator and example secrets are in no output and in no file of the stack.
    expect(said).not.toMatch(/ph[xc]_\w{10}|example-secret/);
    const state = readFileSync(
      join(clone, ".local/state/.pulumi/stacks/posthog-quickstart/local.json"),
      "utf8",
    );
    expect(state).not.toMatch(/ph[xc]_\w{10}|example-secret/);
  });

  test("a second run changes nothing; an edit is one update", async () => {
    expect(await started()).not.toMatch(
      /to (create|update|delete|replace)|\d (created|updated|deleted|replaced)/,
    );

    const program = join(clone, "examples/quickstart/index.ts");
    writeFileSync(
      program,
      readFileSync(program, "utf8").replace('name: "Growth"', 'name: "Growth, renamed"'),
    );
    const edited = await started();
    expect(edited).toMatch(/~ 1 to update/);
    expect(edited).toMatch(/~ 1 updated/);
    expect(edited).not.toMatch(/created|deleted|replaced/);
  });

  test("--keep serves until it is ended, and another run uses what it serves", async () => {
    const kept = start(["--keep"]);
    await until(kept, "The emulator runs until Ctrl-C");
    const url = emulatorOf(kept.said());
    expect(await isServed(url)).toBe(true);
    expect(await started()).toContain(`using the kept PostHog emulator at ${url}`);
    expect([await isServed(url), isRunning()]).toEqual([true, true]);
    kept.child.kill("SIGINT");
    expect((await kept.done).code).toBe(0);
    expect(isRunning()).toBe(false);
  });

  test("Ctrl-C in the middle ends the emulator; a killed run is healed by the next", async () => {
    const interrupted = start();
    await until(interrupted, "── pulumi preview");
    interrupted.child.kill("SIGINT");
    const { code, said } = await interrupted.done;
    expect(code).toBe(130);
    expect(said).toContain("Interrupted");
    expect(isRunning()).toBe(false);

    const killed = start();
    await until(killed, "── pulumi up");
    killed.child.kill("SIGKILL");
    await killed.done;
    await started();
    expect(isRunning()).toBe(false);
  });

  test("a program that fails is told with what to do, and the exit code is not 0", async () => {
    const program = join(clone, "examples/quickstart/index.ts");
    const text = readFileSync(program, "utf8");
    writeFileSync(program, text.replace('interval: "hour"', 'interval: "fortnight" as "hour"'));
    const { code, said } = await npmStart();
    writeFileSync(program, text);
    expect(code).toBe(1);
    expect(said).toContain("interval");
    expect(said).toMatch(/pulumi preview ended with exit code \d+\. .*Then: npm start/);
    expect(isRunning()).toBe(false);
  });

  test("where the emulator's data was deleted, it begins anew", async () => {
    rmSync(join(clone, ".local", "emulator.json"));
    const said = await started();
    expect(said).toContain("the emulator's data is gone");
    expect(said).toMatch(/\+ \d+ created/);
  });
});

describe("against a PostHog of one's own", () => {
  test("it previews the dashboards, writes nothing, and makes them with --yes", async () => {
    const service = await startEmulator();
    try {
      const env = service.environment;
      const looked = await started([], env);
      expect(looked).toContain("Nothing was changed");
      expect(looked).not.toMatch(/Invite|Domain|Member|BatchExport/);
      expect(looked).toContain("Dashboard");
      expect(looked).not.toContain("started the PostHog emulator");
      expect(writes(service)).toEqual([]);

      const made = await started(["--yes"], env);
      expect(new Set(writes(service).map(({ template }) => template))).toEqual(
        new Set([expect.stringMatching(/\/dashboards\/$/)]),
      );
      expect(made).not.toContain(env["POSTHOG_API_KEY"]);
    } finally {
      await service.close();
    }
  });

  test("without a key or a project it says what to set, before anything runs", async () => {
    const { code, said } = await npmStart([], { POSTHOG_HOST: "https://posthog.example.com" });
    expect(code).toBe(1);
    expect(said).toMatch(/POSTHOG_API_KEY and POSTHOG_PROJECT_ID are not set/);
    expect(said).not.toContain("──");
  });
});

test("an unknown flag is told with what there is", async () => {
  const { code, said } = await npmStart(["--ja"]);
  expect(code).toBe(1);
  expect(said).toContain("--keep");
  expect(await npmStart(["--help"])).toMatchObject({ code: 0, said: expect.stringContaining("--yes") });
});
