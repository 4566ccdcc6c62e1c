import { setTimeout as sleep } from "node:timers/promises";
import { changes, said, Scene, well } from "./scene";

let scene: Scene;
afterEach(() => scene.close());

const domain = (args: Record<string, unknown> = {}) => ({
  class: "Domain",
  name: "main",
  args: { domain: "example.com", ...args },
});
const verification = (args: Record<string, unknown> = {}) => ({
  class: "DomainVerification",
  name: "proof",
  args: { domainId: { $ref: "main.id" }, timeoutSeconds: 20, ...args },
});

/** Makes the DNS record as soon as the domain is there, as a resource of a DNS provider would meanwhile. */
function provideRecord(): () => void {
  const timer = setInterval(() => {
    for (const { domain: name, verification_challenge } of scene.emulator.store.domains.all())
      scene.emulator.setDns(`_posthog-challenge.${name}`, verification_challenge);
  }, 100);
  return () => clearInterval(timer);
}

describe("DomainVerification", () => {
  test("waits for the record, sends the login arguments in the same up, and follows their changes", async () => {
    scene = await Scene.open();
    scene.stack.declare([domain(), verification({ jitProvisioningEnabled: true, ssoEnforcement: "saml" })]);
    expect(changes(await scene.run((stack) => stack.preview()))).toContain("create proof");
    expect(scene.sent()).toEqual([]);

    const stop = provideRecord();
    try {
      await scene.run((stack) => stack.up());
    } finally {
      stop();
    }
    const id = await scene.id("main");
    expect(await scene.id("proof")).toBe(id);
    const sent = scene.sent();
    expect(sent[0]?.[1]).toBe("domains/");
    expect(sent[1]).toEqual(["POST", `domains/${id}/verify/`]);
    expect(sent.at(-1)).toEqual([
      "PATCH",
      `domains/${id}/`,
      { jit_provisioning_enabled: true, sso_enforcement: "saml" },
    ]);
    expect(await scene.outputs("proof")).toMatchObject({
      domain: "example.com",
      isVerified: true,
      verifiedAt: expect.any(String),
      jitProvisioningEnabled: true,
      ssoEnforcement: "saml",
    });
    await scene.expectNothingToDo();

    await scene.up([domain(), verification({ jitProvisioningEnabled: false, timeoutSeconds: 30 })]);
    expect(scene.sent()).toEqual([
      ["PATCH", `domains/${id}/`, { jit_provisioning_enabled: false, sso_enforcement: "" }],
    ]);
    await scene.ask("PATCH", `domains/${id}/`, { jit_provisioning_enabled: true });
    const drift = await scene.run((stack) => stack.refresh());
    expect(drift.step("proof").diffs).toEqual(["jitProvisioningEnabled"]);
    await scene.again();
    expect(scene.sent()).toEqual([["PATCH", `domains/${id}/`, { jit_provisioning_enabled: false }]]);

    await scene.up([domain()]);
    expect(scene.sent()).toEqual([]);
    // A domain that is verified already: no waiting, and the refusal of a second verification is success.
    await scene.up([domain(), verification()]);
    expect(scene.sent()).toEqual([["POST", `domains/${id}/verify/`]]);
    await scene.run((stack) => stack.destroy());
    expect(scene.emulator.store.domains.all()).toEqual([]);
  });
});

test("DomainVerification: another domain is another verification, and one removed outside is verified anew", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  const stop = provideRecord();
  try {
    await scene.up([domain(), verification()]);
    const moved = await scene.up([domain({ domain: "example.org" }), verification()]);
    expect(moved.step("main").op).toBe("replace");
    expect(await scene.outputs("proof")).toMatchObject({ domain: "example.org", isVerified: true });

    await scene.ask("DELETE", `domains/${await scene.id("main")}/`);
    const refreshed = await scene.run((stack) => stack.refresh());
    expect(changes(refreshed).sort()).toEqual(["delete main", "delete proof"]);
    expect(changes(await scene.again())).toEqual(["create main", "create proof"]);
    await scene.expectNothingToDo();
  } finally {
    stop();
  }
});

