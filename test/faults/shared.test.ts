import { writes } from "../support/emulator";
import type { Declared } from "../support/stack";
import { said, Scene } from "../resources/scene";

/* Two resources on one object: the person is told, and nobody loses the object by putting the program right. */
let scene: Scene;
beforeEach(async () => {
  scene = await Scene.open();
  ada = scene.emulator.addMember({ email: "ada@people.example" }).user.uuid;
});
afterEach(() => scene.close());

let ada: string;
const byEmail = (name: string, level = "admin"): Declared => ({
  class: "Member",
  name,
  args: { email: "ada@people.example", level },
});
const byUuid = (name: string): Declared => ({
  class: "Member",
  name,
  args: { userUuid: ada, level: "admin" },
});
const belongs = () => {
  const { memberships, users } = scene.emulator.store;
  return memberships.find(({ user_id: user }) => users.require(user).uuid === ada) !== undefined;
};
const removals = () => writes(scene.emulator).filter(({ method }) => method === "DELETE");

test("both are told of, and one that is taken out is released", async () => {
  const both = await scene.up([byEmail("first"), byUuid("second")]);
  expect(said(both)).toMatch(
    /warning: Member "(first|second)" \(.+\): "(first|second)" manages the same object; each will undo what the other sets/,
  );
  expect(said(await scene.run((stack) => stack.preview()))).toContain("manages the same object");
  const one = await scene.up([byEmail("first")]);
  expect(said(one)).toContain('released from the state and not deleted, since "first" manages it as well');
  expect(removals()).toEqual([]);
  expect(belongs()).toBe(true);
  await scene.expectNothingToDo();
  await scene.run((stack) => stack.destroy());
  expect(belongs()).toBe(false);
});

test("a resource that gets another name, without an alias, keeps its object", async () => {
  await scene.up([byEmail("before")]);
  await scene.up([byEmail("after")]);
  expect(removals()).toEqual([]);
  expect(belongs()).toBe(true);
});

test("a resource that names the same object in another way keeps it", async () => {
  await scene.up([byEmail("ada")]);
  await scene.up([byUuid("ada")]);
  expect(removals()).toEqual([]);
  expect(belongs()).toBe(true);
  const capital = { ...byEmail("ada"), args: { email: "Ada@people.example", level: "admin" } };
  await scene.up([capital]);
  expect(belongs()).toBe(true);
  await scene.up([byEmail("ada")]);
  expect(scene.sent()).toEqual([]);
  await scene.run((stack) => stack.destroy());
  expect(belongs()).toBe(false);
});

test("a resource that is replaced under an alias loses its old object all the same", async () => {
  const grace = scene.emulator.addMember({ email: "grace@people.example" }).user.uuid;
  await scene.up([byUuid("before")]);
  await scene.up([
    {
      class: "Member",
      name: "after",
      args: { userUuid: grace, level: "admin" },
      opts: { aliases: [{ name: "before" }] },
    },
  ]);
  expect(belongs()).toBe(false);
});

test("what pulumi state delete forgets right after it was made is taken over again", async () => {
  const board: Declared = { class: "Dashboard", name: "board", args: { name: "Forgotten" } };
  await scene.up([board]);
  const id = await scene.id("board");
  const { resources } = (await scene.stack.export()).deployment;
  const urn = resources.find((resource) => resource.urn.endsWith("::board"))?.urn ?? "";
  await scene.stack.cli(["state", "delete", urn, "--yes"], { check: true });
  expect(said(await scene.up([board]))).toContain(`took over ${id}`);
  expect(await scene.id("board")).toBe(id);
  expect(scene.sent()).toEqual([]);
});
