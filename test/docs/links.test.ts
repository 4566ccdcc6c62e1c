import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../support/engine";
import { pages } from "./pages";

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
