import { createHash, randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { enginePath, ROOT } from "./engine";

const CREATED = join(ROOT, ".local", "created");
/** Passphrase of all stacks of the tests. */
export const PASSPHRASE = "a passphrase of the tests";

/**
 * Gives `folder` what `pulumi stack init` makes there: the settings, the empty backend, the selection. The first stack
 * of an engine is made by the engine itself (`init`), the others are copies: most of its third of a second is the
 * derivation of a key from the passphrase, which is the same for all.
 */
export async function createStack(folder: string, init: () => Promise<unknown>): Promise<void> {
  const engine = enginePath();
  const project = readFileSync(join(folder, "Pulumi.yaml"), "utf8");
  const made = [engine, String(statSync(engine).mtimeMs), project, PASSPHRASE].join("\n");
  const key = createHash("sha1").update(made).digest("hex");
  const kept = join(CREATED, key);
  if (existsSync(kept)) {
    cpSync(kept, folder, { recursive: true });
    for (const selection of selectionsIn(folder)) move(selection, folder);
    return;
  }
  await init();
  const fresh = `${kept}-${randomBytes(6).toString("hex")}`;
  mkdirSync(fresh, { recursive: true });
  for (const name of [...readdirSync(folder).filter((file) => /^Pulumi\..+\.yaml$/.test(file)), "backend"])
    cpSync(join(folder, name), join(fresh, name), { recursive: true });
  for (const selection of selectionsIn(folder))
    cpSync(selection, join(fresh, "home", "workspaces", basename(selection)));
  try {
    renameSync(fresh, kept);
  } catch {
    rmSync(fresh, { recursive: true }); // another test file was faster
  }
}

/** Where the CLI keeps which stack of a project is selected. */
function selectionsIn(folder: string): string[] {
  const workspaces = join(folder, "home", "workspaces");
  return existsSync(workspaces) ? readdirSync(workspaces).map((name) => join(workspaces, name)) : [];
}

/** The name says the project and the digest of where its file stands, the content says where the backend is. */
function move(selection: string, folder: string): void {
  const place = createHash("sha1").update(join(folder, "Pulumi.yaml")).digest("hex");
  const moved = join(dirname(selection), basename(selection).replace(/[0-9a-f]{40}/, place));
  const text = readFileSync(selection, "utf8").replace(/file:[^"]*/, `file://${join(folder, "backend")}`);
  rmSync(selection);
  writeFileSync(moved, text, { mode: 0o600 });
}
