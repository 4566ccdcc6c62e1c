import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Options } from "prettier";
import { writeText } from "./folder";
import { fingerprint, formatted } from "./format";
import { MANIFEST, printManifest, type Manifest } from "./manifest";
import type { Names } from "./names";
import type { FilePlan } from "./plan";
import type { Program } from "./program";

/** What a run wrote, for the person who started it. */
export interface Written {
  /** Files whose text is another one than before. */
  readonly changed: readonly string[];
  /** Edited files that got something new at their end, with how much. */
  readonly extended: readonly { readonly path: string; readonly added: number }[];
  /** Files left to people who edited or deleted them, though there is another text for them. */
  readonly kept: readonly string[];
  readonly removed: readonly string[];
}

/** What is written where. */
export interface Writing {
  readonly folder: string;
  readonly plans: readonly FilePlan[];
  readonly program: Program;
  readonly names: Names;
  readonly disk: ReadonlyMap<string, string>;
  readonly before: Manifest | undefined;
  readonly about: { readonly host: string; readonly organizationId: string | undefined };
  /** Style of the folder that is written to. */
  readonly style: Options;
  /** Files that are people's from the start. */
  readonly once: ReadonlySet<string>;
}

/**
 * Writes a plan. The manifest is written first, with the old and the new fingerprint of each file: whenever a run is
 * interrupted, the next one tells what it wrote from what people did.
 */
export async function writeFiles(writing: Writing): Promise<Written> {
  const { folder, plans, disk, before } = writing;
  const texts = new Map<string, string>();
  const files: Record<string, string[]> = {};
  for (const plan of plans) {
    const { path, fate } = plan;
    const earlier = before?.files[path];
    const text = await textOf(plan, disk.get(path), writing.style);
    if (text !== undefined) texts.set(path, text);
    if (fate === "remove") continue;
    files[path] = writing.once.has(path)
      ? []
      : await fingerprintsOf(path, fate, texts.get(path), disk.get(path), earlier);
  }
  const after = { ...identityOf(writing), files, resources: resourcesOf(writing) };
  const both = Object.entries(files).map(([path, prints]) => [
    path,
    [...prints, ...(before?.files[path] ?? [])],
  ]);
  const during = { ...before?.files, ...(Object.fromEntries(both) as Record<string, string[]>) }; // of pairs of these
  await writeText(join(folder, MANIFEST), printManifest({ ...after, files: during }));
  for (const [path, text] of texts) if (disk.get(path) !== text) await writeText(join(folder, path), text);
  for (const { path, fate } of plans) if (fate === "remove") await rm(join(folder, path), { force: true });
  await writeText(join(folder, MANIFEST), printManifest(after));
  return summary(plans, texts, disk, writing.once);
}

/** What people edited stays as they wrote it, to the letter; only what is added is formatted. */
async function textOf(
  plan: FilePlan,
  there: string | undefined,
  style: Options,
): Promise<string | undefined> {
  const { path, fate, text, imports = "" } = plan;
  if (text === undefined) return undefined;
  const printed = await formatted(path, text, style);
  return fate === "extend" ? `${imports}${(there ?? "").trimEnd()}\n\n${printed}` : printed;
}

function identityOf({ about }: Writing): Pick<Manifest, "version" | "host" | "organization"> {
  const { host, organizationId } = about;
  return { version: 1, host, ...(organizationId === undefined ? {} : { organization: organizationId }) };
}

/** A file that people edited keeps the fingerprint of what was written: that is how the next run knows. */
async function fingerprintsOf(
  path: string,
  fate: FilePlan["fate"],
  text: string | undefined,
  there: string | undefined,
  earlier: readonly string[] | undefined,
): Promise<string[]> {
  if (fate === "write" && text !== undefined) return [await fingerprint(path, text)];
  if (fate === "extend" && text !== undefined && there !== undefined) {
    const isUntouched = earlier?.includes(await fingerprint(path, there)) === true;
    if (isUntouched) return [await fingerprint(path, text)];
  }
  return [...(earlier ?? [])];
}

/** Names of all that the program holds: of files that are left alone, what an earlier run knew of them. */
function resourcesOf({ program, plans, names, before }: Writing): Manifest["resources"] {
  const resources: Manifest["resources"] = {};
  const fates = new Map(plans.map(({ path, fate }) => [path, fate]));
  for (const [key, entry] of Object.entries(before?.resources ?? {})) {
    const fate = fates.get(entry[2]);
    if (fate === "keep" || fate === "extend") resources[key] = entry;
  }
  for (const [area, statements] of program.areas) {
    const path = `${area}.ts`;
    const plan = plans.find((one) => one.path === path);
    for (const { key, identifier } of statements) {
      if (plan?.fate !== "write" && plan?.added.includes(key) !== true) continue;
      resources[key] = [names.all().get(key)?.name ?? identifier, identifier, path];
    }
  }
  return resources;
}

function summary(
  plans: readonly FilePlan[],
  texts: ReadonlyMap<string, string>,
  disk: ReadonlyMap<string, string>,
  once: ReadonlySet<string>,
): Written {
  const changed = plans.filter(({ path }) => texts.has(path) && texts.get(path) !== disk.get(path));
  return {
    changed: changed.filter(({ fate }) => fate === "write").map(({ path }) => path),
    extended: changed
      .filter(({ fate }) => fate === "extend")
      .map(({ path, added }) => ({ path, added: added.length })),
    kept: plans.filter(({ path, fate }) => fate === "keep" && !once.has(path)).map(({ path }) => path),
    removed: plans.filter(({ fate }) => fate === "remove").map(({ path }) => path),
  };
}
