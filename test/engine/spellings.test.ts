import { startEmulator, type Emulator } from "../../src/emulator";
import { capricious, startRelay, type Relay } from "../guarantees/relay";
import { knownTo, spellings, spelt } from "../guarantees/spellings";
import { applied, configureFor } from "./provider";

// The table of test/guarantees/perpetual-differences.test.ts with the provider alone: quick enough to take every
// normaliser out in turn (scripts/mutate-normalisers.mjs).

let emulator: Emulator;
let relay: Relay;
beforeAll(async () => {
  emulator = await startEmulator();
  relay = await startRelay(emulator, capricious);
  configureFor({ environment: { ...emulator.environment, ...relay.environment } });
});
afterAll(async () => {
  await relay.close();
  await emulator.close();
});

test("the table is as large as it has to be", () => {
  expect(spellings.length).toBeGreaterThanOrEqual(40);
  expect(new Set(spellings.map((spelling) => spelling.class)).size).toBe(9);
  const titles = spellings.map((spelling) => `${spelling.class} ${spelling.title}`);
  expect(new Set(titles).size).toBe(titles.length);
});

test.each(spellings.map((spelling) => [spelling.class, spelling.title, spelling] as const))(
  "%s: %s",
  async (kind, title, { args }) => {
    const result = await applied(kind, title, spelt(args, knownTo(emulator)));
    const warnings = result.said.filter((line) => !/ waits? until | manages the same /.test(line));
    expect(warnings).toEqual([]);
    expect(result.again).toMatchObject({ changes: false, replaces: [] });
    expect(result.drift).toBeUndefined();
    expect(result.afterRead).toMatchObject({ changes: false, replaces: [] });
  },
);
