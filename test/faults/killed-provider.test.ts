import { soakProvider } from "../soak/provider-run";

// More of the same, by the hundred: `npm run soak -- --fast`.
test.each([1, 2, 3])(
  "whatever the moment at which the provider is killed, the next run heals (seed %d)",
  async (seed) => {
    const { problems, kills } = await soakProvider(seed);
    expect(problems).toEqual([]);
    expect(kills).toBeGreaterThan(0);
  },
);
