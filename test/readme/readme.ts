import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/engine";

/** A fenced block of a page. */
export interface Snippet {
  readonly language: string;
  readonly text: string;
  /** Heading above it, and which of the blocks of its language below that heading it is, from 1. */
  readonly place: string;
  readonly heading: string;
  /** The file that it is, where the sentence above it ends in one's name; undefined for a program or a command. */
  readonly file: string | undefined;
}

const text = readFileSync(join(ROOT, "README.md"), "utf8");

/** Every fenced block of a page; of README unless another is given. */
export function snippets(page = text): Snippet[] {
  const found: Snippet[] = [];
  let heading = "";
  for (const match of page.matchAll(/^##? (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const [, title, language = "", body = ""] = match;
    if (title !== undefined) heading = title;
    else {
      const before = found.filter(
        (other) => other.language === language && other.place.startsWith(`${heading} `),
      );
      const file = /`([\w./-]+\.\w+)`:\s*$/.exec(page.slice(0, match.index))?.[1];
      found.push({ language, text: body, place: `${heading} ${before.length + 1}`, heading, file });
    }
  }
  return found;
}
/** The rows of the table below a heading, cell by cell, without its head. */
export function table(heading: string): string[][] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What a cell holds in backticks. */
export function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}
