import { type Emulator, startEmulator, writes } from "../support/emulator";
import { openStack, type Declared, type Stack } from "../support/stack";
import { CREATABLE, prepare, SECRETS, type Creatable } from "./kinds";

/*
 * Answers that get lost, through the real engine: all kinds that can be created in one stack, so that each
 * operation of the engine runs once and each kind is looked at from every side.
 */
let emulator: Emulator;
let stack: Stack;

async function open(): Promise<void> {
  emulator = await startEmulator();
  await prepare(emulator);
  stack = await openStack({ emulator });
}
async function close(): Promise<void> {
  await stack.close();
  await emulator.close();
}

/** Two resources of every kind. */
function declared(kinds: readonly Creatable[] = CREATABLE): Declared[] {
  return kinds.flatMap((kind, index) =>
    [1, 2].map((n) => ({
      class: kind.class,
      name: `${kind.class.toLowerCase()}-${index}-${n}`,
      args: kind.args(n + 10 * index, emulator),
    })),
  );
}

/** How many objects of each kind there are, by what lists them: several kinds share a list. */
function counts(): Map<string, number> {
  return new Map(CREATABLE.map((kind) => [String(kind.existing), kind.existing(emulator).length]));
}

function expected(before: Map<string, number>, each = 2): Map<string, number> {
  const wanted = new Map(before);
  for (const kind of CREATABLE) {
    const key = String(kind.existing);
    wanted.set(key, (wanted.get(key) ?? 0) + each);
  }
  return wanted;
}

describe.each([
  ["every answer is lost: the connection breaks after it was done", ["reset-after"]],
  ["every answer is lost: the service says 500 after it was done", ["500-after"]],
  ["every answer breaks off in the middle", ["truncate"]],
  ["nothing is done, three times over", ["reset-before x1", "503 x1", "html x1"]],
  ["a request does nothing, and is done but not answered when it is made again", ["500 x2", "504-after"]],
] as const)("where %s", (_, actions) => {
  beforeAll(open);
  afterAll(close);

  test("each object comes to exist once, the state holds it, and destroy leaves nothing", async () => {
    const before = counts();
    const posts = [...new Set(CREATABLE.map(({ post }) => post))];
    const rules = posts.flatMap((path) => actions.map((action) => `POST ${path} ${action}`));
    emulator.faults.add(rules.join("; "));
    const program = declared();
    stack.declare(program);
    const up = await stack.up();
    expect(up.errors).toBe("");
    expect(up.code).toBe(0);
    emulator.faults.clear();

    expect(counts()).toEqual(expected(before));
    const state = await stack.export({ showSecrets: true });
    const ids = state.deployment.resources.filter(({ id, type }) => id && type.includes("posthog"));
    expect(new Set(ids.map(({ type, id }) => `${type} ${id}`)).size).toBe(program.length);

    emulator.clearRequests();
    const preview = await stack.preview({ refresh: true, expectNoChanges: true, diff: true });
    expect(preview.output).not.toMatch(/\d+ (updated|to update|to create|to replace)/);
    expect(preview.code).toBe(0);
    expect(writes(emulator)).toEqual([]);

    const destroy = await stack.destroy();
    expect(destroy.code).toBe(0);
    const left = new Map(before);
    const released = CREATABLE.filter(({ stays }) => stays);
    for (const kind of released) {
      const key = String(kind.existing);
      left.set(key, (left.get(key) ?? 0) + 2);
    }
    expect(counts()).toEqual(left);
    for (const secret of SECRETS) {
      expect(up.output + preview.output + destroy.output + (await stack.stateFile())).not.toContain(secret);
    }
  });
});
