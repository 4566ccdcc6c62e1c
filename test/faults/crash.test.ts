import { type Emulator, startEmulator, writes } from "../support/emulator";
import { openStack, type Stack } from "../support/stack";
import { crashing, endOrphans, type Crash } from "./crash";
import { CREATABLE, prepare, SECRETS } from "./kinds";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await startEmulator({ latency: 40 });
  await prepare(emulator);
  stack = await openStack({ emulator });
});
afterEach(async () => {
  endOrphans(stack);
  await stack.close();
  await emulator.close();
});

/** Objects at the service, by what lists them. */
function counts(): number[] {
  return CREATABLE.map((kind) => kind.existing(emulator).length);
}

/** Everything in the checkpoint folder. */
function intents(): string[] {
  const folder = join(stack.folder, ".pulumi-posthog", "intents");
  return readable(() => readdirSync(folder)).flatMap((name) =>
    readable(() => [readFileSync(join(folder, name), "utf8")]),
  );
}

/** What is read; nothing where a provider that has outlived its engine takes it away meanwhile. */
function readable(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
  }
}

const moments: readonly (readonly [string, Crash, Crash])[] = [
  [
    "the CLI before the first answer, and the provider among the next",
    { victim: "cli", requests: 1, milliseconds: 0 },
    { victim: "provider", requests: 5, milliseconds: 15 },
  ],
  [
    "the provider in the middle, and the CLI near the end",
    { victim: "provider", requests: 9, milliseconds: 25 },
    { victim: "cli", requests: 12, milliseconds: 5 },
  ],
];

test.each(moments)("an up that is killed twice heals: %s", async (_, first, second) => {
  const before = counts();
  const program = CREATABLE.map((kind, index) => ({
    class: kind.class,
    name: `of-${index}`,
    args: kind.args(index, emulator),
  }));
  stack.declare(program);
  await crashing(stack, emulator, "up", first);
  const written = intents().join("\n");
  expect(written).not.toBe("");
  for (const secret of SECRETS) expect(written).not.toContain(secret);
  await crashing(stack, emulator, "up", second);

  const up = await stack.up();
  expect(up.errors).toBe("");
  expect(up.code).toBe(0);
  const each = CREATABLE.map(
    (kind) => CREATABLE.filter((other) => String(other.existing) === String(kind.existing)).length,
  );
  expect(counts()).toEqual(before.map((count, index) => count + (each[index] ?? 0)));

  emulator.clearRequests();
  const preview = await stack.preview({ refresh: true, expectNoChanges: true });
  expect(preview.code).toBe(0);
  expect(writes(emulator)).toEqual([]);
  // Whatever the state knows, nobody has to remember.
  expect(intents()).toEqual([]);

  await crashing(stack, emulator, "refresh", { victim: "provider", requests: 3, milliseconds: 10 });
  await crashing(stack, emulator, "destroy", { victim: "cli", requests: 6, milliseconds: 10 });
  const destroy = await stack.destroy();
  expect(destroy.errors).toBe("");
  const stays = CREATABLE.filter(({ stays: released }) => released).length;
  const plugins = (kind: (typeof CREATABLE)[number]) => kind.post === "/pipeline_";
  expect(counts()).toEqual(
    before.map((count, index) => count + (CREATABLE.slice(index, index + 1).some(plugins) ? stays : 0)),
  );
});
