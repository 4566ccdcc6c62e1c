import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ensureBuilt } from "../package/built";
import { Editor } from "../package/editor";
import { startEmulator, type Emulator, writes } from "../support/emulator";
import { openStack, type Stack } from "../support/stack";
import { transpiled } from "../support/transpiled";
import { snippets } from "./readme";

const programs = snippets().filter(({ language }) => language === "typescript");

let emulator: Emulator;
let stack: Stack | undefined;
beforeAll(ensureBuilt);
beforeEach(async () => {
  emulator = await startEmulator();
});
afterEach(async () => {
  await stack?.close();
  stack = undefined;
  await emulator.close();
});

/** What has to be there before a snippet can run, and what running it does to the service. */
interface Case {
  readonly prepare?: (stack: Stack) => Promise<void>;
  readonly check: () => void;
}

const growth = { name: "Growth", tags: ["team:growth"], pinned: true };

const cases: Readonly<Record<string, Case>> = {
  "A program of your own 1": {
    prepare: (of) =>
      of.setAllConfig({
        "posthog-test:awsAccessKeyId": { secret: "hush-id" },
        "posthog-test:awsSecretAccessKey": { secret: "hush-key" },
      }),
    check: () => expect(writes(emulator).map(({ body }) => body)).toContainEqual(growth),
  },
  "Resources 1": {
    check: () =>
      expect(emulator.store.invites.all()).toMatchObject([{ target_email: "margaret@example.com" }]),
  },
  "Take over what exists 1": {
    async prepare() {
      for (let number = 1; number <= 42; number++) {
        await fetch(`${emulator.url}/api/projects/${emulator.environment.POSTHOG_PROJECT_ID}/dashboards/`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${emulator.environment.POSTHOG_API_KEY}`,
            "content-type": "application/json",
          },
          body: JSON.stringify({ name: `Dashboard ${number}`, tags: ["team:data"] }),
        });
      }
    },
    check: () =>
      expect(writes(emulator)).toMatchObject([
        { method: "PATCH", path: expect.stringMatching(/\/dashboards\/42\/$/), body: { name: "KPIs" } },
      ]),
  },
  "Take over what exists 2": { check: () => expect(writes(emulator)).toEqual([]) },
  "Import the past 1": {
    prepare(of) {
      const time = Date.UTC(2023, 4, 1) / 1000;
      const event = { event: "Page View", properties: { time, distinct_id: "ada", $insert_id: "first" } };
      mkdirSync(join(of.folder, "exports"));
      writeFileSync(join(of.folder, "exports", "2023-05.ndjson.gz"), gzipSync(`${JSON.stringify(event)}\n`));
      return Promise.resolve();
    },
    check: () =>
      expect(emulator.capture.summary(emulator.environment.POSTHOG_PROJECT_API_KEY)).toMatchObject({
        historicalRequests: 1,
        names: [{ name: "$pageview", events: 1 }],
      }),
  },
};

/** Snippets that are no Pulumi program, but run by themselves. */
const SCRIPTS = ["The emulator 1"];
/** A policy pack: it is run as one, in commands.test.ts. */
const PACKS = ["Guard it by policy 1"];

test("every TypeScript snippet has a test", () => {
  expect(programs.map(({ place }) => place).sort()).toEqual(
    [...Object.keys(cases), ...SCRIPTS, ...PACKS].sort(),
  );
});

test.each(programs)("$place compiles in strict mode", ({ text }) => {
  expect(new Editor(text).errors()).toEqual([]);
});

test.each(programs.filter(({ place }) => ![...SCRIPTS, ...PACKS].includes(place)))(
  "$place is applied, and nothing is left to change",
  async ({ place, text }) => {
    stack = await openStack({ emulator, program: transpiled(text) });
    await cases[place]?.prepare?.(stack);
    emulator.clearRequests();
    const up = await stack.up();
    expect([up.code, up.errors]).toEqual([0, ""]);
    cases[place]?.check();
    expect(await stack.preview({ refresh: true, expectNoChanges: true })).toMatchObject({ code: 0 });
  },
);

test.each(programs.filter(({ place }) => SCRIPTS.includes(place)))("$place runs", async ({ text }) => {
  stack = await openStack({ program: transpiled(text) });
  const said = execFileSync(process.execPath, ["index.cjs"], { cwd: stack.folder, encoding: "utf8" });
  expect(said).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
});
