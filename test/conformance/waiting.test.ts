import { writes } from "../support/emulator";
import { domain as cases } from "./cases/domain";
import { ending, openScene, step, warnings, WELL } from "./scene";

/* Arguments of a Domain that the service refuses before it is verified. */

const scene = openScene();
const name = "domain";
const args = { domain: "waiting.example", jitProvisioningEnabled: true, ssoEnforcement: "google-oauth2" };
const sent = () => writes(scene.emulator).map(({ method, body }) => [method, body]);

describe("the first up", () => {
  const shared = scene.running(() => {
    scene.stack.declare([
      { class: "Domain", name, args },
      { class: "Domain", name: "modest", args: { domain: "modest.example", jitProvisioningEnabled: false } },
    ]);
    return scene.stack.up();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("sends what the service takes", () => {
    expect(sent()).toHaveLength(2);
    expect(sent()).toContainEqual(["POST", { domain: "waiting.example" }]);
  });
  it("says once what waits", () => {
    expect(warnings(shared.run, "Domain", name)).toEqual([
      expect.stringContaining("jitProvisioningEnabled and ssoEnforcement cannot be set yet"),
    ]);
    expect(warnings(shared.run, "Domain", "modest")).toEqual([]);
  });
  it("says which DNS record proves the domain", () => {
    const { outputs } = step(shared.run, { name }, "create").new ?? {};
    expect(outputs).toMatchObject({
      dnsRecordName: "_posthog-challenge.waiting.example",
      dnsRecordValue: expect.stringMatching(/^.{20,}$/),
    });
  });
});

describe("before the verification", () => {
  const again = scene.running(() => scene.stack.up({ expectNoChanges: true }));
  const refreshed = scene.running(() => scene.stack.preview({ refresh: true, expectNoChanges: true }));
  it("nothing is left to do", () => expect([again.run, refreshed.run].map(ending)).toEqual([WELL, WELL]));
  it("nothing is said again", () => expect(warnings(again.run, "Domain", name)).toEqual([]));
});

describe("the first up that finds it verified", () => {
  const shared = scene.running(async () => {
    const id = (await scene.ids()).get(name) ?? "";
    const { verification_challenge } = scene.emulator.store.domains.require(id);
    scene.emulator.setDns("_posthog-challenge.waiting.example", verification_challenge);
    await scene.byHand(cases, id, [["POST", "verify/"]]);
    scene.emulator.clearRequests();
    return scene.stack.up({ refresh: true });
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("sends what waited, and nothing else", () => {
    const body = { jit_provisioning_enabled: true, sso_enforcement: "google-oauth2" };
    expect(sent()).toEqual([["PATCH", body]]);
  });
});

describe("after it", () => {
  const shared = scene.running(() => scene.stack.up({ refresh: true, expectNoChanges: true }));
  it("nothing is left to do", () => expect(ending(shared.run)).toEqual(WELL));
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
});
