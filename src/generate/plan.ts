import type { Available, Use } from "./code";
import { fingerprint } from "./format";
import type { Manifest } from "./manifest";
import { KINDS } from "./kinds";
import { SETTINGS, type Program, type Statement } from "./program";
import { importsOf, renderArea, renderIndex, renderStatements, usesIn } from "./render";

/** What becomes of one file. */
export type Fate =
  /** Written, new or over what an earlier run wrote. */
  | "write"
  /** Edited by people: what is new is added at its end. */
  | "extend"
  /** Edited, or deleted, by people: left alone. */
  | "keep"
  /** Written by an earlier run and holding nothing any more. */
  | "remove"
  /** There before, and not ours. */
  | "conflict";

/** One file and what becomes of it. */
export interface FilePlan {
  readonly path: string;
  readonly fate: Fate;
  /** What it is to hold, or to get at its end, before that is formatted; undefined where it is left alone. */
  readonly text: string | undefined;
  /** Imports that a file which is extended lacks. */
  readonly imports?: string;
  /** Keys of the declarations that it gets at its end. */
  readonly added: readonly string[];
}

/** What is known before anything is written. */
export interface Situation {
  readonly program: Program;
  /** Files besides those of the resources, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Files that belong to people as soon as they exist: nothing is ever written over them. */
  readonly once: ReadonlyMap<string, string>;
  /** What is in the folder now, by path; files that do not exist are missing. */
  readonly disk: ReadonlyMap<string, string>;
  readonly manifest: Manifest | undefined;
  readonly force: boolean;
  /** Areas of kinds that could not be read: what an earlier run wrote of them stays. */
  readonly unreadAreas: ReadonlySet<string>;
}

/** Decides what becomes of each file; nothing is written here. */
export async function planFiles(situation: Situation): Promise<FilePlan[]> {
  const { program, texts, once, disk, manifest, force, unreadAreas } = situation;
  const areas = [...program.areas.keys()];
  const fates = new Map<string, Fate>();
  for (const area of areas)
    fates.set(fileOf(area), await fateOf(fileOf(area), situation, unreadAreas.has(area)));
  for (const path of ["index.ts", ...texts.keys()]) fates.set(path, await fateOf(path, situation, false));
  const available = availableIn(situation, fates);
  const plans: FilePlan[] = [];
  for (const [area, statements] of program.areas) {
    plans.push(planArea(area, statements, fates.get(fileOf(area)) ?? "write", situation, available));
  }
  const present = areas.filter((area) => isThere(fileOf(area), fates, disk));
  const kept = Object.keys(manifest?.files ?? {}).filter(
    (path) => path.endsWith(".ts") && path !== "index.ts" && !areas.includes(path.slice(0, -3)),
  );
  for (const path of kept) {
    const isUnread = unreadAreas.has(path.slice(0, -3));
    const isOurs = await isUntouched(path, disk.get(path), manifest);
    const stays = disk.has(path) && (isUnread || !(isOurs || force));
    if (stays) present.push(path.slice(0, -3));
    plans.push({ path, fate: stays ? "keep" : "remove", text: undefined, added: [] });
  }
  const order = KINDS.map(({ area }) => area);
  const loaded = present
    .filter((area) => area !== SETTINGS)
    .sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const own = new Map([["index.ts", renderIndex(loaded)], ...texts]);
  for (const [path, text] of own) {
    const fate = fates.get(path) ?? "write";
    plans.push({
      path,
      fate: fate === "extend" ? "keep" : fate,
      text: fate === "write" ? text : undefined,
      added: [],
    });
  }
  for (const [path, text] of once) {
    const isNew = !disk.has(path) && manifest?.files[path] === undefined;
    plans.push({ path, fate: isNew ? "write" : "keep", text: isNew ? text : undefined, added: [] });
  }
  return plans;
}

function fileOf(area: string): string {
  return `${area}.ts`;
}

async function fateOf(path: string, situation: Situation, isUnread: boolean): Promise<Fate> {
  const { disk, manifest, force } = situation;
  const there = disk.get(path);
  const isKnown = manifest?.files[path] !== undefined;
  if (there === undefined) return isKnown && !force ? "keep" : "write";
  // What could not be read is in the file all the same: it is neither dropped nor known well enough to be written anew.
  if (isUnread && isKnown) return "extend";
  if (force || (await isUntouched(path, there, manifest))) return "write";
  return isKnown ? "extend" : "conflict";
}

async function isUntouched(
  path: string,
  there: string | undefined,
  manifest: Manifest | undefined,
): Promise<boolean> {
  const written = manifest?.files[path];
  return there !== undefined && written !== undefined && written.includes(await fingerprint(path, there));
}

/** Names that other files may use: those of files that are written, and what edited files still export. */
function availableIn({ program, disk, manifest }: Situation, fates: ReadonlyMap<string, Fate>): Available {
  return ({ name, from }: Use): boolean => {
    const path = fileOf(from);
    const fate = fates.get(path);
    const declared = (program.areas.get(from) ?? []).find(({ identifier }) => identifier === name);
    if (fate === "write") return declared !== undefined;
    const there = disk.get(path);
    if (there === undefined) return false;
    const isNew = declared !== undefined && !isWritten(declared.key, manifest);
    return (fate === "extend" && isNew) || isExported(there, name);
  };
}

function isWritten(key: string, manifest: Manifest | undefined): boolean {
  return manifest?.resources[key] !== undefined;
}

/** Whether a text exports a name, as far as it can be told without a compiler. */
function isExported(text: string, name: string): boolean {
  const declared = new RegExp(
    `\\bexport\\s+(?:const|let|var|function|class)\\s+${escaped(name)}(?![\\p{ID_Continue}$])`,
    "u",
  );
  const listed = new RegExp(
    `\\bexport\\s*\\{[^}]*(?<![\\p{ID_Continue}$])${escaped(name)}(?![\\p{ID_Continue}$])[^}]*\\}`,
    "u",
  );
  return declared.test(text) || listed.test(text);
}

function escaped(name: string): string {
  return name.replaceAll("$", "\\$");
}

function planArea(
  area: string,
  statements: readonly Statement[],
  fate: Fate,
  { disk, manifest }: Situation,
  available: Available,
): FilePlan {
  const path = fileOf(area);
  if (fate === "write") return { path, fate, text: renderArea(statements, area, available), added: [] };
  if (fate !== "extend") return { path, fate, text: undefined, added: [] };
  const there = disk.get(path) ?? "";
  const added = statements.filter(({ key }) => !isWritten(key, manifest));
  if (added.length === 0) return { path, fate: "keep", text: undefined, added: [] };
  const missing = usesIn(added, area, available).filter((use) => !imports(there, use));
  const head = importsOf(missing)
    .map((line) => `${line}\n`)
    .join("");
  const keys = added.map(({ key }) => key);
  return { path, fate, text: renderStatements(added, available), imports: head, added: keys };
}

function imports(text: string, { name, from, as }: Use): boolean {
  const module = from.startsWith("@") || from === "pulumi-posthog" ? from : `./${from}`;
  const imported = as === undefined ? escaped(name) : `\\*\\s*as\\s+${as}`;
  const line = new RegExp(
    `\\bimport\\b[^;]*(?<![\\p{ID_Continue}$])${imported}(?![\\p{ID_Continue}$])[^;]*["']${module}["']`,
    "u",
  );
  return line.test(text);
}

function isThere(path: string, fates: ReadonlyMap<string, Fate>, disk: ReadonlyMap<string, string>): boolean {
  const fate = fates.get(path);
  return fate === "write" || fate === "conflict" || disk.has(path);
}
