import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { ROOT } from "../support/engine";
import { Stack, type StackOptions } from "../support/stack";

const exec = promisify(execFile);
const INSTALL_TIMEOUT_MS = 500_000;

const manifest = z.object({ version: z.string() });

/** Version of a development dependency, which npm has in its cache since it was installed here. */
function installedVersion(name: string): string {
  return manifest.parse(createRequire(__filename)(`${name}/package.json`)).version;
}

const packed = z
  .tuple([
    z.object({ filename: z.string(), files: z.array(z.object({ path: z.string(), mode: z.number() })) }),
  ])
  .transform(([one]) => one);

/** What `npm pack` makes of the package. */
export interface Tarball {
  readonly path: string;
  /** Paths of its files. */
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/**
 * The packed package, installed by npm outside of this repository: what is not declared as a dependency is not found
 * there.
 */
export class Installed {
  private constructor(
    private readonly folder: string,
    readonly tarball: Tarball,
    /** A program's folder with nothing but `package.json` and `node_modules`. */
    readonly fresh: string,
  ) {}

  static async make(): Promise<Installed> {
    // The link of a temporary folder (macOS has one) would look like another folder to the language host.
    const folder = await mkdtemp(join(await realpath(tmpdir()), "pulumi-posthog-"));
    const { stdout } = await npm(ROOT, ["pack", "--ignore-scripts", "--json", "--pack-destination", folder]);
    const { filename, files } = packed.parse(JSON.parse(stdout));
    const tarball = { path: join(folder, filename), files };
    const fresh = join(folder, "fresh");
    await mkdir(fresh);
    await writeFile(join(fresh, "package.json"), JSON.stringify({ name: "fresh", private: true }));
    const others = ["@pulumi/pulumi", "typescript", "@types/node"].map(
      (name) => `${name}@${installedVersion(name)}`,
    );
    const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    await npm(fresh, ["install", ...quiet, tarball.path, ...others]);
    return new Installed(folder, tarball, fresh);
  }

  /** A program of its own, with a copy of what was installed, and a stack for it. */
  async program(
    name: string,
    given: {
      readonly files: Readonly<Record<string, string>>;
      readonly main: string;
      readonly esm?: boolean;
    },
    options: StackOptions,
  ): Promise<Stack> {
    const folder = join(this.folder, name);
    await cp(this.fresh, folder, { recursive: true, verbatimSymlinks: true });
    await mkdir(join(folder, "backend"));
    const files = {
      "Pulumi.yaml": JSON.stringify({ name: "posthog-test", runtime: "nodejs", main: given.main }),
      ...(given.esm === true
        ? { "package.json": JSON.stringify({ name, private: true, type: "module" }) }
        : {}),
      ...given.files,
    };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const stack = new Stack(folder, options);
    // A fresh program runs without what the tests preload elsewhere to save time.
    stack.env["NODE_OPTIONS"] = undefined;
    await stack.cli(["stack", "init", "test"], { check: true });
    if (options.config) await stack.setAllConfig(options.config);
    return stack;
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Runs npm as a person would, not as a part of the `npm test` that runs this. */
export async function npm(cwd: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(package|lifecycle|config_local_prefix|command)/.test(name),
    ),
  );
  const shell = process.platform === "win32";
  return exec(shell ? "npm.cmd" : "npm", [...args], {
    cwd,
    env,
    shell,
    timeout: INSTALL_TIMEOUT_MS,
    maxBuffer: 1 << 26,
  });
}
