import { startEmulator, writes, type Emulator } from "../support/emulator";
import { openStack, type Declared, type Stack } from "../support/stack";
import { capricious, startRelay, type Relay } from "./relay";
import { knownTo, spellings, spelt } from "./spellings";

// That each of these spellings needs its normaliser is shown by scripts/mutate-normalisers.mjs.

let emulator: Emulator;
let relay: Relay;
let stack: Stack;
afterEach(async () => {
  await stack.close();
  await relay.close();
  await emulator.close();
});

function declared(): Declared[] {
  const known = knownTo(emulator);
  return spellings.map((spelling, index) => ({
    class: spelling.class,
    name: `${index} ${spelling.title}`,
    args: spelt(spelling.args, known),
  }));
}

test.each([
  ["as the emulator answers", {}],
  ["as a capricious service answers", capricious],
])("every spelling is applied, and is no difference afterwards, %s", async (_, rules) => {
  emulator = await startEmulator();
  relay = await startRelay(emulator, rules);
  stack = await openStack({ env: relay.environment });
  stack.declare(declared());
  const up = await stack.up();
  expect([up.code, up.errors]).toEqual([0, ""]);
  expect(up.changes).toEqual({ create: spellings.length });
  // A spelling that the service changes would be told as dropped. Several spellings of one member are meant to be.
  const warnings = up.diagnostics.filter(
    ({ message }) => message.startsWith("warning:") && !/ waits? until | manages the same /.test(message),
  );
  expect(warnings).toEqual([]);

  emulator.clearRequests();
  const preview = await stack.preview({ refresh: true, expectNoChanges: true });
  expect(preview.changed.filter(({ op }) => op !== "refresh")).toEqual([]);
  expect([preview.code, preview.errors]).toEqual([0, ""]);
  expect(emulator.requests.length).toBeGreaterThan(0);

  // What a refresh stores is no difference either.
  const refreshed = await stack.refresh({ expectNoChanges: true });
  expect([refreshed.code, refreshed.errors]).toEqual([0, ""]);
  const again = await stack.up({ expectNoChanges: true });
  expect([again.code, again.changed]).toEqual([0, []]);
  expect(writes(emulator)).toEqual([]);
});
