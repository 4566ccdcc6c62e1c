import type { Options } from "prettier";
import { join } from "node:path";
import { clientOf, settingsOf } from "../engine/requests/connection";
import { textAt } from "../engine/values/json";
import { CURRENT } from "../engine/requests/organization";
import { readFiles, readText } from "./folder";
import { KINDS } from "./kinds";
import { MANIFEST, namesOf, parseManifest, type Manifest } from "./manifest";
import { Names, slug } from "./names";
import { planFiles, type FilePlan } from "./plan";
import { programOf, type Program, type ProgramOptions } from "./program";
import { readExisting, type Question, type Reading } from "./read";
import type { Selection } from "./select";
import { compilerFile, ignoreFile, packageFile, projectFile, readme, stackFile, type About } from "./texts";
import { writeFiles, type Written } from "./write";
import { ownManifest } from "../own-manifest";

/** What a run is asked for. */
export interface GenerateOptions extends ProgramOptions {
  /** Folder of the program. */
  readonly folder: string;
  /** UUID, slug or `@current`; undefined: as configured, else the one that the key's owner looks at. */
  readonly organization: string | undefined;
  readonly selection: Selection;
  readonly listsOnly: boolean;
  /** Name of the stack whose configuration is written. */
  readonly stack: string;
  /** Name of the Pulumi project; undefined: by the organization's. */
  readonly projectName: string | undefined;
  /** Whether to write over what people edited. */
  readonly force: boolean;
  readonly progress: Question["progress"];
}

/** What a run did. */
export interface Generated {
  readonly program: Program;
  readonly written: Written;
  readonly reading: Reading;
}

/** The folder holds something that would be lost. Nothing was written. */
export class FolderError extends Error {
  override name = "FolderError";
}

/**
 * Reads an organization and writes the program that takes it over.
 *
 * @throws FolderError, ManifestError or SelectionError where it was asked for what cannot be done, PostHogError where
 *   the service fails
 */
export async function generate(options: GenerateOptions): Promise<Generated> {
  const { folder, force } = options;
  const settings = settingsOf({});
  const client = clientOf({});
  const before = await manifestIn(folder, force);
  refuseOtherHost(before, client.host, folder);
  const reading = await readExisting({
    client,
    organization: options.organization ?? settings.organizationId ?? CURRENT,
    selection: options.selection,
    listsOnly: options.listsOnly,
    known: new Set(Object.keys(before?.resources ?? {})),
    progress: options.progress,
  });
  refuseOtherOrganization(before, reading.organizationId, folder);
  const names = new Names(namesOf(before));
  const program = programOf(reading, names, options);
  const about = aboutOf(reading, client.host, options);
  const once = new Map([
    ["Pulumi.yaml", projectFile(about)],
    [`Pulumi.${options.stack}.yaml`, stackFile(about)],
    ["package.json", packageFile(about)],
    ["tsconfig.json", compilerFile()],
    [".gitignore", ignoreFile()],
  ]);
  const texts = new Map([["README.md", readme(about, program)]]);
  const paths = [...program.areas.keys()].map((area) => `${area}.ts`);
  const known = Object.keys(before?.files ?? {});
  const disk = await readFiles(folder, [...paths, ...once.keys(), ...texts.keys(), ...known, "index.ts"]);
  const unreadAreas = new Set(KINDS.filter(({ type }) => reading.unread.has(type)).map(({ area }) => area));
  const plans = await planFiles({ program, texts, once, disk, manifest: before, force, unreadAreas });
  refuseConflicts(plans, folder);
  const style = await styleOf(folder);
  const given = { folder, plans, program, names, disk, before, about, style };
  const written = await writeFiles({ ...given, once: new Set(once.keys()) });
  return { program, written, reading };
}

async function manifestIn(folder: string, force: boolean): Promise<Manifest | undefined> {
  const text = await readText(join(folder, MANIFEST));
  if (text === undefined) return undefined;
  try {
    return parseManifest(text);
  } catch (error) {
    if (force) return undefined;
    throw error;
  }
}

function refuseOtherHost(before: Manifest | undefined, host: string, folder: string): void {
  if (before === undefined || before.host === host) return;
  throw new FolderError(
    `${folder} holds a program of ${before.host}, and this is ${host}. Choose another folder with --out, or correct ` +
      `POSTHOG_HOST.`,
  );
}

function refuseOtherOrganization(before: Manifest | undefined, id: string | undefined, folder: string): void {
  if (before === undefined || before.organization === undefined || before.organization === id) return;
  throw new FolderError(
    `${folder} holds a program of organization ${before.organization}, and this is ${id ?? "another one"}. Choose ` +
      `another folder with --out, or give --organization ${before.organization}.`,
  );
}

function refuseConflicts(plans: readonly FilePlan[], folder: string): void {
  const paths = plans.filter(({ fate }) => fate === "conflict").map(({ path }) => path);
  if (paths.length === 0) return;
  throw new FolderError(
    `${folder} holds files that generate did not write: ${paths.join(", ")}. Nothing was written. Choose another ` +
      `folder with --out, or write over them with --force.`,
  );
}

function aboutOf(reading: Reading, host: string, options: GenerateOptions): About {
  const { organization, organizationId, projects } = reading;
  const title = textAt(organization, "name") || (projects[0]?.name ?? "") || new URL(host).hostname;
  // A Pulumi project's name takes fewer characters than ours.
  const ascii = slug(title)
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const projectName = options.projectName ?? ["posthog", ...(ascii === "" ? [] : [ascii])].join("-");
  return {
    host,
    organizationId,
    title,
    projects,
    projectName,
    stack: options.stack,
    version: ownManifest().version,
  };
}

/** How the people of this folder format their programs; Prettier's own style where they say nothing. */
async function styleOf(folder: string): Promise<Options> {
  const { resolveConfig } = await import("prettier");
  return (await resolveConfig(join(folder, "index.ts"), { editorconfig: true })) ?? {};
}
