import type { Declared } from "../support/stack";
import { said, Scene } from "../resources/scene";

/* What one resource leaves and another of the same run takes over stays, whatever kind either of them is. */
let scene: Scene;
beforeEach(async () => {
  scene = await Scene.open();
  for (const name of ["ada", "tim"]) scene.emulator.addMember({ email: addressOf(name), level: 8 });
});
afterEach(() => scene.close());

const addressOf = (name: string) => `${name}@people.example`;
const member = (name: string): Declared => ({
  class: "Member",
  name,
  args: { email: addressOf(name), level: "admin" },
});
const teamMember = (name: string): Declared => ({
  class: "TeamMember",
  name,
  args: { email: addressOf(name), level: "admin" },
});
const invite = (name: string): Declared => ({
  class: "Invite",
  name,
  args: { targetEmail: addressOf(name), level: "admin" },
});
const batch = (name: string, ...people: string[]): Declared => ({
  class: "InviteBatch",
  name,
  args: { invites: people.map((one) => ({ targetEmail: addressOf(one), level: "admin" })) },
});

/** Who belongs, and who is invited. */
function people(): string[] {
  const { memberships, users, invites } = scene.emulator.store;
  const members = [...memberships.all()].map((one) => users.require(one.user_id).email);
  const invited = [...invites.all()].map((one) => `${one.target_email} (invited)`);
  return [...members, ...invited].filter((one) => one.includes("@people.example")).sort();
}
const removed = () => scene.sent().filter(([method]) => method === "DELETE");
const urn = (kind: string, name: string) =>
  `urn:pulumi:test::posthog-test::pulumi-nodejs:dynamic/posthog:${kind}::${name}`;

const before = [
  ...[member("ada"), teamMember("tim"), invite("bob"), invite("eve")],
  ...[batch("first", "carl", "dora"), teamMember("finn")],
];
const after = [
  ...[teamMember("ada"), member("tim"), teamMember("bob"), batch("one", "eve")],
  ...[batch("second", "carl", "dora"), batch("third", "finn")],
];
const everybody = [
  ...["ada@people.example", "bob@people.example (invited)", "carl@people.example (invited)"],
  ...["dora@people.example (invited)", "eve@people.example (invited)", "finn@people.example (invited)"],
  "tim@people.example",
];

test("people stay, and nobody gets a second message, where another kind or name declares them", async () => {
  await scene.up(before);
  expect(people()).toEqual(everybody);
  const moved = await scene.up(after);
  expect(scene.sent()).toEqual([]);
  expect(people()).toEqual(everybody);
  expect(said(moved)).toContain(`not deleted, since "ada (TeamMember)" manages it as well`);
  await scene.expectNothingToDo();
  await scene.run((stack) => stack.destroy());
  expect(people()).toEqual([]);
});

test("who is declared twice is told of, and stays where one of the two is taken out", async () => {
  await scene.up([member("ada"), teamMember("ada")]);
  expect(said(await scene.again())).toContain("manages the same object; each will undo what the other sets");
  await scene.up([teamMember("ada")]);
  expect([removed(), people()]).toEqual([[], ["ada@people.example", "tim@people.example"]]);
});

test.each([false, true])(
  "who is invited at another level by another resource is invited once (refresh: %s)",
  async (refresh) => {
    const person = (name: string, who: string, level: string): Declared => ({
      class: "TeamMember",
      name,
      args: { email: addressOf(who), level },
    });
    await scene.up([
      person("first", "bob", "member"),
      person("second", "eve", "member"),
      batch("third", "carl"),
    ]);
    const moved = [batch("one", "bob"), person("two", "eve", "admin"), person("three", "carl", "member")];
    await scene.up(moved, { refresh });
    const levels = scene.emulator.store.invites.all().map((one) => [one.target_email, one.level]);
    expect(levels.sort()).toEqual([
      [addressOf("bob"), 8],
      [addressOf("carl"), 1],
      [addressOf("eve"), 8],
    ]);
    await scene.expectNothingToDo();
  },
);

test("who has another name by an alias is not declared twice", async () => {
  await scene.up([member("ada"), teamMember("tim")]);
  const renamed = [member("ada"), teamMember("tim")].map((one): Declared => ({
    ...one,
    name: `${one.name} anew`,
    opts: { aliases: [{ name: one.name }] },
  }));
  const run = await scene.up(renamed, { refresh: true });
  expect([said(run), scene.sent()]).toEqual(["", []]);
});

test("an address that goes from one batch to another stays invited", async () => {
  const [bob, eve] = ["bob@people.example (invited)", "eve@people.example (invited)"];
  await scene.up([batch("first", "bob"), batch("second", "eve")]);
  await scene.up([batch("first"), batch("second", "bob", "eve")]);
  expect(people()).toEqual(["ada@people.example", bob, eve, "tim@people.example"]);
  await scene.up([batch("first", "bob", "eve"), batch("second")]);
  expect(people()).toEqual(["ada@people.example", bob, eve, "tim@people.example"]);
  await scene.expectNothingToDo();
});

test("what is replaced on demand is there afterwards, right after it was made as well", async () => {
  const domain: Declared = { class: "Domain", name: "main", args: { domain: "people.example" } };
  const board: Declared = { class: "Dashboard", name: "board", args: { name: "Board" } };
  const all = [member("ada"), teamMember("tim"), teamMember("bob"), batch("first", "carl"), invite("eve")];
  await scene.up([...all, domain, board]);
  const there = people();
  const replace = [
    ...[urn("Member", "ada"), urn("TeamMember", "tim"), urn("TeamMember", "bob")],
    ...[urn("InviteBatch", "first"), urn("Invite", "eve"), urn("Domain", "main"), urn("Dashboard", "board")],
  ];
  for (let time = 1; time <= 2; time++) {
    const id = await scene.id("main");
    await scene.run((stack) => stack.up({ replace }));
    expect(people()).toEqual(there);
    // What can exist once only is removed before it is made anew.
    expect(await scene.id("main")).not.toBe(id);
    await scene.expectNothingToDo();
  }
});
