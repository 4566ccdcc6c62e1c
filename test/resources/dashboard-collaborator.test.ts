import { changes, said, Scene, SHAPES } from "./scene";

let scene: Scene;
afterEach(() => scene.close());

const board = (args: Record<string, unknown> = {}) => ({
  class: "Dashboard",
  name: "board",
  args: { name: "Board", restrictionLevel: "collaborators", ...args },
});
const collaborator = (name: string, userUuid: string) => ({
  class: "DashboardCollaborator",
  name,
  args: { dashboardId: { $ref: "board.id" }, userUuid },
});

function people(): [string, string, string] {
  const add = (name: string) => scene.emulator.addMember({ email: `${name}@example.org` }).user.uuid;
  return [add("one"), add("two"), add("three")];
}

describe.each(SHAPES)("DashboardCollaborator, answers as %s", (shapes) => {
  test("is added, kept, replaced, noticed when it is gone, and removed", async () => {
    scene = await Scene.open({ shapes });
    const [one, two, three] = people();
    scene.stack.declare([board(), collaborator("first", one)]);
    expect(changes(await scene.run((stack) => stack.preview()))).toContain("create first");
    expect(scene.sent()).toEqual([]);

    await scene.up([board(), collaborator("first", one)]);
    const id = await scene.id("board");
    expect(scene.sent()).toContainEqual([
      "POST",
      `dashboards/${id}/collaborators/`,
      { user_uuid: one, level: 37 },
    ]);
    expect(await scene.id("first")).toBe(`${id}/${one}`);
    expect(await scene.outputs("first")).toMatchObject({
      dashboardId: Number(id),
      userUuid: one,
      level: 37,
      user: { email: "one@example.org" },
      collaboratorId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      addedAt: expect.any(String),
    });
    await scene.expectNothingToDo();

    // With two in the list the documented answer is a page, with one it is the object itself.
    await scene.up([board(), collaborator("first", one), collaborator("second", two)]);
    await scene.expectNothingToDo();

    const replaced = await scene.up([board(), collaborator("first", three), collaborator("second", two)]);
    expect(replaced.step("first").replaceReasons).toEqual(["userUuid"]);
    expect(scene.sent()).toEqual([
      ["DELETE", `dashboards/${id}/collaborators/${one}/`],
      ["POST", `dashboards/${id}/collaborators/`, { user_uuid: three, level: 37 }],
    ]);

    await scene.ask("DELETE", `dashboards/${id}/collaborators/${two}/`);
    expect(changes(await scene.run((stack) => stack.refresh()))).toEqual(["delete second"]);
    expect(changes(await scene.again())).toEqual(["create second"]);

    await scene.ask("DELETE", `dashboards/${id}/collaborators/${two}/`);
    await scene.run((stack) => stack.destroy());
    expect(scene.emulator.store.collaborators.all()).toEqual([]);
  });
});

describe("DashboardCollaborator", () => {
  test("is gone with the openness of its dashboard, and with the dashboard itself", async () => {
    scene = await Scene.open({ shapes: "upstream" });
    const [one] = people();
    await scene.up([board(), collaborator("first", one)]);

    // The dashboard is opened before the collaborator is removed, which the service then refuses.
    const opened = await scene.up([board({ restrictionLevel: "everyone" })]);
    expect(changes(opened)).toEqual(["update board", "delete first"]);
    await scene.up([board()]);
    // The service kept the person through all of that.
    const again = await scene.up([board(), collaborator("first", one)]);
    expect(said(again)).toContain(`${one} was a collaborator already and is taken over`);
    await scene.expectNothingToDo();

    const id = await scene.id("board");
    await scene.ask("PATCH", `dashboards/${id}/`, { deleted: true });
    expect(changes(await scene.run((stack) => stack.refresh()))).toContain("delete first");
    expect(changes(await scene.again())).toEqual(["update board", "create first"]);
    await scene.expectNothingToDo();
  });

  test("is looked up and adopted by the dashboard's number and the person's UUID", async () => {
    scene = await Scene.open();
    const [one, two] = people();
    const { id } = (await scene.ask("POST", "dashboards/", { restriction_level: 37 })) as { id: number };
    await scene.ask("POST", `dashboards/${String(id)}/collaborators/`, { user_uuid: one, level: 37 });
    scene.stack.declare([
      { class: "DashboardCollaborator", name: "theirs", get: { id: `${String(id)}/${one}` } },
      {
        class: "DashboardCollaborator",
        name: "mine",
        args: { dashboardId: String(id), userUuid: one, adoptId: `${String(id)}/${one}` },
      },
    ]);
    await scene.run((stack) => stack.up());
    expect(scene.sent()).toEqual([]);
    expect(await scene.outputs("theirs")).toMatchObject({ userUuid: one, dashboardId: id });

    scene.stack.declare([
      { class: "DashboardCollaborator", name: "theirs", get: { id: `${String(id)}/${two}` } },
    ]);
    const missing = await scene.stack.preview();
    expect(missing.code).not.toBe(0);
    expect(missing.errors).toContain("there is no such object");
  });
});

test.each(["reset-after", "reset-before"])(
  "DashboardCollaborator, the answer lost by %s: added once",
  async (fault) => {
    scene = await Scene.open({ shapes: "upstream" });
    const [one] = people();
    await scene.up([board()]);
    scene.emulator.faults.add(`POST /collaborators/$ ${fault} x1`);
    await scene.up([board(), collaborator("first", one)]);
    expect(scene.emulator.store.collaborators.all()).toHaveLength(1);
    await scene.expectNothingToDo();
  },
);

test("DashboardCollaborator says what is wrong with its arguments, and what the service has against a person", async () => {
  scene = await Scene.open();
  scene.stack.declare([
    {
      class: "DashboardCollaborator",
      name: "bad",
      args: { dashboardId: "twelve", userUuid: "ada", level: 21 },
    },
  ]);
  const bad = await scene.stack.preview();
  expect(bad.errors).toContain("dashboardId: must be the number of an object");
  expect(bad.errors).toContain("userUuid: must be a UUID");
  expect(bad.errors).toContain("level: must be one of 37");

  const [one] = people();
  scene.stack.declare([board({ restrictionLevel: "everyone" }), collaborator("first", one)]);
  const open = await scene.stack.up();
  expect(open.errors).toContain('creating DashboardCollaborator "first"');
  expect(open.errors).toContain("Cannot add collaborators to a dashboard on the lowest restriction level.");
});