test("DomainVerification that runs out of time says what it saw, keeps nothing, and goes on in the next up", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  scene.stack.declare([domain(), verification({ timeoutSeconds: 5 })]);
  const late = await scene.stack.up();
  const challenge = scene.emulator.store.domains.all()[0]?.verification_challenge ?? "";
  expect(late.errors).toContain('DomainVerification "proof": example.com is not verified after 5 s');
  expect(late.errors).toMatch(
    /asked [2-9] times and did not find the TXT record _posthog-challenge\.example\.com/,
  );
  expect(late.errors).toContain(JSON.stringify(challenge));
  expect(late.errors).toContain("dig TXT _posthog-challenge.example.com");
  await expect(scene.id("proof")).rejects.toThrow("the state has no proof");

  scene.emulator.setDns("_posthog-challenge.example.com", challenge);
  expect(changes(await scene.again())).toEqual(["create proof"]);
});

test("DomainVerification outlasts failures of the service", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  await scene.up([domain()]);
  const challenge = scene.emulator.store.domains.all()[0]?.verification_challenge ?? "";
  scene.emulator.setDns("_posthog-challenge.example.com", challenge);
  scene.emulator.faults.add("POST /verify/$ 500 x1; POST /verify/$ reset-after x1");
  await scene.up([domain(), verification()]);
  expect(await scene.outputs("proof")).toMatchObject({ isVerified: true });
});

test("DomainVerification with a key that has scopes says where to press Verify, and sees that someone did", async () => {
  scene = await Scene.open({ scopes: ["*"] });
  await scene.up([domain()]);
  const [row] = scene.emulator.store.domains.all();
  scene.stack.declare([domain(), verification({ timeoutSeconds: 1 })]);
  const nobody = await scene.stack.up();
  expect(said(nobody)).toContain("press Verify beside the domain at http://127.0.0.1");
  expect(nobody.errors).toContain("press Verify");

  scene.stack.declare([domain(), verification({ ssoEnforcement: "github" })]);
  scene.emulator.setDns("_posthog-challenge.example.com", row?.verification_challenge ?? "");
  const isRefused = () =>
    scene.emulator.requests.some(({ path, status }) => path.endsWith("/verify/") && status === 403);
  scene.emulator.clearRequests();
  const up = scene.stack.up();
  let over = false;
  const ended = up.finally(() => (over = true));
  const isOver = (): boolean => over;
  while (!isRefused() && !isOver()) await sleep(20);
  await scene.ask("POST", `domains/${row?.id ?? ""}/verify/`);
  expect(changes(well(await ended))).toEqual(["create proof"]);
  expect(await scene.outputs("proof")).toMatchObject({ isVerified: true, ssoEnforcement: "github" });
  await scene.expectNothingToDo();
});

test("what both Domain and DomainVerification declare is refused, as soon as the domain is known", async () => {
  scene = await Scene.open();
  await scene.up([domain({ ssoEnforcement: "saml" })]);
  scene.stack.declare([
    domain({ ssoEnforcement: "saml" }),
    verification({ ssoEnforcement: "saml", jitProvisioningEnabled: true }),
  ]);
  const both = await scene.stack.preview();
  expect(both.code).not.toBe(0);
  expect(both.errors).toContain('ssoEnforcement: is declared by Domain "main" for example.com, too');
  expect(both.errors).not.toContain("jitProvisioningEnabled: is declared");
});

test("DomainVerification is looked up and adopted by the domain's id, and only where it is verified", async () => {
  scene = await Scene.open();
  const { id, verification_challenge } = (await scene.ask("POST", "domains/", { domain: "example.net" })) as {
    id: string;
    verification_challenge: string;
  };
  const get = { class: "DomainVerification", name: "theirs", get: { id } };
  scene.stack.declare([get]);
  expect((await scene.stack.preview()).errors).toContain("there is no such object");
  scene.emulator.setDns("_posthog-challenge.example.net", verification_challenge);
  await scene.ask("POST", `domains/${id}/verify/`);
  await scene.up([
    get,
    {
      class: "DomainVerification",
      name: "mine",
      args: { domainId: id, adoptId: id, ssoEnforcement: "saml" },
    },
  ]);
  expect(scene.sent()).toEqual([["PATCH", `domains/${id}/`, { sso_enforcement: "saml" }]]);
  expect(await scene.outputs("theirs")).toMatchObject({ domain: "example.net", isVerified: true });
});
