import { changes, said, Scene } from "./scene";

let scene: Scene;
afterEach(() => scene.close());

const person = (email: string, args: Record<string, unknown> = {}, name = "person") => ({
  class: "TeamMember",
  name,
  args: { email, ...args },
});
const ADA = "ada.new@example.org";
const invites = () => scene.emulator.store.invites.all();
const membership = (email: string) => {
  const { users, memberships } = scene.emulator.store;
  const user = users.all().find((row) => row.email === email);
  return memberships
    .all()
    .find((row) => row.user_id === user?.id && row.organization_id === scene.organization);
};

describe("TeamMember", () => {
  test("invites, follows the person into the organization, keeps the level there, and removes them", async () => {
    scene = await Scene.open();
    scene.stack.declare([person("Ada.New@Example.ORG", { level: "admin", firstName: "Ada" })]);
    expect(changes(await scene.run((stack) => stack.preview()))).toContain("create person");
    expect(scene.sent()).toEqual([]);

    await scene.up([person(ADA, { level: "admin", firstName: "Ada" })]);
    expect(scene.sent()).toEqual([["POST", "invites/", { target_email: ADA, level: 8, first_name: "Ada" }]]);
    expect(await scene.id("person")).toBe(ADA);
    expect(await scene.outputs("person")).toMatchObject({ status: "pending", level: 8 });
    await scene.expectNothingToDo();

    // While it is pending a change of level is another invite.
    const first = invites()[0]?.id ?? "";
    await scene.up([person(ADA, { level: "member", firstName: "Ada" })]);
    expect(scene.sent()).toEqual([
      ["DELETE", `invites/${first}/`],
      ["POST", "invites/", { target_email: ADA, level: 1, first_name: "Ada" }],
    ]);

    // Joined without a refresh in between: a change of level still finds the member.
    scene.emulator.acceptInvite(ADA);
    const uuid = scene.emulator.store.users.all().find((row) => row.email === ADA)?.uuid ?? "";
    await scene.up([person(ADA, { level: "admin", firstName: "Ada" })]);
    expect(scene.sent()).toEqual([["PATCH", `members/${uuid}/`, { level: 8 }]]);
    expect(await scene.outputs("person")).toMatchObject({ status: "member", userUuid: uuid, level: 8 });
    await scene.expectNothingToDo();

    // What only an invite carries is no difference any more.
    expect(changes(await scene.up([person(ADA, { level: "admin", message: "hello" })]))).toEqual([]);

    await scene.ask("PATCH", `members/${uuid}/`, { level: 1 });
    const drift = await scene.run((stack) => stack.refresh());
    expect(drift.step("person").diffs).toContain("level");
    await scene.again();
    expect(scene.sent()).toEqual([["PATCH", `members/${uuid}/`, { level: 8 }]]);

    await scene.run((stack) => stack.destroy());
    expect(scene.sent()).toEqual([["DELETE", `members/${uuid}/`]]);
    expect(membership(ADA)).toBeUndefined();
  });

  test("takes over who has joined, and who is invited", async () => {
    scene = await Scene.open({ shapes: "upstream" });
    scene.emulator.addMember({ email: "joined@example.org", level: 8 });
    await scene.ask("POST", "invites/", { target_email: "same@example.org", level: 8 });
    await scene.ask("POST", "invites/", { target_email: "other@example.org", level: 1 });
    const program = [
      person("joined@example.org", {}, "joined"),
      person("same@example.org", { level: 8 }, "same"),
      person("other@example.org", { level: 8 }, "other"),
    ];
    const old = invites().find((row) => row.target_email === "other@example.org")?.id ?? "";
    await scene.up(program);
    expect(scene.sent()).toEqual([
      ["DELETE", `invites/${old}/`],
      ["POST", "invites/", { target_email: "other@example.org", level: 8 }],
    ]);
    await scene.expectNothingToDo();
    expect(await scene.outputs("joined")).toMatchObject({ status: "member", level: 8 });

    await scene.run((stack) => stack.destroy());
    expect(invites()).toEqual([]);
    expect(membership("joined@example.org")).toBeUndefined();
  });

  test("whose invite was revoked or who left is invited again; another address is another person", async () => {
    scene = await Scene.open({ shapes: "upstream" });
    await scene.up([person(ADA)]);
    await scene.ask("DELETE", `invites/${invites()[0]?.id ?? ""}/`);
    expect(changes(await scene.run((stack) => stack.refresh()))).toEqual(["delete person"]);
    expect(changes(await scene.again())).toEqual(["create person"]);
    // Without a refresh, a change of the arguments finds out, too.
    await scene.ask("DELETE", `invites/${invites()[0]?.id ?? ""}/`);
    await scene.up([person(ADA, { level: 8 })]);
    expect(scene.sent()).toEqual([["POST", "invites/", { target_email: ADA, level: 8 }]]);

    const moved = await scene.up([person("grace.new@example.org", { level: 8 })]);
    expect(moved.step("person").replaceReasons).toEqual(["email"]);
    expect(invites().map((row) => row.target_email)).toEqual(["grace.new@example.org"]);
    await scene.ask("DELETE", `invites/${invites()[0]?.id ?? ""}/`);
    await scene.run((stack) => stack.destroy());
    expect(scene.sent()).toEqual([]);
  });

  test("removed from the program after joining: removed from the organization, whatever the state says", async () => {
    scene = await Scene.open({ shapes: "upstream" });
    await scene.up([person(ADA)]);
    scene.emulator.acceptInvite(ADA);
    await scene.up([]);
    expect(membership(ADA)).toBeUndefined();
  });
});

