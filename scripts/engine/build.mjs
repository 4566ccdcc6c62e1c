// @ts-check
import { copyFile, chmod, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, tail } from "../lib/run.mjs";
import { digest } from "./cache.mjs";
import { LANGUAGE_HOST, LAUNCHER, atLeast, executable, hostStarts, versionOf } from "./probe.mjs";

/** The committed modules: one folder a binary, since the two need different versions of the same SDK. */
const MODULES = fileURLToPath(new URL(".", import.meta.url));
const CLI_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
const HOST_PACKAGE = "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs";
const VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";
/** From this version on, Go fetches a newer toolchain that a module asks for by itself. */
const OLDEST_GO_THAT_UPGRADES = "1.21.0";
const BUILD_TIMEOUT_MS = 40 * 60_000;
const SIGN_OF_LIFE_MS = 30_000;

/**
 * @typedef {object} Recipe
 * @property {string} version Version of the CLI, such as `3.259.0`.
 * @property {string} go Oldest Go that builds it.
 * @property {string} hash Short name of the committed module files.
 * @property {string} modules The folder with `cli/` and `host/`.
 */

/**
 * Reads version and needs from the committed module files, which are the one place that says them.
 *
 * @param {string} [modules]
 * @returns {Promise<Recipe>}
 */
export async function readRecipe(modules = MODULES) {
  const names = ["cli", "host"].flatMap((m) => ["go.mod", "go.sum", "tools.go"].map((file) => join(m, file)));
  const texts = await Promise.all(names.map((name) => readFile(join(modules, name))));
  const mod = await readFile(join(modules, "cli", "go.mod"), "utf8");
  const version = /github\.com\/pulumi\/pulumi\/pkg\/v3 v(\S+)/.exec(mod)?.[1];
  const go = /^go (\S+)$/m.exec(mod)?.[1];
  if (version === undefined || go === undefined)
    throw new Error(`${modules}cli/go.mod names no version of Pulumi or Go`);
  return { version, go, hash: digest(texts), modules };
}

/**
 * Why `go` cannot build the engine, or `undefined` where it can.
 *
 * @param {string} needed
 * @param {NodeJS.ProcessEnv} env
 */
export async function goProblem(needed, env) {
  const { code, stdout } = await run("go", ["env", "GOVERSION", "GOTOOLCHAIN"], { env, timeoutMs: 60_000 });
  if (code !== 0) return `Go is not installed (${needed} or newer is needed)`;
  const [version = "", toolchain = ""] = stdout.split("\n").map((line) => line.trim().replace(/^go/, ""));
  if (atLeast(version, needed)) return undefined;
  if (atLeast(version, OLDEST_GO_THAT_UPGRADES) && toolchain !== "local") return undefined;
  const upgrade = toolchain === "local" ? " and GOTOOLCHAIN=local keeps it from fetching a newer one" : "";
  return `Go ${version || "of unknown version"} is too old (${needed} or newer is needed)${upgrade}`;
}

/**
 * Builds CLI and language host into `folder` and puts the dynamic provider's launcher beside them.
 *
 * @param {string} folder
 * @param {Recipe} recipe
 * @param {{ env: NodeJS.ProcessEnv, log: (line: string) => void }} how
 */
export async function buildEngine(folder, recipe, { env, log }) {
  const started = Date.now();
  const alive = setInterval(() => {
    log(`  still building, ${Math.round((Date.now() - started) / 1000)} s so far`);
  }, SIGN_OF_LIFE_MS);
  try {
    const flags = `-s -w -X ${VERSION_VARIABLE}=v${recipe.version}`;
    await goBuild(join(recipe.modules, "cli"), join(folder, executable("pulumi")), flags, CLI_PACKAGE, env);
    log("  the CLI is built; now its language host (about 20 s)");
    await goBuild(join(recipe.modules, "host"), join(folder, LANGUAGE_HOST), "-s -w", HOST_PACKAGE, env);
  } finally {
    clearInterval(alive);
  }
  // Copied, not linked: the folder outlives this clone.
  const sdk = createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json");
  await copyFile(join(sdk, "..", LAUNCHER), join(folder, LAUNCHER));
  await chmod(join(folder, LAUNCHER), 0o755);
}

/**
 * @param {string} module
 * @param {string} output
 * @param {string} ldflags
 * @param {string} pkg
 * @param {NodeJS.ProcessEnv} env
 */
async function goBuild(module, output, ldflags, pkg, env) {
  const outcome = await run(
    "go",
    ["build", "-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags", ldflags, "-o", output, pkg],
    {
      cwd: module,
      // What somebody set for their own Go work (another target, a workspace, flags) must not reach this build.
      env: { ...env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "", GOOS: "", GOARCH: "", GO111MODULE: "on" },
      timeoutMs: BUILD_TIMEOUT_MS,
    },
  );
  if (outcome.code === 0) return;
  const why = outcome.code === 124 ? "took too long" : `failed with exit code ${outcome.code}`;
  throw new Error(`\`go build ${pkg}\` ${why}:\n${tail(outcome)}`);
}

/**
 * Says what is wrong with a built engine.
 *
 * @param {string} folder
 * @param {string} version
 */
export async function builtProblem(folder, version) {
  const said = await versionOf(join(folder, executable("pulumi")));
  if ("problem" in said) return `pulumi: ${said.problem}`;
  if (said.version !== version) return `pulumi is ${said.version}, not ${version}`;
  if (!(await hostStarts(join(folder, LANGUAGE_HOST)))) return `${LANGUAGE_HOST} does not start`;
  return undefined;
}
