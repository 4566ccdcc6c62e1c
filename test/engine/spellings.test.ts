import { startEmulator, type Emulator } from "../../src/emulator";
import { spellings, spelt } from "../guarantees/spellings";
import { applied, configureFor } from "./provider";

// The table of test/guarantees/perpetual-differences.test.ts with the provider alone: quick enough to take every
// normaliser out in turn (scripts/mutate-normalisers.mjs).

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
  configureFor(emulator);
});
afterAll(() => emulator.close());

test("the table is as large as it has to be", () => {
  expect(spellings.length).toBeGreaterThanOrEqual(100);
  expect(new Set(spellings.map((spelling) => spelling.class)).size).toBe(9);
  const titles = spellings.map((spelling) => `${spelling.class} ${spelling.title}`);
  expect(new Set(titles).size).toBe(titles.length);
});

test.each(spellings.map((spelling) => [spelling.class, spelling.title, spelling] as const))(
  "%s: %s is no difference",
  async (kind, title, { args }) => {
    const known = {
      LOGO: emulator.store.media.all()[0]?.id ?? "",
      PROJECT: emulator.environment.POSTHOG_PROJECT_ID,
      USER: emulator.store.users.find((user) => user.first_name === "Alan")?.uuid ?? "",
    };
    const result = await applied(kind, title, spelt(args, known));
    const warnings = result.said.filter((line) => !/ waits? until /.test(line) && !/manages the same/.test(line));
    expect(warnings).toEqual([]);
    expect(result.again).toMatchObject({ changes: false, replaces: [] });
    expect(result.drift).toBeUndefined();
    expect(result.afterRead).toMatchObject({ changes: false, replaces: [] });
  },
);