test("TeamMember never removes the last owner, nor the key's own user", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  const owner = scene.emulator.store.users.all()[0]?.email ?? "";
  await scene.up([person(owner, { level: "owner" })]);
  expect(scene.sent()).toEqual([]);
  const released = await scene.run((stack) => stack.destroy());
  expect(said(released)).toContain("is the last owner of the organization: released from the state");

  scene.emulator.addMember({ email: "second@example.org", level: 15 });
  await scene.up([person(owner)]);
  const own = await scene.run((stack) => stack.destroy());
  expect(said(own)).toContain("the key's own user: released from the state");
  expect(membership(owner)).toBeDefined();
});

test("TeamMember names an expired invite, and renews it where that was asked for", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  await scene.up([person(ADA)]);
  const old = invites()[0]?.id ?? "";
  scene.emulator.expireInvite(old);
  await scene.run((stack) => stack.refresh());
  const preview = await scene.run((stack) => stack.preview({ expectNoChanges: true }));
  expect(said(preview)).toContain("the invite expired unused; set renewExpired: true");
  expect(await scene.outputs("person")).toMatchObject({ status: "expired" });

  await scene.up([person(ADA, { renewExpired: true })]);
  expect(scene.sent()).toEqual([
    ["DELETE", `invites/${old}/`],
    ["POST", "invites/", { target_email: ADA }],
  ]);
  await scene.expectNothingToDo();

  // Expired again, and renewed without any change of the program.
  scene.emulator.expireInvite(invites()[0]?.id ?? "");
  const renewed = await scene.run((stack) => stack.up({ refresh: true }));
  expect(said(renewed)).toContain("the invite expired unused: it is sent again");
  expect(await scene.outputs("person")).toMatchObject({ status: "pending" });
  await scene.expectNothingToDo();
});

test("TeamMember is looked up and adopted by address; a stranger is an error", async () => {
  scene = await Scene.open();
  scene.emulator.addMember({ email: "joined@example.org" });
  await scene.up([
    { class: "TeamMember", name: "theirs", get: { id: "joined@example.org" } },
    person("joined@example.org", { level: 8, adoptId: "joined@example.org" }, "mine"),
  ]);
  expect(scene.sent().map(([method]) => method)).toEqual(["PATCH"]);
  expect(await scene.outputs("theirs")).toMatchObject({ status: "member" });
  scene.stack.declare([{ class: "TeamMember", name: "theirs", get: { id: "nobody@example.org" } }]);
  expect((await scene.stack.preview()).errors).toContain("there is no such object");
});

test.each(["reset-after", "reset-before"])(
  "TeamMember, the answer to the invite lost by %s: invited once",
  async (fault) => {
    scene = await Scene.open({ shapes: "upstream" });
    scene.emulator.faults.add(`POST /invites/$ ${fault} x1`);
    await scene.up([person(ADA)]);
    expect(invites()).toHaveLength(1);
    await scene.expectNothingToDo();
  },
);
