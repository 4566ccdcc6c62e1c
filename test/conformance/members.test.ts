import { writes } from "../support/emulator";
import { ending, openScene, step, warnings, WELL } from "./scene";
import { ask } from "./world";

/* Whom a Member takes over, and whom destroy leaves in the organization. */

const scene = openScene();
const members = () => `/api/organizations/${scene.named("organization")}/members/`;

async function addresses(): Promise<string> {
  return JSON.stringify((await ask(scene.emulator, "GET", `${members()}?limit=1000`)).body);
}

describe("a Member who has not joined", () => {
  const shared = scene.running(() => {
    scene.stack.declare([
      { class: "Member", name: "stranger", args: { email: "stranger@members.example", level: "member" } },
    ]);
    return scene.stack.up();
  });
  it("is a clear error", () => {
    expect(shared.run.code).not.toBe(0);
    expect(shared.run.errors).toContain(
      `stranger@members.example is not a member of organization ${scene.named("organization")}`,
    );
    expect(shared.run.errors).toContain("invite the person with an Invite");
  });
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
});

describe("an up that takes over the key's own user, another owner and a member", () => {
  const shared = scene.running(() => {
    scene.emulator.addMember({ email: "owner@members.example", level: 15 });
    scene.stack.declare([
      { class: "Member", name: "self", args: { email: "Grace@example.com", level: "owner" } },
      { class: "Member", name: "owner", args: { email: "OWNER@members.example", level: "owner" } },
      { class: "Member", name: "member", args: { email: "first@members.example", level: "member" } },
    ]);
    return scene.stack.up();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("writes nothing, since each has that level", () => expect(writes(scene.emulator)).toEqual([]));
  it("has the person's UUID as id", () => {
    expect(step(shared.run, { name: "member" }, "create").new?.id).toBe(scene.named("first@members.example"));
  });
});

describe("a preview with a refresh after it", () => {
  const shared = scene.running(() => scene.stack.preview({ refresh: true, expectNoChanges: true }));
  it("finds nothing to do: the case of addresses is no difference", () =>
    expect(ending(shared.run)).toEqual(WELL));
});

describe("destroy", () => {
  const shared = scene.running(() => scene.stack.destroy());
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("releases the key's own user with a warning", async () => {
    expect(warnings(shared.run, "Member", "self")).toEqual([
      expect.stringContaining("released from the state"),
    ]);
    expect(await addresses()).toContain("grace@example.com");
  });
  it("removes the other owner, a level lower first", async () => {
    expect(await addresses()).not.toContain("owner@members.example");
    const owner = step(shared.run, { name: "owner" }, "delete").old?.id ?? "";
    const sent = writes(scene.emulator).filter(({ path }) => path.includes(owner));
    expect(sent.map(({ method, body, status }) => [method, body, status])).toEqual([
      ["DELETE", undefined, 400],
      ["PATCH", { level: 1 }, 200],
      ["DELETE", undefined, 204],
    ]);
  });
  it("removes the member", async () => expect(await addresses()).not.toContain("first@members.example"));
});

describe("a destroy of the last owner, by a key of an admin", () => {
  const shared = scene.running(async () => {
    scene.stack.env["POSTHOG_API_KEY"] = scene.emulator.createKey({ user: "ada@example.com" });
    scene.stack.declare([
      { class: "Member", name: "last", args: { email: "grace@example.com", level: "owner" } },
      { class: "Member", name: "own", args: { email: "ada@example.com", level: "admin" } },
    ]);
    const made = await scene.stack.up();
    expect(ending(made)).toEqual(WELL);
    scene.emulator.clearRequests();
    return scene.stack.destroy();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("releases both with a warning", async () => {
    expect(warnings(shared.run, "Member", "last")).toEqual([expect.stringContaining("last owner")]);
    expect(warnings(shared.run, "Member", "own")).toEqual([expect.stringContaining("own user")]);
    const left = await addresses();
    expect([left.includes("grace@example.com"), left.includes("ada@example.com")]).toEqual([true, true]);
  });
  it("removes nobody", () => {
    expect(writes(scene.emulator).filter(({ method }) => method === "DELETE")).toEqual([]);
  });
});
