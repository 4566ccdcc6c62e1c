import { TakeOvers } from "../../src/engine/ownership/take-overs";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function heard(): { said: string[]; takeOvers: TakeOvers } {
  const said: string[] = [];
  return { said, takeOvers: new TakeOvers((line) => void said.push(line)) };
}

const sum = (count: string) => `${count} resources so far are taken over as they are, without a change`;

test.each([1, 7, 20])("%i are named each, and nothing else is said", (count) => {
  const { said, takeOvers } = heard();
  for (let n = 1; n <= count; n++) takeOvers.add(`number ${n}`);
  jest.runAllTimers();
  expect(said).toEqual(Array.from({ length: count }, (_, index) => `number ${index + 1}`));
});

test.each([
  [21, ["21"]],
  [50, ["50"]],
  [1200, ["50", "100", "200", "500", "1,000", "1,200"]],
])("of %i the first are named and all are counted", (count, sums) => {
  const { said, takeOvers } = heard();
  for (let n = 1; n <= count; n++) takeOvers.add(`number ${n}`);
  jest.runAllTimers();
  expect(said.slice(20)).toEqual([
    expect.stringContaining("from here on they are counted"),
    ...sums.map(sum),
  ]);
});

test("a service that is slow at each brings no line for each", () => {
  const { said, takeOvers } = heard();
  for (let n = 1; n <= 3000; n++) {
    takeOvers.add(`number ${n}`);
    jest.advanceTimersByTime(10_000);
  }
  expect(said.length).toBeLessThan(45);
});
