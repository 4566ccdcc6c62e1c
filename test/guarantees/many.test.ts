import type * as Runtime from "../../src/runtime";
import { applied, configureFor } from "../engine/provider";
import type * as Provider from "../engine/provider";
import { HIDDEN } from "../../src/engine/state/state";
import { provider } from "../../src/runtime";
import { type Emulator, startEmulator, writes } from "../support/emulator";

const MANY = 1000;
/** As many at once as the engine has on a small machine. */
const AT_ONCE = 8;

let emulator: Emulator;
afterEach(() => emulator.close());

/** Works through a list as the engine does: so many at once, in no other order than they come. */
async function each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, item] of queue) await work(item, index);
    }),
  );
}

describe("what many resources cost", () => {
  test("a refresh of 1,000 dashboards: at most 15 requests", async () => {
    emulator = await startEmulator();
    const { store } = emulator;
    const { outs } = await first("Dashboard", { name: "Board 0", tags: ["team:a"] });
    for (let number = 1; number < MANY; number++) {
      store.dashboards.insert({
        ...store.dashboards.require(1),
        id: store.dashboards.nextId(),
        name: `Board ${number}`,
      });
    }
    const ids = store.dashboards.all().map(({ id }) => String(id));
    emulator.clearRequests();
    await each(ids, async (id, index) => {
      const seen = await provider("Dashboard").read?.(id, { ...outs, name: `Board ${index}` });
      expect([seen?.id, seen?.inputs]).toEqual([id, undefined]);
    });
    expect(ids).toHaveLength(MANY);
    expect(emulator.requests.length).toBeLessThanOrEqual(15);
  });

  test("a refresh of 1,000 members: at most 15 requests", async () => {
    emulator = await startEmulator({ members: MANY - 1 });
    const people = emulator.store.memberships
      .all()
      .map(({ user_id, level }) => ({ userUuid: emulator.store.users.require(user_id).uuid, level }));
    const { outs } = await first("Member", people[1] ?? {});
    emulator.clearRequests();
    await each(people, async (person) => {
      const seen = await provider("Member").read?.(person.userUuid, { ...outs, ...person });
      expect([seen?.id, seen?.inputs]).toEqual([person.userUuid, undefined]);
    });
    expect(people).toHaveLength(MANY);
    expect(emulator.requests.length).toBeLessThanOrEqual(15);
  });

  test("making and removing dashboards: one request each, and one look beforehand", async () => {
    emulator = await startEmulator();
    configureFor(emulator);
    const boards = Array.from({ length: 40 }, (_, index) => ({ name: `Board ${index}`, projectId: "1" }));
    const made: { id: string; outs: Record<string, unknown> }[] = [];
    await each(boards, async (board, index) => {
      const { id, outs } = await provider("Dashboard").create({ ...board, [HIDDEN.name]: `board-${index}` });
      made.push({ id, outs });
    });
    expect(emulator.requests.map(({ method }) => method)).toEqual(["GET", ...boards.map(() => "POST")]);
    emulator.clearRequests();
    // What an operation has made it keeps; to remove it takes another one.
    const later = nextProcess();
    await each(made, async ({ id, outs }) => {
      await later("Dashboard").delete?.(id, outs);
    });
    expect(emulator.requests.map(({ method }) => method)).toEqual(boards.map(() => "PATCH"));
    expect(writes(emulator)).toHaveLength(boards.length);
  });
});

/** The providers of the operation that comes next, which know nothing of this one. */
function nextProcess(): typeof provider {
  let own: typeof provider | undefined;
  jest.isolateModules(() => {
    jest.requireActual<typeof Provider>("../engine/provider").configureFor(emulator);
    own = jest.requireActual<typeof Runtime>("../../src/runtime").provider;
  });
  if (own === undefined) throw new Error("jest did not run what it isolates");
  return own;
}

/** One of a kind, as the state keeps it. */
async function first(kind: string, args: Record<string, unknown>) {
  configureFor(emulator);
  return await applied(kind, "first", args);
}
