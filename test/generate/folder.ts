import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { Stack, type StackOptions } from "../support/stack";
import { spawned, type Ended } from "../support/spawned";
import { ROOT } from "../support/engine";
import type { Emulator } from "../support/emulator";

/** As `generate` writes it, besides `node_modules` and the stack's own files. */
const TIMEOUT_MS = 300_000;
const LINT = `import eslint from "@eslint/js";
import tseslint from "typescript-eslint";
export default tseslint.config(
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
);
`;

/** A folder that the command writes to, inside this package so that its programs find it by its name. */
export class ProgramFolder {
  readonly path = join(ROOT, ".local", "test", randomBytes(6).toString("hex"));

  constructor(private readonly emulator: Emulator) {
    mkdirSync(join(this.path, "backend"), { recursive: true });
    // The program has a package.json of its own, so it finds this package only where it is installed.
    mkdirSync(join(this.path, "node_modules"));
    symlinkSync(ROOT, join(this.path, "node_modules", "pulumi-posthog"), "junction");
  }

  /** Runs `pulumi-posthog generate` for a stack called `test`. */
  async generate(
    flags: readonly string[] = [],
    env: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Ended> {
    const args = [
      join(ROOT, "dist", "cli", "main.js"),
      "generate",
      "--out",
      this.path,
      "--stack",
      "test",
      ...flags,
    ];
    return await spawned(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...this.emulator.environment, ...env },
      timeoutMs: TIMEOUT_MS,
    }).done;
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), "utf8");
  }

  /** Texts of all files that the command wrote. */
  files(): Record<string, string> {
    const names = readdirSync(this.path, { withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(names.map(({ name }) => [name, this.read(name)]));
  }

  /** Names of all resources of the program, as `TYPE name`. */
  resources(): string[] {
    const text = Object.entries(this.files())
      .filter(([name]) => name.endsWith(".ts"))
      .map(([, one]) => one)
      .join("\n");
    return [...text.matchAll(/new posthog\.(\w+)\(\s*"([^"]+)"/g)].map(([, type, name]) => `${type} ${name}`);
  }

  /** What the compiler finds wrong, at its strictest. */
  compilerErrors(): string[] {
    const config = ts.readConfigFile(join(this.path, "tsconfig.json"), ts.sys.readFile);
    const { options, fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, this.path);
    const strictest: ts.CompilerOptions = {
      ...options,
      noPropertyAccessFromIndexSignature: true,
      noUnusedParameters: true,
      noImplicitReturns: true,
      isolatedModules: true,
    };
    const program = ts.createProgram(fileNames, strictest);
    return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
      return `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  }

  /** What the linter finds wrong by its strictest rules, and which file the formatter would change. */
  lintErrors(): string[] {
    const config = join(this.path, "eslint.config.mjs");
    writeFileSync(config, LINT);
    const run = (file: string, args: readonly string[]): string[] => {
      const all = [join(ROOT, "node_modules", file), ...args];
      const { status, stdout, stderr } = spawnSync(process.execPath, all, {
        cwd: this.path,
        encoding: "utf8",
      });
      return status === 0 && stdout === "" ? [] : [stdout + stderr];
    };
    try {
      return [
        ...run("eslint/bin/eslint.js", ["--max-warnings", "0", "*.ts"]),
        ...run("prettier/bin/prettier.cjs", [
          ...["--check", "--log-level", "warn", "--ignore-path", "none"],
          ...["*.ts", "README.md"],
        ]),
      ];
    } finally {
      rmSync(config);
    }
  }

  /** A stack of the program, as a person makes it who follows its README. */
  async stack(options: Pick<StackOptions, "timeoutMs"> = {}): Promise<Stack> {
    const stack = new Stack(this.path, { emulator: this.emulator, ...options });
    // It is a TypeScript program: what the tests preload elsewhere would hide the compiler from it.
    stack.env["NODE_OPTIONS"] = undefined;
    stack.env["TEST_PROGRAM"] = undefined;
    // Its place stands in its configuration file.
    for (const name of ["POSTHOG_HOST", "POSTHOG_ORGANIZATION_ID", "POSTHOG_PROJECT_ID"])
      stack.env[name] = undefined;
    await stack.cli(["stack", "init", "test"], { check: true });
    const secrets = this.secretsToSet().map((key) => [key, { secret: `given for ${key}` }] as const);
    await stack.setAllConfig(Object.fromEntries(secrets));
    return stack;
  }

  /** Keys that the README asks to be set. */
  secretsToSet(): string[] {
    return [...this.read("README.md").matchAll(/^pulumi config set --secret (\S+)$/gm)].map(
      ([, key = ""]) => key,
    );
  }

  close(): void {
    if (existsSync(this.path))
      rmSync(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
