import { startRelay } from "../guarantees/relay";
import { changes, said, Scene } from "./scene";

let scene: Scene;
afterEach(() => scene.close());

type Entry = Record<string, unknown> & { targetEmail: string };
const batch = (...invites: readonly (string | Entry)[]) => ({
  class: "InviteBatch",
  name: "team",
  args: { invites: invites.map((one) => (typeof one === "string" ? { targetEmail: one } : one)) },
});
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => `person${String(index)}@example.org`);

/** Addresses of the invites that are out, sorted. */
const out = () =>
  scene.emulator.store.invites
    .all()
    .map(({ target_email }) => target_email)
    .sort();
/** Addresses that the calls of the last operation invited, by call. */
const invited = () =>
  scene
    .sent()
    .flatMap(([method, path, body]) =>
      method === "POST" && path === "invites/bulk/"
        ? [(body as { target_email: string }[]).map((one) => one.target_email)]
        : [],
    );
const idOf = (email: string) =>
  scene.emulator.store.invites.all().find(({ target_email }) => target_email === email)?.id ?? "";

describe("InviteBatch", () => {
  test("adds and removes the difference, and leaves alone who has joined", async () => {
    scene = await Scene.open();
    const first = batch(
      "a@example.org",
      { targetEmail: "B@Example.ORG", level: "admin", firstName: "Bea" },
      "c@example.org",
    );
    scene.stack.declare([first]);
    expect(changes(await scene.run((stack) => stack.preview()))).toContain("create team");
    expect(scene.sent()).toEqual([]);

    await scene.up([first]);
    expect(scene.sent()).toEqual([
      [
        "POST",
        "invites/bulk/",
        [
          { target_email: "a@example.org" },
          { target_email: "B@example.org", level: 8, first_name: "Bea" },
          { target_email: "c@example.org" },
        ],
      ],
    ]);
    await scene.expectNothingToDo();

    // Another order is the same list.
    const turned = batch("c@example.org", "a@example.org", {
      targetEmail: "B@example.org",
      level: 8,
      firstName: "Bea",
    });
    expect(changes(await scene.up([turned]))).toEqual([]);

    scene.emulator.acceptInvite("a@example.org");
    expect(changes(await scene.run((stack) => stack.refresh()))).not.toContain("delete team");
    expect((await scene.outputs("team"))["results"]).toContainEqual({
      targetEmail: "a@example.org",
      status: "accepted",
    });
    await scene.expectNothingToDo();

    const removed = idOf("c@example.org");
    await scene.up([
      batch(
        "a@example.org",
        { targetEmail: "B@example.org", level: "admin", firstName: "Bea" },
        "d@example.org",
      ),
    ]);
    expect(scene.sent()).toEqual([
      ["DELETE", `invites/${removed}/`],
      ["POST", "invites/bulk/", [{ target_email: "d@example.org" }]],
    ]);
    const changed = idOf("B@example.org");
    await scene.up([
      batch("a@example.org", { targetEmail: "B@example.org", firstName: "Bea" }, "d@example.org"),
    ]);
    expect(scene.sent()).toEqual([
      ["DELETE", `invites/${changed}/`],
      ["POST", "invites/bulk/", [{ target_email: "B@example.org", first_name: "Bea" }]],
    ]);
    await scene.expectNothingToDo();

    await scene.run((stack) => stack.destroy());
    expect(out()).toEqual([]);
    expect(scene.emulator.store.users.all().map(({ email }) => email)).toContain("a@example.org");
    expect(scene.sent().map(([method]) => method)).toEqual(["DELETE", "DELETE"]);
  });

  test("sends at most 20 a call, and notices whom someone took back", async () => {
    scene = await Scene.open({ shapes: "upstream" });
    const all = many(45);
    await scene.up([batch(...all)]);
    expect(invited().map((some) => some.length)).toEqual([20, 20, 5]);
    expect(out()).toHaveLength(45);
    await scene.expectNothingToDo();

    await scene.ask("DELETE", `invites/${idOf("person7@example.org")}/`);
    const seen = await scene.run((stack) => stack.refresh());
    expect(seen.step("team").diffs).toEqual(["invites"]);
    await scene.again();
    expect(invited()).toEqual([["person7@example.org"]]);
    await scene.expectNothingToDo();
  });

  test.each(["reset-after", "500-after", "reset-before"])(
    "the answer lost by %s: everybody invited once",
    async (fault) => {
      scene = await Scene.open({ shapes: "upstream" });
      scene.emulator.faults.add(`POST /bulk/$ ${fault} x1 skip=1`);
      await scene.up([batch(...many(30))]);
      expect(out()).toEqual(many(30).sort());
      await scene.expectNothingToDo();
    },
  );

  test("half done: the next up invites the others alone, and destroy takes back what there is", async () => {
    scene = await Scene.open({ shapes: "upstream" });
    scene.emulator.faults.add("POST /bulk/$ 403 skip=1 x1");
    scene.stack.declare([batch(...many(30))]);
    const half = await scene.stack.up();
    expect(half.errors).toContain("exists and is half done");
    expect(out()).toHaveLength(20);
    // A refresh clears the mark of the engine itself.
    await scene.run((stack) => stack.refresh());
    await scene.again();
    expect(invited().map((some) => some.length)).toEqual([10]);
    await scene.expectNothingToDo();

    scene.emulator.faults.add("POST /bulk/$ 403 x1");
    scene.stack.declare([batch(...many(35))]);
    await scene.stack.up();
    await scene.run((stack) => stack.destroy());
    expect(out()).toEqual([]);
  });

  test("members among them count as accepted, and equal invites that are out are taken over", async () => {
    scene = await Scene.open({ shapes: "upstream" });
    scene.emulator.addMember({ email: "joined@example.org" });
    await scene.ask("POST", "invites/", { target_email: "waiting@example.org" });
    await scene.up([batch("joined@example.org", "waiting@example.org", "new@example.org")]);
    expect(invited()).toEqual([["new@example.org"]]);
    expect((await scene.outputs("team"))["results"]).toEqual([
      { targetEmail: "joined@example.org", status: "accepted" },
      expect.objectContaining({ targetEmail: "waiting@example.org", status: "pending" }),
      expect.objectContaining({ targetEmail: "new@example.org", status: "pending" }),
    ]);
    await scene.expectNothingToDo();
  });
});

