import { ensureBuilt } from "../package/built";
import { writes } from "../support/emulator";
import type { Stack } from "../support/stack";
import { openAccount, type Account } from "./account";
import { ProgramFolder } from "./folder";

/** How long each answer of the service takes. */
const LATENCY_MS = 20;
const AT_ONCE = 16;

// It takes minutes, so it runs where it is asked for: `SOAK=1 npx jest test/generate/many`.
(process.env["SOAK"] === undefined ? describe.skip : describe)("many objects", () => {
  let account: Account;
  let folder: ProgramFolder;
  let stack: Stack | undefined;
  beforeAll(async () => {
    ensureBuilt();
    account = await openAccount({ latency: LATENCY_MS, members: 100 });
    await fillWithMany(account);
    folder = new ProgramFolder(account.emulator);
  });
  afterAll(async () => {
    await stack?.close();
    folder.close();
    await account.emulator.close();
  });

  test("an organization of 1,200 objects is taken over without a write", async () => {
    const generated = await folder.generate();
    expect([generated.code, generated.stderr]).toEqual([0, ""]);
    expect(folder.resources().length).toBeGreaterThanOrEqual(1200);
    stack = await folder.stack();
    account.emulator.clearRequests();
    const up = await stack.up();
    expect([up.code, up.errors]).toEqual([0, ""]);
    expect(writes(account.emulator)).toEqual([]);
    const preview = await stack.preview({ refresh: true, expectNoChanges: true });
    expect([preview.code, preview.errors, preview.changed]).toEqual([0, "", []]);
    expect(writes(account.emulator)).toEqual([]);
  });
});

async function fillWithMany({ emulator, organization, project, ask }: Account): Promise<void> {
  const people = emulator.store.users.all().slice(1);
  const several = async (count: number, make: (index: number) => Promise<unknown>): Promise<void> => {
    const indexes = Array.from({ length: count }, (_, index) => index).values();
    const work = async (): Promise<void> => {
      for (const index of indexes) await make(index);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  await several(850, (index) =>
    ask("POST", `${project}dashboards/`, {
      name: `Dashboard ${index % 400} 📈`,
      description: "What the team looks at every morning.",
      tags: [`team:${index % 7}`, "weekly"],
      ...(index % 2 === 0 ? { filters: { date_from: "-7d" } } : {}),
    }),
  );
  await several(50, async (index) => {
    const board = await ask("POST", `${project}dashboards/`, {
      name: `Board ${index}`,
      restriction_level: 37,
    });
    const person = people[index];
    const level = emulator.store.memberships.find((row) => row.user_id === person?.id)?.level;
    if (level === 1)
      await ask("POST", `${project}dashboards/${String(board["id"])}/collaborators/`, {
        user_uuid: person?.uuid,
        level: 37,
      });
  });
  await several(60, (index) =>
    ask("POST", `${organization}invites/`, { target_email: `new${index}@example.com` }),
  );
  await several(30, (index) => ask("POST", `${organization}domains/`, { domain: `d${index}.example.com` }));
  await several(50, (index) =>
    ask("POST", `${project}batch_exports/`, {
      name: `Export ${index}`,
      interval: "hour",
      destination: { type: "NoOp", config: {} },
    }),
  );
  await several(40, (index) =>
    ask("POST", `${organization}pipeline_destinations/`, {
      plugin_type: "source",
      name: `Plugin ${index}`,
      capabilities: { methods: ["onEvent"] },
    }),
  );
  await several(20, (index) =>
    ask("POST", `${organization}pipeline_frontend_apps/`, { plugin_type: "source", name: `App ${index}` }),
  );
}
