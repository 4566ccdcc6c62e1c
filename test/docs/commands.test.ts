import { execFileSync } from "node:child_process";
import { ensureBuilt } from "../package/built";
import { enginePath, engineSearchPath } from "../support/engine";
import { follow, NOT_RUN, runs } from "./follow";
import { blocks, pages } from "./pages";
import { linesOf } from "./reader";
import { guarded, visits } from "./visits";

beforeAll(ensureBuilt);

test("every page with commands is followed, and what is not run is on a page", () => {
  const withCommands = pages().filter((page) =>
    page.snippets.some(({ language, text }) => runs(language, text)),
  );
  expect(withCommands.map(({ path }) => path)).toEqual(Object.keys({ ...visits, ...guarded }).sort());
  const lines = blocks("sh").flatMap(({ text }) => linesOf(text));
  expect(Object.keys(NOT_RUN).filter((line) => !lines.includes(line))).toEqual([]);
});

test("no block of code is hidden from these tests by its indentation or its language", () => {
  expect(pages().filter(({ text }) => /^[ \t]+```/m.test(text))).toEqual([]);
  const languages = pages().flatMap(({ snippets }) => snippets.map(({ language }) => language));
  // Of these, `sql` is for a warehouse, and `text` for the eye.
  expect([...new Set(languages)].sort()).toEqual(["json", "sh", "sql", "text", "typescript", "yaml"]);
});

test.each(Object.entries(visits))("every command of %s does what the page says", follow);

test.each(Object.keys(NOT_RUN).filter((line) => line.startsWith("pulumi ")))(
  "%s is a command of Pulumi",
  (line) => {
    const [, command] = /^pulumi ((?:[a-z]+ )*?[a-z]+) (?:"|terraform-)/.exec(line) ?? [];
    const said = execFileSync(enginePath(), [...(command ?? "").split(" "), "--help"], {
      encoding: "utf8",
      env: { ...process.env, PATH: engineSearchPath(), PULUMI_SKIP_UPDATE_CHECK: "true" },
    });
    expect(said).toContain(`pulumi ${command ?? "?"}`);
  },
);
