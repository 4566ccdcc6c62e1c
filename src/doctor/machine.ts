import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { run } from "./command";
import { failed, ok, skipped, type Finding } from "./finding";
import { isAtLeast } from "./versions";
import { ownManifest } from "../own-manifest";

/** Whether this Node is new enough. */
export function checkNode(version: string = process.versions.node): Finding {
  const oldest = ownManifest().engines.node.replace(/^>=\s*/, "");
  return isAtLeast(version, oldest)
    ? ok("node", `Node ${version}`)
    : failed("node", `Node ${version} is too old`, `Install Node ${oldest} or newer: https://nodejs.org/.`);
}

/** Whether the Pulumi CLI is there and new enough. */
export async function checkEngine(folder: string): Promise<Finding> {
  const oldest = /\d+\.\d+\.\d+/.exec(ownManifest().peerDependencies["@pulumi/pulumi"])?.[0] ?? "";
  const install = `Install Pulumi ${oldest} or newer, so that pulumi version works in this terminal: https://www.pulumi.com/docs/install/.`;
  const { code, stdout } = await run("pulumi", ["version"], folder);
  const version = /^v?(\d+\.\d+\.\d+\S*)/.exec(stdout.trim())?.[1];
  if (code === undefined && version === undefined)
    return failed("engine", "pulumi is not on the PATH", install);
  if (version === undefined) return failed("engine", "pulumi version does not say its version", install);
  if (!isAtLeast(version, oldest)) return failed("engine", `Pulumi ${version} is too old`, install);
  return ok("engine", `Pulumi ${version}`);
}

/** The folder of the Pulumi project that a folder belongs to. */
export function projectFolder(folder: string): string | undefined {
  for (let here = folder; ; here = dirname(here)) {
    if (["Pulumi.yaml", "Pulumi.yml"].some((name) => existsSync(join(here, name)))) return here;
    if (dirname(here) === here) return undefined;
  }
}

/** Pulumi compiles with a TypeScript of 2020 where the program brings none: it cannot read today's types. */
function checkCompiler(project: string, find: NodeJS.Require): Finding {
  const found = ok("packages", "the program finds pulumi-posthog and @pulumi/pulumi");
  if (!["index.ts", "tsconfig.json"].some((name) => existsSync(join(project, name)))) return found;
  try {
    find.resolve("typescript");
    return found;
  } catch {
    return failed(
      "packages",
      "the program does not find typescript, and Pulumi's own is too old for today's types (Expected 5 arguments)",
      `Run npm install --save-dev typescript@5 in ${project}.`,
    );
  }
}

/** Whether the program finds this package and Pulumi's: refresh and destroy load the provider from there, too. */
export function checkPackages(project: string | undefined): Finding {
  if (project === undefined) return skipped("packages", "there is no Pulumi project here (no Pulumi.yaml)");
  const find = createRequire(join(project, "package.json"));
  const missing = ["pulumi-posthog/runtime", "@pulumi/pulumi"].filter((name) => {
    try {
      find.resolve(name);
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length === 0) return checkCompiler(project, find);
  const names = missing.map((name) => name.replace("/runtime", ""));
  return failed(
    "packages",
    `the program does not find ${names.join(" and ")}`,
    `Run npm install in ${project}; in a pipeline npm ci, before refresh and destroy as well.`,
  );
}
