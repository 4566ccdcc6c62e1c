import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "../support/engine";
import { type Snippet, snippets } from "../readme/readme";

const DOCS = join(ROOT, "docs");

/** A page below docs. */
export interface Page {
  /** Path below docs, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly snippets: readonly Snippet[];
}

/** Every page below docs, in the order of their paths. */
export function pages(): Page[] {
  return readdirSync(DOCS, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, "utf8");
      return { path: relative(DOCS, file).replaceAll("\\", "/"), text, snippets: snippets(text) };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Every block of a language, with a name that says where it stands. */
export function blocks(language: string): { name: string; text: string }[] {
  return pages().flatMap((page) =>
    page.snippets
      .filter((snippet) => snippet.language === language)
      .map(({ place, text }) => ({ name: `${page.path}: ${place}`, text })),
  );
}
