import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureBuilt } from "../package/built";
import { enginePath, engineSearchPath, ROOT } from "../support/engine";
import { blocks, pages } from "./pages";

beforeAll(ensureBuilt);

const lines = [...new Set(blocks("sh").flatMap(({ text }) => text.trim().split("\n")))];

/** What people have from elsewhere. */
const OTHERS = /^(curl|mkdir|unzip) /;

/** The command with its words up to the first that is no command, and its flags. */
function parsed(line: string): { words: string[]; flags: string[] } {
  const words = line.split(" ");
  const end = words.findIndex((word) => !/^[a-z-]+$/.test(word) || word.startsWith("-"));
  return {
    words: end === -1 ? words : words.slice(0, end),
    flags: words.filter((word) => word.startsWith("--")),
  };
}

const helps = new Map<string, string>();

/** What a command says of itself; it fails where there is no such command. */
function helpOf(words: readonly string[]): string {
  const [tool, ...rest] = words;
  const isOurs = tool === "npx";
  const command = isOurs ? process.execPath : enginePath();
  const args = isOurs ? [join(ROOT, "dist", "cli", "main.js"), ...rest.slice(1)] : rest;
  const key = words.join(" ");
  const known = helps.get(key);
  if (known !== undefined) return known;
  const said = execFileSync(command, [...args, "--help"], {
    encoding: "utf8",
    env: { ...process.env, PATH: engineSearchPath(), PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  helps.set(key, said);
  return said;
}

/** Pulumi takes words that are names of a stack or package for arguments: the command is what `--help` starts with. */
const COMMANDS = [
  ...["cancel", "preview", "refresh", "up", "config set", "stack export", "stack import", "state delete"],
  ...["stack change-secrets-provider", "package add"],
].map((command) => `pulumi ${command}`);
const OWN = ["doctor", "emulator", "generate", "import"].map((command) => `npx pulumi-posthog ${command}`);

test.each(lines.filter((line) => !OTHERS.test(line)))("%s", (line) => {
  const command = [...COMMANDS, ...OWN].find((one) => `${line} `.startsWith(`${one} `));
  expect([line, command]).toEqual([line, expect.any(String)]);
  const help = helpOf((command ?? "").split(" "));
  for (const flag of parsed(line).flags) expect(help).toContain(flag);
});

test("every link leads somewhere", () => {
  const broken = pages().flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].flatMap(([whole, target = "", anchor]) => {
      const page = join(ROOT, "docs", path);
      const file = target === "" ? page : join(dirname(page), target);
      if (!existsSync(file)) return [`${path}: ${whole}`];
      if (anchor === undefined) return [];
      const headings = [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w -]/g, "")
          .replaceAll(" ", "-"),
      );
      return headings.includes(anchor) ? [] : [`${path}: ${whole}`];
    }),
  );
  expect(broken).toEqual([]);
});
