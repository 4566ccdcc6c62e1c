import { kinds } from "../conformance/cases";
import { type Station, whole } from "../conformance/life/instances";
import { openWorld, type World } from "../conformance/world";
import { writes } from "../support/emulator";
import { type Declared, openStack, type Run, type Stack } from "../support/stack";
import { loose, nulls, terse } from "./dialects";
import { type Relay, startRelay } from "./relay";

/* The same kinds at servers that read the interface document in ways of their own. */

const ONLY = process.env["ONLY"]?.split(",");

describe.each([
  ["terse", terse],
  ["loose", loose],
  ["nulls", nulls],
] as const)("a server that is %s", (_, rules) => {
  let world: World;
  let relay: Relay;
  let stack: Stack;

  beforeAll(async () => {
    world = await openWorld();
    relay = await startRelay(world.emulator, rules);
    stack = await openStack({ emulator: relay });
  });
  afterAll(async () => {
    await stack.close();
    await relay.close();
    await world.close();
  });

  function program(station: Station): Declared[] {
    return kinds
      .filter(({ kind }) => !ONLY || ONLY.includes(kind))
      .map((kind) => {
        const args: Record<string, unknown> = { ...whole(world, kind, station), connection: undefined };
        if (kind.kind === "Member") args["email"] = "level@members.example";
        if (kind.kind === "HistoricalImport") delete args["connection"];
        return { class: kind.kind, name: kind.kind, args };
      });
  }
  const ending = ({ code, errors }: Run) => [code, errors];

  test.each<Station>(["first", "second", "taken out"])(
    "%s: applied, and then nothing differs",
    async (station) => {
      stack.declare(program(station));
      const up = await stack.up();
      expect(ending(up)).toEqual([0, ""]);
      // Another spelling is no other value.
      expect(up.output).not.toContain("the service keeps");
      world.emulator.clearRequests();
      const again = await stack.up({ refresh: true, expectNoChanges: true });
      expect(ending(again)).toEqual([0, ""]);
      expect(again.changed).toEqual([]);
      expect(writes(world.emulator)).toEqual([]);
    },
  );

  test("what someone else changes is named and put back", async () => {
    const { dashboards, memberships, users } = world.emulator.store;
    const board = dashboards.find(({ name }) => name === "" || name === null || name === "Dashboard renamed");
    const person = users.find(({ email }) => email === "level@members.example");
    const membership = memberships.find(({ user_id }) => user_id === person?.id);
    if (!board || !membership) throw new Error("nothing to change");
    dashboards.update(board, { pinned: true, description: "By hand" });
    memberships.update(membership, { level: 1 });
    stack.declare(program("second"));
    const up = await stack.up({ refresh: true });
    expect(ending(up)).toEqual([0, ""]);
    expect(memberships.require(membership.id).level).toBe(15);
    const again = await stack.preview({ refresh: true, expectNoChanges: true });
    expect(ending(again)).toEqual([0, ""]);
  });

  test("destroyed", async () => expect(ending(await stack.destroy())).toEqual([0, ""]));
});
