import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse, parseDocument } from "yaml";
import { z } from "zod";
import { ROOT } from "../support/engine";
import { EXAMPLE } from "./workspace";

const ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

const FILES = [
  ...readdirSync(join(EXAMPLE, ".github", "workflows")).map((name) => join(".github", "workflows", name)),
  join(".github", "actions", "setup", "action.yml"),
  ".gitlab-ci.yml",
  ...readdirSync(EXAMPLE).filter((name) => name.startsWith("Pulumi")),
  join("esc", "production.yaml"),
];

test.each(FILES)("%s is YAML without a double key or a tab", (file) => {
  const document = parseDocument(readFileSync(join(EXAMPLE, file), "utf8"), {
    uniqueKeys: true,
    strict: true,
  });
  expect([...document.errors, ...document.warnings]).toEqual([]);
});

test("every command and script of the workflows stands in the example", () => {
  const texts = FILES.map((file) => readFileSync(join(EXAMPLE, file), "utf8")).join("\n");
  const scripts = [...texts.matchAll(/node (ci\/\w+\.mjs)/g)].map(([, script = ""]) => script);
  expect(new Set(scripts)).toEqual(new Set(["ci/preview.mjs", "ci/up.mjs", "ci/drift.mjs", "ci/import.mjs"]));
  for (const script of scripts) expect(existsSync(join(EXAMPLE, script))).toBe(true);
});

const NOTES = ".pulumi-posthog";
const stepsOf = z.array(
  z.looseObject({
    uses: z.string().optional(),
    run: z.string().optional(),
    if: z.string().optional(),
    with: z.record(z.string(), z.unknown()).optional(),
  }),
);

test.each(["deploy", "import"])(
  "the workflow %s hands its notes to the next run, also where it fails",
  (name) => {
    const text = readFileSync(join(EXAMPLE, ".github", "workflows", `${name}.yml`), "utf8");
    const { jobs } = z
      .looseObject({ jobs: z.record(z.string(), z.looseObject({ steps: stepsOf })) })
      .parse(parse(text));
    const [{ steps } = { steps: [] }] = Object.values(jobs);
    const at = (what: RegExp) => steps.findIndex(({ uses, run }) => what.test(uses ?? run ?? ""));
    const [restored, ran, saved] = [at(/cache\/restore/), at(/^node ci/), at(/cache\/save/)];
    expect([restored >= 0, restored < ran, ran < saved]).toEqual([true, true, true]);
    const { path, key, "restore-keys": before } = steps[restored]?.with ?? {};
    expect([path, steps[saved]?.with]).toEqual([NOTES, { path, key }]);
    expect(steps[saved]?.if).toBe("always()");
    // A saved cache is never written again: each run has a key of its own, and takes the last one of its stack.
    expect(key).toBe(`${String(before)}\${{ github.run_id }}-\${{ github.run_attempt }}`);
  },
);

test.each([".up", "import"])("the job %s of GitLab hands its notes to the next run", (name) => {
  const jobs = z
    .record(z.string(), z.unknown())
    .parse(parse(readFileSync(join(EXAMPLE, ".gitlab-ci.yml"), "utf8")));
  expect(jobs[name]).toMatchObject({ cache: { paths: [NOTES], when: "always" } });
});

/** What an expression with the exports of an ES module comes to, as text. */
function printed(module: string, expression: string): string {
  const script = `import * as module from "${pathToFileURL(module).href}"; console.log(String(module.${expression}));`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }).trim();
}

test.each([
  ["{}", "pulumi,up,--stack,dev,--non-interactive,--color,never"],
  [
    '{ ESC_PROJECT: "posthog" }',
    "pulumi,env,run,posthog/dev,--,pulumi,up,--stack,dev,--non-interactive,--color,never",
  ],
])("with %s the scripts run pulumi by itself, or inside of the stack's ESC environment", (env, command) => {
  const script = join(EXAMPLE, "ci", "pulumi.mjs");
  expect(printed(script, `commandFor("dev", ["up"], ${env})`)).toBe(command);
});

/** The linter, built once into the cache; undefined where there is no Go, or no way to its module. */
function actionlint(): string | undefined {
  const cache = printed(join(ROOT, "scripts", "engine", "cache.mjs"), "cacheFolder(process.env)");
  const folder = join(cache, `actionlint-${ACTIONLINT.split("@")[1] ?? ""}`);
  const path = join(folder, "actionlint");
  if (existsSync(path)) return path;
  try {
    execFileSync("go", ["install", ACTIONLINT], {
      env: { ...process.env, GOBIN: folder, GOFLAGS: "", CGO_ENABLED: "0" },
      stdio: "pipe",
      timeout: 300_000,
    });
    return path;
  } catch {
    return undefined;
  }
}

test.each([
  ["this repository's", ROOT],
  ["the example's", EXAMPLE],
])("actionlint finds nothing in %s workflows", (_, from) => {
  const linter = actionlint();
  if (linter === undefined) {
    console.warn(
      "actionlint is skipped: it is built with Go, which is not here or does not reach its modules",
    );
    return;
  }
  // The linter looks for the root of a repository.
  const folder = mkdtempSync(join(tmpdir(), "pulumi-posthog-"));
  try {
    cpSync(join(from, ".github"), join(folder, ".github"), { recursive: true });
    execFileSync("git", ["init", "-q", folder]);
    expect(execFileSync(linter, ["-no-color"], { cwd: folder, encoding: "utf8" })).toBe("");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
