import { writes } from "../support/emulator";
import type { Declared } from "../support/declared";
import { ending, openScene, step, warnings, WELL } from "./scene";

/* An invite that is pending, expires, is renewed, is accepted, or meets someone who belongs already. */

const scene = openScene();
const names = ["accepted", "expired", "renewed", "revoked"] as const;
const address = (name: string) => `${name}@status.example`;

const invites = (more: Readonly<Record<string, unknown>> = {}): Declared[] => [
  ...names.map((name) => ({
    class: "Invite",
    name,
    args: { targetEmail: address(name), message: "Welcome", renewExpired: name === "renewed", ...more },
  })),
  { class: "Invite", name: "belongs", args: { targetEmail: "ada@example.com", ...more } },
];
async function statuses(): Promise<Record<string, unknown>> {
  const { deployment } = await scene.stack.export();
  return Object.fromEntries(
    deployment.resources.map(({ urn, outputs }) => [urn.split("::").at(-1), outputs?.["status"]]),
  );
}
const sent = () =>
  writes(scene.emulator).map(({ method, body, path }) => [method, body ?? path.split("/").at(-2)]);

describe("the first up", () => {
  const shared = scene.running(() => {
    scene.stack.declare(invites());
    return scene.stack.up();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("tells who is invited and who belongs already", async () => {
    expect(await statuses()).toMatchObject({
      accepted: "pending",
      expired: "pending",
      belongs: "accepted",
    });
  });
  it("has the UUID of who belongs already as id", () => {
    const ada = scene.emulator.store.users.find(({ email }) => email === "ada@example.com");
    expect(step(shared.run, { name: "belongs" }, "create").new?.id).toBe(ada?.uuid);
  });
});

describe("a preview with a refresh, at once", () => {
  const shared = scene.running(() => scene.stack.preview({ refresh: true, expectNoChanges: true }));
  it("finds nothing to do", () => expect(ending(shared.run)).toEqual(WELL));
});

describe("a preview with a refresh, days later", () => {
  const shared = scene.running(async () => {
    const ids = await scene.ids();
    scene.emulator.acceptInvite(address("accepted"));
    scene.emulator.expireInvite(ids.get("expired") ?? "");
    scene.emulator.expireInvite(ids.get("renewed") ?? "");
    scene.emulator.store.invites.delete(ids.get("revoked") ?? "");
    return scene.stack.preview({ refresh: true });
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("names the expired ones", () => {
    expect(warnings(shared.run, "Invite", "expired")).toEqual([expect.stringContaining("expired unused")]);
    expect(shared.run.output).toMatch(/Invite "renewed" .*expired.*sent again/);
  });
  it("would renew one, and send a revoked one anew", () => {
    expect(step(shared.run, { name: "renewed" }, "replace").replaceReasons).toContain("renewExpired");
    expect(step(shared.run, { name: "revoked" }, "create")).toBeDefined();
  });
  it("would leave the others alone", () => {
    for (const name of ["accepted", "expired", "belongs"]) step(shared.run, { name }, "same");
  });
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
});

describe("the up of it", () => {
  const shared = scene.running(() => scene.stack.up({ refresh: true }));
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("takes the renewed one back and sends it again, and the revoked one anew", () => {
    const old = step(shared.run, { name: "renewed" }, "delete-replaced").old?.id;
    const body = (name: string) => ({ target_email: address(name), message: "Welcome" });
    expect(sent()).toHaveLength(3);
    expect(sent()).toEqual(
      expect.arrayContaining([
        ["DELETE", old],
        ["POST", body("renewed")],
        ["POST", body("revoked")],
      ]),
    );
  });
  it("keeps the accepted one", async () => {
    expect(await statuses()).toMatchObject({
      accepted: "accepted",
      expired: "expired",
      belongs: "accepted",
    });
  });
});

describe("an up with every message and level changed", () => {
  const shared = scene.running(() => {
    scene.stack.declare(invites({ message: "Hello", level: "admin" }));
    return scene.stack.up();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("sends nothing to who belongs", () => {
    const bodies = JSON.stringify(sent());
    expect(bodies).not.toContain(address("accepted"));
    expect(bodies).not.toContain("ada@example.com");
    for (const name of ["accepted", "belongs"]) step(shared.run, { name }, "same");
  });
  it("sends the others again", () => expect(sent().filter(([method]) => method === "POST")).toHaveLength(3));
});

describe("another address for who belongs", () => {
  const shared = scene.running(() => {
    const others = invites({ message: "Hello", level: "admin" }).filter(({ name }) => name !== "accepted");
    const args = { targetEmail: "someone.else@status.example", message: "Hello", level: "admin" };
    scene.stack.declare([...others, { class: "Invite", name: "accepted", args }]);
    return scene.stack.up();
  });
  it("is another invite", () => {
    expect(ending(shared.run)).toEqual(WELL);
    expect(step(shared.run, { name: "accepted" }, "replace").replaceReasons).toEqual(["targetEmail"]);
    expect(sent()).toEqual([
      ["POST", { target_email: "someone.else@status.example", message: "Hello", level: 8 }],
    ]);
  });
});

describe("destroy", () => {
  const shared = scene.running(() => scene.stack.destroy());
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("takes back what is pending or expired, and removes nobody", () => {
    expect(scene.emulator.store.invites.all()).toEqual([]);
    expect(writes(scene.emulator).every(({ path }) => path.includes("/invites/"))).toBe(true);
    expect(sent()).toHaveLength(4);
  });
});
