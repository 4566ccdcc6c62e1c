import { Budget, MAX_IN_FLIGHT, type Turn } from "../../src/client/budget";
import { Clock, settle } from "./clock";

const FAR = 1e9;

function start(requestsPerMinute?: number) {
  const clock = new Clock();
  const lines: string[] = [];
  const budget = new Budget(requestsPerMinute, clock, (line) => lines.push(line));
  return { clock, lines, budget };
}

/** Lets so many requests queue, notes who started when, and gives each turn back after `takes` milliseconds. */
function queue(world: ReturnType<typeof start>, count: number, { takes = 0, deadline = FAR } = {}) {
  const started: { index: number; at: number }[] = [];
  const refused: number[] = [];
  for (let index = 0; index < count; index++) {
    void world.budget.enter(world.budget.ticket(), deadline).then(async (turn) => {
      if (turn === undefined) return void refused.push(index);
      started.push({ index, at: world.clock.now() });
      if (takes > 0) await world.clock.sleep(takes);
      world.budget.leave(turn);
    });
  }
  return { started, refused };
}

async function take(budget: Budget, ticket = budget.ticket()): Promise<Turn> {
  const turn = await budget.enter(ticket, FAR);
  if (turn === undefined) throw new Error("there was no turn");
  return turn;
}

describe("a budget", () => {
  it("lets as many go at once as there are connections, in the order they came", async () => {
    const world = start();
    const { started } = queue(world, 40, { takes: 100 });
    await settle();
    expect(started.length).toBe(MAX_IN_FLIGHT);
    await world.clock.advance(300);
    expect(started.map(({ index }) => index)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  it("holds everybody back while the service asks for it", async () => {
    const world = start();
    world.budget.close(30_000, "limit");
    const { started } = queue(world, 5);
    await world.clock.advance(29_999);
    expect(started).toEqual([]);
    await world.clock.advance(1);
    expect(started.length).toBe(5);
  });

  it("starts again with one request and lets more follow each answer", async () => {
    const world = start();
    world.budget.close(1000, "limit");
    const { started } = queue(world, 31, { takes: 100 });
    await world.clock.advance(1000);
    const rounds: number[] = [];
    for (let round = 0; round < 5; round++) {
      rounds.push(started.filter(({ at }) => at === 1000 + round * 100).length);
      await world.clock.advance(100);
    }
    expect(rounds).toEqual([1, 2, 4, 8, 16]);
  });

  it("lets a request that is made again go before those that came later", async () => {
    const { budget, clock } = start();
    const order: string[] = [];
    const go = async (name: string, place: number): Promise<void> => {
      const turn = await take(budget, place);
      order.push(name);
      budget.leave(turn);
    };
    const ticket = budget.ticket();
    const first = await take(budget, ticket);
    for (const name of ["second", "third"]) {
      budget.close(1000, "limit");
      void go(name, budget.ticket());
    }
    void go("first", ticket);
    budget.leave(first);
    await clock.advance(1000);
    expect(order).toEqual(["first", "second", "third"]);
  });

  it("refuses at once what could only start after its deadline, and keeps the others", async () => {
    const world = start();
    const early = queue(world, MAX_IN_FLIGHT + 1, { takes: 50, deadline: 10_000 });
    const late = queue(world, 1, { deadline: 100_000 });
    world.budget.close(60_000, "limit");
    await world.clock.advance(0);
    expect(early.refused).toEqual([MAX_IN_FLIGHT]);
    expect(queue(world, 1, { deadline: 10_000 }).refused).toEqual([]);
    await world.clock.advance(60_000);
    expect(late.started.length).toBe(1);
  });

  it("refuses early also what stands behind a request that can wait", async () => {
    const world = start();
    const busy = queue(world, MAX_IN_FLIGHT, { takes: 50 });
    queue(world, 1);
    const impatient = queue(world, 1, { deadline: 10_000 });
    world.budget.close(60_000, "limit");
    await world.clock.advance(0);
    expect(busy.started.length).toBe(MAX_IN_FLIGHT);
    expect(impatient.refused).toEqual([0]);
  });

  it("is not opened by answers to what started before the pause", async () => {
    const { budget, clock } = start();
    const turns = await Promise.all(Array.from({ length: 10 }, () => take(budget)));
    budget.close(1000, "limit");
    await clock.advance(500);
    for (const turn of turns) budget.leave(turn);
    let going = 0;
    for (let index = 0; index < 5; index++) void take(budget).then(() => going++);
    await clock.advance(500);
    expect(going).toBe(1);
  });
});

describe("a wait", () => {
  it("is told once for all who wait, also where others are told to wait about as long", async () => {
    const world = start();
    world.budget.close(30_000, "the limit");
    queue(world, 20);
    world.budget.close(31_000, "the limit");
    queue(world, 20);
    await world.clock.advance(40_000);
    expect(world.lines).toEqual(["waiting 30 s: the limit"]);
  });

  it("is told when it becomes long, and again in the next pause", async () => {
    const world = start();
    world.budget.close(3000, "a");
    queue(world, 2);
    await settle();
    expect(world.lines).toEqual([]);
    world.budget.close(60_000, "b");
    await world.clock.advance(61_000);
    expect(world.lines).toEqual(["waiting 60 s: b"]);
    world.budget.close(20_000, "c");
    queue(world, 2);
    await world.clock.advance(20_000);
    expect(world.lines).toEqual(["waiting 60 s: b", "waiting 20 s: c"]);
  });

  it("is not told where nobody waits", async () => {
    const world = start();
    world.budget.close(600_000, "the limit");
    await world.clock.advance(600_000);
    expect(world.lines).toEqual([]);
  });
});

describe("a pace", () => {
  it.each([1, 7, 60, 480])("of %d a minute holds in every minute, wherever it begins", async (perMinute) => {
    const world = start(perMinute);
    const { started } = queue(world, perMinute * 3);
    await world.clock.advance(4 * 60_000);
    const times = started.map(({ at }) => at);
    expect(times.length).toBe(perMinute * 3);
    for (const from of times) {
      const inMinute = times.filter((at) => at >= from && at < from + 60_000).length;
      expect(inMinute).toBeLessThanOrEqual(perMinute);
    }
  });

  it("lets a few start at once", async () => {
    const world = start(480);
    const { started } = queue(world, 48, { takes: 1 });
    await world.clock.advance(3);
    expect(started.length).toBe(48);
  });

  it("is the slowest that is asked for", async () => {
    const world = start(600);
    world.budget.keepPace(6);
    world.budget.keepPace(60);
    const { started } = queue(world, 3);
    await world.clock.advance(10_000);
    expect(started.length).toBe(2);
  });

  it("is told once a minute while it makes people wait", async () => {
    const world = start(6);
    queue(world, 9);
    await world.clock.advance(100_000);
    expect(world.lines.length).toBe(2);
    expect(world.lines[0]).toBe("waiting 10 s: posthog:requestsPerMinute is 6");
  });
});
