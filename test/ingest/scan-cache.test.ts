import { scan, type ScanOptions } from "../../src/ingest";
import { systemClock, type Clock } from "../../src/ingest/clock";
import { eventLines, file, temporaryFolder } from "./support";

/* What a scan that ran out of time has kept is an estimate: whoever has more time reads again. */

const COUNT = 30_000;
let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  await file(folder, "a.ndjson", eventLines(0, COUNT));
});

/** A millisecond goes by whenever somebody looks. */
function ticking(): { clock: Clock; looks: () => number } {
  let now = 0;
  return { clock: { ...systemClock, now: () => ++now }, looks: () => now };
}

const scanned = (options: Partial<ScanOptions>) => scan({ source: "a.ndjson" }, { folder, ...options });

test("an estimate serves who has as little time, and nobody who has more", async () => {
  const first = await scanned({ budgetMs: 3, clock: ticking().clock });
  expect(first.readFraction).toBeLessThan(1);
  const again = ticking();
  expect(await scanned({ budgetMs: 3, clock: again.clock })).toEqual(first);
  expect(await scanned({ budgetMs: 5, clock: again.clock })).toEqual(first);
  // Nothing was read.
  expect(again.looks()).toBe(0);

  const whole = await scanned({ budgetMs: Infinity });
  expect(whole).toMatchObject({ readFraction: 1, events: COUNT });
  // What has been read whole is known to everybody.
  expect(await scanned({ budgetMs: 3, clock: ticking().clock })).toEqual(whole);
});

test("a scan that read as much as it was to read is not made again", async () => {
  const options = { budgetMs: 1_000_000 };
  const args = { source: "a.ndjson", previewBytes: 1_000_000 };
  const sampled = await scan(args, { folder, ...options });
  expect(sampled.readFraction).toBeLessThan(1);
  const again = ticking();
  expect(await scan(args, { folder, budgetMs: Infinity, clock: again.clock })).toEqual(sampled);
  expect(again.looks()).toBe(0);
});
