import { z } from "zod";
import type { Named } from "./names";

/** The file that remembers what was written; it belongs into version control with the program. */
export const MANIFEST = "pulumi-posthog.generated.json";

const manifest = z.strictObject({
  version: z.literal(1),
  /** Where it was read from: another account's objects have nothing to do in the same program. */
  host: z.string(),
  organization: z.string().optional(),
  /** Fingerprints of each file as it was written; two while a run is writing it. */
  files: z.record(z.string(), z.array(z.string())),
  /** Logical name, variable and file of each object that was written. */
  resources: z.record(z.string(), z.tuple([z.string(), z.string(), z.string()])),
});

/** What an earlier run wrote. */
export type Manifest = z.infer<typeof manifest>;

/** A manifest that no run of this version wrote. */
export class ManifestError extends Error {
  override name = "ManifestError";
}

/** @throws ManifestError where the text is none */
export function parseManifest(text: string): Manifest {
  try {
    return manifest.parse(JSON.parse(text));
  } catch (error) {
    throw new ManifestError(
      `${MANIFEST} cannot be read, so it is not known which files were edited. Restore it from version control, or ` +
        `write everything anew with --force.`,
      { cause: error },
    );
  }
}

/** The text of a manifest: keys in order, so that version control shows what changed. */
export function printManifest(given: Manifest): string {
  const inOrder = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  const lines = Object.entries(inOrder(given.resources)).map(
    ([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  const head = JSON.stringify({ ...given, files: inOrder(given.files), resources: {} }, null, 2);
  return `${head.replace(/"resources": \{\}/, () => `"resources": {${lines.length === 0 ? "" : `\n${lines.join(",\n")}\n  `}}`)}\n`;
}

/** The names that an earlier run gave out. */
export function namesOf(given: Manifest | undefined): Map<string, Named> {
  const entries = Object.entries(given?.resources ?? {});
  return new Map(entries.map(([key, [name, identifier]]) => [key, { name, identifier }]));
}
