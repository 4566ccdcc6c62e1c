import { type Findings, rowsOf, type Sample, together } from "./findings";
import { figures, growths, table } from "./report";
import { growth, median } from "./statistics";

const sample = (seconds: number, requests = 0): Sample => ({
  seconds,
  requests,
  writes: 0,
  cpuSeconds: 1,
  peakMb: 100,
  providers: 1,
});

/** One operation of this package and of the engine alone, in rounds. */
function found(count: number, engine: number[], own: number[], requests: number): Findings {
  const rows = rowsOf(
    new Map([
      ["engine alone", engine.map((seconds) => sample(seconds))],
      ["this package", own.map((seconds) => sample(seconds, requests))],
    ]),
  );
  const result = {
    kind: "dashboards",
    count,
    operation: "refresh",
    leastRequests: count / 100,
    rows,
  } as const;
  const state = { kind: "dashboards", count, contender: "this package", bytesPerResource: 1800 } as const;
  return { results: [result], states: [state] };
}

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[7], 7],
])("the median of %j is %d", (numbers, middle) => {
  expect(median(numbers)).toBe(middle);
});

test.each([
  [10, 10, 1],
  [10, 100, 2],
  [10, 1, 0],
])("growing %d times in number costs %d times as much: power %d", (times, cost, power) => {
  expect(growth({ count: 1, cost: 1 }, { count: times, cost })).toBeCloseTo(power);
});

test("a ratio is that of each round, not of the medians: load comes and goes for both", () => {
  const [, own] = found(1000, [1, 10, 2], [1.1, 11, 2.2], 13).results[0]?.rows ?? [];
  expect(own?.timesEngine).toBeCloseTo(1.1);
});

test("rounds of several runs count as rounds of one, and figures are those of all", () => {
  const all = together(found(1000, [2], [2], 13), found(1000, [2, 2], [4, 4], 16));
  expect(all.results).toHaveLength(1);
  expect(all.states).toHaveLength(1);
  expect(all.results[0]?.rows.map(({ samples }) => samples.length)).toEqual([3, 3]);
  expect(figures(all).map(({ is, reached }) => [is, reached])).toEqual([
    [16, false],
    [2, false],
    [100, true],
  ]);
  expect(table(all)).toContain("refresh of 1,000 dashboards (at least 10 requests)");
});

test("growth is from each size to the next", () => {
  const all = together(found(100, [1], [1], 4), found(1000, [10], [100], 13));
  expect(growths(all)).toEqual([
    expect.objectContaining({ from: 100, to: 1000, seconds: 2, secondsOfEngine: 1 }),
  ]);
});
