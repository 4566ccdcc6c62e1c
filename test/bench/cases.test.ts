import { CASES } from "./cases";

// What is compared reaches into the package here and there: it has to go on doing what the table says of it.
test.each(["dashboards-10", "members-10"])(
  "each that is compared reads what it is said to read: %s",
  async (name) => {
    const found = await CASES[name]?.({ rounds: 1, operations: ["refresh"], told: () => undefined });
    const requests = found?.results[0]?.rows.map((row) => [row.contender, row.requests]) ?? [];
    const { "this package": own, ...others } = Object.fromEntries(requests) as Record<string, number>;
    expect(own).toBeLessThan(10);
    expect(others).toEqual({ "engine alone": 0, "without sharing": 10, naive: 10 });
  },
);
