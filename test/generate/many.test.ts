import { ensureBuilt } from "../package/built";
import { takeOver } from "../soak/generate/take-over";

// It takes minutes, so it runs where it is asked for: `SOAK=1 npx jest test/generate/many`, or, with a report of the
// time that it took, `npm run soak -- generate`.
(process.env["SOAK"] === undefined ? test.skip : test)(
  "an organization of 1,200 objects of all kinds is taken over without a write",
  async () => {
    ensureBuilt();
    const { resources, problems } = await takeOver({ say: () => undefined });
    expect(problems).toEqual([]);
    expect(resources).toBeGreaterThanOrEqual(1200);
  },
  3_600_000,
);
