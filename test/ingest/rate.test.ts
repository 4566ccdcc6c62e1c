import { Lane } from "../../src/ingest/send/lane";
import { CaptureServer, eventLines, file, run, temporaryFolder } from "./support";

/** A clock that jumps to the next waiter whenever everything waits. */
class SimulatedClock {
  #now = 0;
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  date(): Date {
    return new Date(Date.UTC(2026, 0, 1) + this.#now);
  }

  random(): number {
    return 0.5;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => {
      this.#sleepers.push({ at: this.#now + ms, wake });
    });
  }

  /** Lets simulated time pass until `end`. */
  async run(end: number): Promise<void> {
    while (true) {
      for (let i = 0; i < 20; i++) await Promise.resolve();
      this.#sleepers.sort((a, b) => a.at - b.at);
      const next = this.#sleepers[0];
      if (next === undefined || next.at > end) {
        this.#now = end;
        return;
      }
      this.#sleepers.shift();
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}

const minute = 60_000;

test("four imports of one host together hold 10,000 events a minute, evenly, over five minutes", async () => {
  const clock = new SimulatedClock();
  const lane = new Lane(clock);
  const sent: { at: number; events: number; who: number }[] = [];
  const stop = new AbortController();
  for (const who of [0, 1, 2, 3]) {
    void (async () => {
      while (clock.now() < 5 * minute) {
        // Batches of different sizes: the last of a file is smaller.
        const events = 167 - ((sent.length * 13) % 40);
        await lane.turn(events, 10_000, stop.signal);
        sent.push({ at: clock.now(), events, who });
      }
    })();
  }
  await clock.run(5 * minute);
  const between = (from: number, to: number): number =>
    sent.filter(({ at }) => at >= from && at < to).reduce((sum, { events }) => sum + events, 0);
  expect(Math.abs(between(0, 5 * minute) / 50_000 - 1)).toBeLessThan(0.02);
  for (let at = 0; at < 5 * minute; at += minute)
    expect(Math.abs(between(at, at + minute) / 10_000 - 1)).toBeLessThan(0.02);
  for (let at = 0; at < 5 * minute; at += 10_000)
    expect(Math.abs(between(at, at + 10_000) / 1667 - 1)).toBeLessThan(0.12);
  for (const who of [0, 1, 2, 3]) {
    const own = sent.filter((one) => one.who === who).reduce((sum, { events }) => sum + events, 0);
    expect(Math.abs(own / 12_500 - 1)).toBeLessThan(0.05);
  }
});

test("nothing is saved up while nobody sends, and a pause holds everybody", async () => {
  const clock = new SimulatedClock();
  const lane = new Lane(clock);
  const { signal } = new AbortController();
  const at: number[] = [];
  await clock.run(minute);
  const send = async (): Promise<void> => {
    await lane.turn(1000, 10_000, signal);
    at.push(clock.now() - minute);
  };
  void send();
  void send();
  void send();
  await clock.run(minute + 7000);
  lane.pause(20_000);
  void send();
  void lane.turn(5, undefined, signal).then(() => at.push(clock.now() - minute));
  await clock.run(3 * minute);
  expect(at).toEqual([0, 6000, 12_000 + 15_000, 27_000, 27_000]);
});

test("an import keeps to its rate against a real server, shards to their part of it", async () => {
  const server = await CaptureServer.start("count");
  const folder = await temporaryFolder();
  await file(folder, "a.ndjson", eventLines(0, 700));
  await file(folder, "b.ndjson", eventLines(700, 1400));
  let clock = 0;
  const virtual = {
    now: () => clock,
    date: () => new Date(),
    random: () => 0.5,
    sleep: async (ms: number) => {
      clock += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const result = await run(
    folder,
    server,
    { source: "*.ndjson", eventsPerMinute: 6000, concurrency: 1 },
    { clock: virtual },
  );
  expect(result.eventsSent).toBe(1400);
  expect(clock).toBeGreaterThan(13_000 - 1000);
  expect(clock).toBeLessThan(14_500);
  clock = 1_000_000;
  const half = { source: "*.ndjson", eventsPerMinute: 6000, concurrency: 1, shard: { index: 1, count: 2 } };
  const shard = await run(folder, server, half, { clock: virtual });
  expect(shard).toMatchObject({ eventsSent: 700, files: 1 });
  expect(clock - 1_000_000).toBeGreaterThan(13_000 - 1000);
  await server.stop();
});
