import { createHash } from "node:crypto";
import type { Options } from "prettier";
import { format } from "prettier/standalone";
import * as estree from "prettier/plugins/estree";
import * as markdown from "prettier/plugins/markdown";
import * as typescript from "prettier/plugins/typescript";

// Prettier, and not the TypeScript printer: it breaks long lines, it is what most people's editors and hooks run
// anyway, and it follows the style of the folder that the program is written to.
const PARSERS: Readonly<Record<string, string>> = { ".ts": "typescript", ".md": "markdown" };
const plugins = [estree, markdown, typescript];

function parserOf(path: string): string | undefined {
  return PARSERS[/\.\w+$/.exec(path)?.[0] ?? ""];
}

/** The text of a file in the style of its folder. */
export async function formatted(path: string, text: string, style: Options = {}): Promise<string> {
  const parser = parserOf(path);
  if (parser === undefined) return text;
  const { plugins: _, overrides: __, ...own }: Options & { overrides?: unknown } = style;
  return await format(text, { ...own, parser, plugins });
}

/**
 * What tells whether a file says the same: its text in one style, so that a formatter which ran over it is no edit. A
 * text that cannot be parsed counts as it is.
 */
export async function fingerprint(path: string, text: string): Promise<string> {
  const parser = parserOf(path);
  const plain = text.replaceAll("\r\n", "\n");
  const same =
    parser === undefined
      ? plain
      : await format(plain, { parser, plugins, objectWrap: "collapse" }).catch(() => plain);
  return createHash("sha256").update(same).digest("hex");
}
