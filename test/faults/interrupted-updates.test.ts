import type { Declared } from "../support/stack";
import { KilledRuns } from "./killed-runs";

/* The provider dies as the service has changed something: what the next run makes of what it knows nothing about. */
let runs: KilledRuns;
beforeEach(async () => {
  runs = await KilledRuns.open();
});
afterEach(() => runs.close());

const board = (args: Record<string, unknown>, called = "board"): Declared => ({
  class: "Dashboard",
  name: called,
  args: { name: "Board", ...args },
  opts: { aliases: [{ name: "board" }] },
});
const row = () => runs.emulator.store.dashboards.find(({ name }) => name === "Board");

test.each([
  ["by its name", "board"],
  ["by another name", "panel"],
])("an update that was taken back in the program is taken back at the service, %s", async (_, name) => {
  await runs.heal([board({ description: "before" })]);
  await runs.dieWhen([board({ description: "after", pinned: true })], () => row()?.description === "after");
  // Neither the state nor the program knows of what the service holds by now.
  await runs.heal([board({ description: "before" }, name)]);
  expect(row()).toEqual(expect.objectContaining({ description: "before", pinned: false }));
  expect(runs.notes("updates")).toEqual([]);
});

test("what an update that was cut off has left is forgotten with its object, whatever name that has by then", async () => {
  const ada = runs.emulator.addMember({ email: "ada@people.example" });
  runs.emulator.addMember({ email: "joan@people.example" });
  const member = (name: string, email: string, level: string): Declared => ({
    class: "TeamMember",
    name,
    args: { email, level },
    opts: { aliases: [{ name: "first" }] },
  });
  const levelOf = () => runs.emulator.store.memberships.find(({ user_id: id }) => id === ada.user.id)?.level;
  await runs.heal([member("first", "ada@people.example", "member")]);
  await runs.dieWhen([member("second", "ada@people.example", "admin")], () => levelOf() === 8);
  expect(runs.notes("updates")).toHaveLength(1);
  // The resource is about somebody else from now on.
  await runs.heal([member("second", "joan@people.example", "member")]);
  expect(runs.notes("updates")).toEqual([]);

  await runs.heal([board({})]);
  await runs.dieWhen([board({ description: "after" }, "panel")], () => row()?.description === "after");
  expect(runs.notes("updates")).toHaveLength(1);
  await runs.heal([]);
  expect(runs.notes("updates")).toEqual([]);
});

test("what an update that was cut off has left is forgotten where its object was deleted outside", async () => {
  const { domains } = runs.emulator.store;
  const domain = (samlEntityId: string): Declared => ({
    class: "Domain",
    name: "main",
    args: { domain: "example.org", samlEntityId },
  });
  const stored = () => domains.find((one) => one.domain === "example.org");
  await runs.heal([domain("before")]);
  await runs.dieWhen([domain("after")], () => stored()?.saml_entity_id === "after");
  expect(runs.notes("updates")).toHaveLength(1);
  domains.delete(stored()?.id ?? "");
  expect((await runs.driver.run("refresh", [domain("after")])).code).toBe(0);
  expect(runs.notes("updates")).toEqual([]);
});
