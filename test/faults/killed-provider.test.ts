import { soakProvider } from "../soak/provider-run";

// At least once each is killed at most 3 ms after the first answer to it, which no machine is too fast for. More of the
// same, by the hundred: `npm run soak -- --fast`.
test.each([8, 80, 89])(
  "whatever the moment at which the provider is killed, the next run heals (seed %d)",
  async (seed) => {
    const { problems, kills } = await soakProvider(seed);
    expect(problems).toEqual([]);
    expect(kills).toBeGreaterThan(0);
  },
);
