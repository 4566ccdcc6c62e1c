import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./engine";

/** Puts the package's command into a folder as `npm install` does, so that `npx pulumi-posthog` finds it there. */
export function installCommand(folder: string): void {
  const bin = join(folder, "node_modules", ".bin", "pulumi-posthog");
  mkdirSync(join(folder, "node_modules", ".bin"), { recursive: true });
  writeFileSync(bin, `#!/bin/sh\nexec node "${join(ROOT, "dist", "cli", "main.js")}" "$@"\n`);
  chmodSync(bin, 0o755);
}
