import { execFile, spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../support/engine";

/** The version that the committed module files build. */
export const VERSION = "3.259.0";

/** A folder with the few tools that the engine finder may find, a cache, and a home, apart from this machine's own. */
export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), "engine-"));
  readonly bin = this.made("bin");
  readonly home = this.made("home");
  readonly cache = join(this.folder, "cache");
  readonly env: Record<string, string> = {
    PATH: this.bin,
    HOME: this.home,
    PULUMI_POSTHOG_CACHE: this.cache,
    PULUMI_POSTHOG_OFFLINE: "1",
  };
  private readonly children = new Set<ChildProcess>();

  constructor() {
    symlinkSync(process.execPath, join(this.bin, "node"));
  }

  /** Puts a shell script on PATH. */
  tool(name: string, script: string, folder = this.bin): string {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /**
   * A `go` that builds, in no time, a CLI that says its version and a language host that says its port. It writes a
   * line to `builds` for each.
   */
  go({ version = "1.26.0", toolchain = "auto", before = "", cli = `echo v${VERSION}` } = {}): void {
    this.tool(
      "go",
      `if [ "$1" = env ]; then echo go${version}; echo ${toolchain}; exit 0; fi
while [ "$1" != "-o" ]; do shift; done
echo "$3" >> "${this.folder}/builds"
${before}
case "$3" in
  *language-nodejs) echo '#!/bin/sh\necho 12345' > "$2" ;;
  *) echo '#!/bin/sh\n${cli}' > "$2" ;;
esac
/bin/chmod +x "$2"`,
    );
  }

  /** A shell command that takes until `end` is called, or until this workshop is gone. */
  waiting(name: string): { readonly command: string; end(): void } {
    const file = join(this.folder, name);
    writeFileSync(file, "");
    return {
      command: `while [ -e "${file}" ]; do /bin/sleep 0.05; done`,
      end: () => rmSync(file),
    };
  }

  /** Packages that `go` was asked to build. */
  get builds(): string[] {
    const file = join(this.folder, "builds");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }

  /** Starts the engine finder; `said` is what it printed so far. */
  start(): {
    child: ChildProcess;
    said: () => string;
    done: Promise<{ code: number; path: string; said: string }>;
  } {
    const child = spawn(process.execPath, [join(ROOT, "scripts", "engine.mjs")], {
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.children.add(child);
    let path = "";
    let said = "";
    child.stdout.on("data", (chunk) => (path += String(chunk)));
    child.stderr.on("data", (chunk) => (said += String(chunk)));
    const done = new Promise<{ code: number; path: string; said: string }>((resolve) => {
      child.on("close", (code) => {
        this.children.delete(child);
        resolve({ code: code ?? -1, path: path.trim(), said });
      });
    });
    return { child, said: () => said, done };
  }
  find(): Promise<{ code: number; path: string; said: string }> {
    return this.start().done;
  }

  close(): void {
    for (const child of this.children) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  private made(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    return folder;
  }
}

/** Runs a line of an ES module that uses the scripts, and reads the JSON that it prints. */
export function evaluate(module: string, expression: string): Promise<unknown> {
  const text = `import * as m from ${JSON.stringify(join(ROOT, "scripts", module))};
    console.log(JSON.stringify(await (async () => (${expression}))().catch((error) => ({ error: error.message })) ?? null));`;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ["--input-type=module", "-e", text], (error, stdout, stderr) => {
      if (error) reject(new Error(stderr, { cause: error }));
      else resolve(JSON.parse(stdout));
    });
  });
}
