import { underRateLimit } from "../soak/rate-limit";

test("an up that asks for more than the service allows waits, says so, and makes everything once", async () => {
  const plan = { limit: "20/7s", dashboards: 30, isMet: true };
  const { accepted, refused, waits, problems } = await underRateLimit(plan);
  expect(problems).toEqual([]);
  expect(accepted).toBe(30);
  expect(waits).toEqual([expect.stringMatching(/^waiting \d s: PostHog's rate limit \(http/)]);
  // Those that were under way when the first was refused, and no more: all wait together.
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(16);
});
