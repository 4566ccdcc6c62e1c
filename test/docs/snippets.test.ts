import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../package/built";
import { type Emulator, startEmulator } from "../support/emulator";
import { openStack, type Stack } from "../support/stack";
import { transpiled } from "../support/transpiled";
import { errorsOf } from "./compile";
import { blocks, pages } from "./pages";
import { prepare } from "./scene";

const all = blocks("typescript");
/** Those that are a file of their own, such as a policy pack, are run by the commands of their page. */
const files = new Set(
  pages().flatMap((page) =>
    page.snippets.flatMap(({ place, file }) => (file ? [`${page.path}: ${place}`] : [])),
  ),
);
const programs = all.filter(({ name }) => !files.has(name));

beforeAll(ensureBuilt);

test("every program compiles in strict mode", () => {
  const said = [...errorsOf(all)].filter(([, errors]) => errors.length > 0);
  expect(Object.fromEntries(said)).toEqual({});
  expect(programs.length).toBeGreaterThan(25);
});

describe("all programs of the pages together", () => {
  let emulator: Emulator;
  let stack: Stack;
  beforeAll(async () => {
    emulator = await startEmulator({ members: 6 });
    stack = await openStack({ emulator });
    await prepare(emulator, stack);
    const { POSTHOG_PROJECT_ID, POSTHOG_ORGANIZATION_ID, POSTHOG_API_KEY } = emulator.environment;
    // The page about several accounts names one in the US.
    for (const [key, value, ...secret] of [
      ["host", emulator.url],
      ["projectId", POSTHOG_PROJECT_ID],
      ["organizationId", POSTHOG_ORGANIZATION_ID],
      ["apiKey", POSTHOG_API_KEY, "--secret"],
    ] as const) {
      await stack.cli(["config", "set", "--path", `posthog:connections.us.${key}`, value, ...secret], {
        check: true,
      });
    }
    for (const [index, { text }] of programs.entries()) {
      writeFileSync(join(stack.folder, `${index}.cjs`), transpiled(text));
    }
    stack.program(programs.map((_, index) => `require("./${index}.cjs");`).join("\n"));
  });
  afterAll(async () => {
    await stack.close();
    await emulator.close();
  });

  test("are applied, and nothing is left to change", async () => {
    const up = await stack.up();
    expect([up.code, up.errors]).toEqual([0, ""]);
    expect(emulator.unknownRoutes).toEqual([]);
    expect(await stack.preview({ refresh: true, expectNoChanges: true })).toMatchObject({
      code: 0,
      errors: "",
    });
  });

  test("do what the pages say", () => {
    const { store, capture } = emulator;
    expect(store.tiles.require(34).dashboard_id).not.toBe(12);
    expect(
      store.domains
        .all()
        .map(({ domain, verified_at }) => [domain, verified_at !== null])
        .sort(),
    ).toEqual([
      ["example.com", false],
      ["example.org", true],
      ["shop.example.com", true],
    ]);
    const { names } = capture.summary(emulator.environment.POSTHOG_PROJECT_API_KEY);
    // The same event of Mixpanel comes from two folders and for two keys of a run: each time with the same uuid.
    expect(Object.fromEntries(names.map(({ name, events }) => [name, events]))).toEqual({
      $pageview: expect.any(Number),
      signed_up: 1,
    });
  });
});
