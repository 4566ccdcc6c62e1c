import { type Message, startRelay } from "../guarantees/relay";
import { changes, Scene, well } from "../resources/scene";
import { openStack } from "../support/stack";

let scene: Scene;
afterEach(() => scene.close());

/**
 * A stand-in for a DNS provider: a dynamic resource of its own that makes the record by a request, as a provider's
 * would. It takes a moment, so that a verification that did not wait would come too early.
 */
const DNS = `
const pulumi = require("@pulumi/pulumi");
const publish = async ({ name, value }) => {
  await new Promise((resolve) => setTimeout(resolve, 500));
  require("node:fs").appendFileSync(process.env.RECORDS, JSON.stringify({ name, value }) + "\\n");
  return { id: name, outs: { name, value } };
};
const provider = { create: publish, update: (id, olds, news) => publish(news) };
class Txt extends pulumi.dynamic.Resource {
  constructor(name, props, opts) { super(provider, name, props, opts); }
}
`;

describe("components", () => {
  test("VerifiedDomain: domain, record and verification in one, without a deadlock", async () => {
    scene = await Scene.open();
    const records = `${scene.stack.folder}/records.ndjson`;
    scene.stack.env["RECORDS"] = records;
    const program = (domain: string, sso: string) => `${DNS}
const posthog = require("pulumi-posthog");
const main = new posthog.VerifiedDomain("main", {
  domain: ${domain},
  ssoEnforcement: ${JSON.stringify(sso)},
  samlEntityId: "urn:acme",
  timeoutSeconds: 30,
  dnsRecord: ({ name, value }, opts) => new Txt("proof", { name, value }, opts),
});
exports.verified = main.verification.isVerified;
exports.domain = main.verification.domain;
`;
    const { readFileSync, existsSync } = await import("node:fs");
    const published = setInterval(() => {
      if (!existsSync(records)) return;
      for (const line of readFileSync(records, "utf8").split("\n").filter(Boolean)) {
        const { name, value } = JSON.parse(line) as { name: string; value: string };
        scene.emulator.setDns(name, value);
      }
    }, 100);
    try {
      scene.stack.program(program('"example.com"', "saml"));
      expect(changes(await scene.run((stack) => stack.preview()))).toEqual(
        expect.arrayContaining(["create main", "create proof"]),
      );
      expect(scene.sent()).toEqual([]);
      await scene.run((stack) => stack.up());
      expect(await scene.stack.outputs()).toEqual({ verified: true, domain: "example.com" });
      expect(scene.emulator.store.domains.all()).toEqual([
        expect.objectContaining({
          domain: "example.com",
          sso_enforcement: "saml",
          saml_entity_id: "urn:acme",
        }),
      ]);
      await scene.expectNothingToDo();

      scene.stack.program(program('"example.com"', "github"));
      await scene.again();
      expect(scene.sent().map(([, , body]) => body)).toEqual([{ sso_enforcement: "github" }]);

      // The domain has to go before the new one comes; record and verification go with it. The
      // verification says which domain it is of, and keeps to itself what is a secret.
      scene.stack.program(program('pulumi.secret("example.org")', "github"));
      await scene.run((stack) => stack.up());
      expect(await scene.stack.outputs()).toEqual({ verified: true, domain: "[secret]" });
      expect(scene.emulator.store.domains.all()).toEqual([
        expect.objectContaining({ domain: "example.org", sso_enforcement: "github" }),
      ]);
      await scene.run((stack) => stack.destroy());
      expect(scene.emulator.store.domains.all()).toEqual([]);
    } finally {
      clearInterval(published);
    }
  });

  test("Team: one person each; who leaves the list leaves the organization, the others are left alone", async () => {
    scene = await Scene.open();
    scene.emulator.addMember({ email: "joined@example.org" });
    const team = (members: unknown) => `
const posthog = require("pulumi-posthog");
const team = new posthog.Team("people", { members: ${JSON.stringify(members)} });
exports.joined = team.members["joined@example.org"].status;
`;
    const joined = { email: "joined@example.org", level: "admin" };
    scene.stack.program(team([joined, { email: "New@example.org" }]));
    const first = await scene.run((stack) => stack.up());
    expect(changes(first)).toEqual(
      expect.arrayContaining(["create people-joined@example.org", "create people-new@example.org"]),
    );
    expect(
      scene
        .sent()
        .map(([method, path]) => [method, path.split("/")[0]])
        .sort(),
    ).toEqual([
      ["PATCH", "members"],
      ["POST", "invites"],
    ]);
    expect(await scene.stack.outputs()).toEqual({ joined: "member" });
    await scene.expectNothingToDo();

    scene.stack.program(team([joined]));
    await scene.again();
    expect(scene.sent().map(([method]) => method)).toEqual(["DELETE"]);
    expect(scene.emulator.store.invites.all()).toEqual([]);

    scene.stack.program(team([joined, { email: "JOINED@example.org" }]));
    const twice = await scene.stack.preview();
    expect(twice.code).not.toBe(0);
    expect(twice.output).toContain("has joined@example.org more than once");
  });
});

test("Team: a row that a shifting page skips removes nobody", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  const addresses = ["one@example.org", "skipped@example.org", "two@example.org"];
  for (const email of addresses) scene.emulator.addMember({ email });
  let passes = 0;
  let skips = false;
  // Every other pass over the members lacks one, as where someone before them leaves between two pages.
  const relay = await startRelay(scene.emulator, {
    answer: ({ method, path, body }: Message) => {
      if (!skips || method !== "GET" || !path.includes("/members/") || ++passes % 2 === 0) return body;
      const { results, ...page } = body as { results: { user: { email: string } }[] }; // a page of members
      return { ...page, results: results.filter(({ user }) => user.email !== "skipped@example.org") };
    },
  });
  const stack = await openStack({ emulator: relay });
  try {
    stack.program(`
const posthog = require("pulumi-posthog");
new posthog.Team("people", { members: ${JSON.stringify(addresses.map((email) => ({ email, level: "member" })))} });
`);
    well(await stack.up());
    skips = true;
    scene.emulator.clearRequests();
    const again = well(await stack.up({ refresh: true, expectNoChanges: true }));
    expect(changes(again)).toEqual([]);
    expect(passes).toBeGreaterThan(1);
    expect(scene.sent()).toEqual([]);
  } finally {
    await stack.close();
    await relay.close();
  }
});
