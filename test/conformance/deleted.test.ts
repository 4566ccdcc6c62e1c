import { domain as domains } from "./cases/domain";
import { dashboard as dashboards } from "./cases/dashboard";
import { ending, openScene, step, WELL } from "./scene";
import type { Declared } from "../support/declared";

/* Objects that someone else deletes while the program wants something of them. */

const scene = openScene();
const dashboard = (name: string, title: string): Declared => ({
  class: "Dashboard",
  name,
  args: { name: title },
});
const domain = (samlEntityId: string): Declared => ({
  class: "Domain",
  name: "domain",
  args: { domain: "deleted.example", samlEntityId },
});
const ids = new Map<string, string>();
const number = (name: string) => Number(ids.get(name));
const sentTo = (writes: ReturnType<typeof scene.running>["writes"], name: string) =>
  writes
    .filter(({ path }) => path.endsWith(`/${ids.get(name)}/`))
    .map(({ method, body, status }) => [method, body, status]);

describe("an update of what someone else has deleted, without a refresh", () => {
  const shared = scene.running(async () => {
    scene.stack.declare([dashboard("put away", "One"), dashboard("purged", "Two"), domain("urn:one")]);
    expect(ending(await scene.stack.up())).toEqual(WELL);
    for (const [name, id] of await scene.ids()) ids.set(name, id);
    await scene.byHand(dashboards, String(number("put away")), [
      ["PATCH", "", { name: "Renamed by hand" }],
      ["PATCH", "", { deleted: true }],
    ]);
    scene.emulator.store.dashboards.delete(number("purged"));
    await scene.byHand(domains, ids.get("domain") ?? "", [["DELETE", ""]]);
    scene.stack.declare([dashboard("put away", "Three"), dashboard("purged", "Two"), domain("urn:two")]);
    scene.emulator.clearRequests();
    return scene.stack.up({ continueOnError: true });
  });
  it.each([
    ["Dashboard", "put away"],
    ["Domain", "domain"],
  ])("fails for the %s, and says what to run", (kind, name) => {
    expect(shared.run.code).not.toBe(0);
    expect(shared.run.errors).toContain(
      `${kind} "${name}" (${ids.get(name)}) was deleted outside: run pulumi up --refresh`,
    );
  });
});

describe("the up with a refresh that it asks for", () => {
  const shared = scene.running(() => scene.stack.up({ refresh: true, continueOnError: true }));
  it("restores the Dashboard by one request, then sends what else differs", () => {
    expect(step(shared.run, { name: "put away" }, "update").status).toBe("done");
    expect(sentTo(shared.writes, "put away")).toEqual([
      ["PATCH", { deleted: false }, 200],
      ["PATCH", { name: "Three" }, 200],
    ]);
  });
  it("makes the Domain anew", () => {
    const body = { domain: "deleted.example", saml_entity_id: "urn:two" };
    expect(step(shared.run, { name: "domain" }, "create").status).toBe("done");
    expect(shared.writes).toContainEqual(expect.objectContaining({ method: "POST", body }));
  });
  it("says that the purged Dashboard cannot be restored", () => {
    expect(shared.run.code).not.toBe(0);
    expect(sentTo(shared.writes, "purged")).toEqual([["PATCH", { deleted: false }, 404]]);
    expect(shared.run.output).toContain("cannot be restored");
  });
});

describe("the up after it", () => {
  const shared = scene.running(() => scene.stack.up());
  it("makes a new Dashboard in place of the purged one", () => {
    expect(ending(shared.run)).toEqual(WELL);
    const made = step(shared.run, { name: "purged" }, "create-replacement").new;
    expect(made?.id).not.toBe(ids.get("purged"));
    expect(shared.writes.filter(({ method }) => method === "POST")).toMatchObject([
      { body: { name: "Two" } },
    ]);
  });
});

describe("after that", () => {
  const shared = scene.running(() => scene.stack.up({ refresh: true, expectNoChanges: true }));
  it("nothing is left to do", () => expect(ending(shared.run)).toEqual(WELL));
});