test("InviteBatch takes back its own invites alone", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  const others = [];
  for (const email of ["left@example.org", "changed@example.org", "kept@example.org"]) {
    await scene.ask("POST", "invites/", { target_email: email, level: 15, message: "From the founder" });
    others.push(idOf(email));
  }
  const message = (text: string): Entry => ({ targetEmail: "changed@example.org", message: text });
  await scene.up([batch("left@example.org", message("Hello"), "kept@example.org")]);
  expect(out()).toHaveLength(6);

  await scene.up([batch(message("Welcome"), "kept@example.org")]);
  expect(scene.sent().map(([method]) => method)).toEqual(["DELETE", "DELETE", "POST"]);
  await scene.expectNothingToDo();
  // A second one of ours, as a lost answer may leave it: it says the same.
  await scene.ask("POST", "invites/", { target_email: "kept@example.org" });
  await scene.run((stack) => stack.destroy());
  expect(scene.sent().map(([method]) => method)).toEqual(["DELETE", "DELETE", "DELETE"]);
  expect(scene.emulator.store.invites.all().map(({ id }) => id)).toEqual(others);
});

test("InviteBatch names expired invites, and sends again those that are to be renewed", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  const left = batch("old@example.org", { targetEmail: "older@example.org", renewExpired: false });
  await scene.up([left]);
  const [old, older] = [idOf("old@example.org"), idOf("older@example.org")];
  for (const id of [old, older]) scene.emulator.expireInvite(id);
  await scene.run((stack) => stack.refresh());
  const preview = await scene.run((stack) => stack.preview({ expectNoChanges: true }));
  expect(said(preview)).toContain(
    "expired unused: old@example.org, older@example.org; set renewExpired: true",
  );

  scene.stack.declare([batch("old@example.org", { targetEmail: "older@example.org", renewExpired: true })]);
  const plan = await scene.run((stack) => stack.preview());
  expect(said(plan)).toContain("expired unused and sent again: older@example.org");
  await scene.again();
  expect(scene.sent()).toEqual([
    ["DELETE", `invites/${older}/`],
    ["POST", "invites/bulk/", [{ target_email: "older@example.org" }]],
  ]);
  await scene.expectNothingToDo();
});

test("InviteBatch takes in stride who joins while it invites", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  const hasJoined = () =>
    scene.emulator.store.users.all().some(({ email }) => email === "person1@example.org");
  scene.stack.declare([batch(...many(3))]);
  // The lists have been read and the call is on its way: that is when someone joins.
  const relay = await startRelay(scene.emulator, {
    request({ method, path, body }) {
      if (method === "POST" && path.endsWith("/bulk/") && !hasJoined())
        scene.emulator.addMember({ email: "person1@example.org" });
      return body;
    },
  });
  Object.assign(scene.stack.env, relay.environment);
  try {
    await scene.run((stack) => stack.up());
  } finally {
    await relay.close();
  }
  expect(out()).toEqual(["person0@example.org", "person2@example.org"]);
  expect(invited()).toEqual([many(3), ["person2@example.org"]]);
});

test("InviteBatch refuses an address twice, and cannot be looked up", async () => {
  scene = await Scene.open();
  scene.stack.declare([batch("a@example.org", "A@example.org", { targetEmail: "nobody", level: 3 })]);
  const bad = await scene.stack.preview();
  expect(bad.errors).toContain("invites.2.targetEmail: must be an e-mail address");
  scene.stack.declare([batch("a@example.org", "A@example.org")]);
  expect((await scene.stack.preview()).errors).toContain("invites: has a@example.org more than once");
  scene.stack.declare([{ class: "InviteBatch", name: "theirs", get: { id: "x" } }]);
  expect((await scene.stack.preview()).errors).toContain("InviteBatch cannot be looked up with get");
});
