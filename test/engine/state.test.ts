import { carried, declaredArguments, isWaiting, outputsOf, see, visible } from "../../src/engine/state/state";
import { batchExport } from "../../src/resources/batch-export";
import { dashboard } from "../../src/resources/dashboard";
import { domain } from "../../src/resources/domain";
import { frontendApp } from "../../src/resources/frontend-app";
import { organization } from "../../src/resources/organization";

const live = {
  id: 1,
  name: "Growth",
  tags: ["b", "a"],
  pinned: true,
  description: "",
  restriction_level: 21,
  created_at: "2026-01-31T00:00:00Z",
  tiles: [{ id: 1 }],
};

test("an answer is held against what was declared, and against nothing else", () => {
  expect(see(dashboard, live, { name: "Growth", tags: ["a", "b"] })).toEqual({
    values: { name: "Growth", tags: ["a", "b"] },
    drifted: [],
  });
  expect(see(dashboard, live, { name: "Other", tags: ["a"], description: "gone" })).toEqual({
    values: { name: "Growth", tags: ["a", "b"], description: "" },
    drifted: ["name", "tags", "description"],
  });
});

test.each([
  ["write-only", dashboard, { useTemplate: "T" }],
  ["never sent", dashboard, { deleteInsights: true }],
  ["the connection", dashboard, { connection: "eu" }],
  ["what the answer does not speak of", dashboard, { filters: { a: 1 } }],
])("no drift: %s", (_, definition, declared) => {
  expect(see(definition, { ...live, use_template: null, delete_insights: false }, declared)).toEqual({
    values: declared,
    drifted: [],
  });
});

test("what the service dropped is no drift while it stays as it was answered", () => {
  const declared = { tags: ["wanted"] };
  expect(see(dashboard, { tags: [] }, declared, { tags: [] }).drifted).toEqual([]);
  expect(see(dashboard, { tags: ["other"] }, declared, { tags: [] }).drifted).toEqual(["tags"]);
});

test("what waits for verification is no drift before it", () => {
  const declared = { ssoEnforcement: "saml" };
  const answer = { is_verified: false, sso_enforcement: "" };
  expect(isWaiting(domain, "ssoEnforcement", {})).toBe(true);
  expect(see(domain, answer, declared).drifted).toEqual([]);
  expect(see(domain, { ...answer, is_verified: true }, declared).drifted).toEqual(["ssoEnforcement"]);
});

test("a read keeps the secrets that it is not told, and sees everything else of a configuration", () => {
  const declared = {
    destination: { type: "S3", config: { bucketName: "a", region: "r", awsSecretAccessKey: "hush" } },
  };
  const answer = { destination: { type: "S3", config: { bucket_name: "b", region: "r", prefix: "p" } } };
  expect(see(batchExport, answer, declared)).toEqual({
    values: {
      destination: { type: "S3", config: { bucketName: "b", region: "r", awsSecretAccessKey: "hush" } },
    },
    drifted: ["destination"],
  });
});

test("outputs hold what counts for arguments, the service's word on the rest, and nothing volatile", () => {
  const outs = outputsOf(dashboard, live, { name: "Growth", deleteInsights: true }, { __host: "h" });
  expect(outs).toEqual({
    name: "Growth",
    deleteInsights: true,
    tags: ["a", "b"],
    pinned: true,
    description: "",
    restrictionLevel: 21,
    createdAt: "2026-01-31T00:00:00Z",
    __host: "h",
    __declared: ["deleteInsights", "name"],
  });
});

test("no read brings a secret into the state that was not there", () => {
  const answer = { destination: { type: "HTTP", config: { url: "u", token: "hush" } }, name: "x" };
  expect(JSON.stringify(outputsOf(batchExport, answer, { name: "x" }, {}))).not.toContain("hush");
  const plugin = { name: "x", url: "https://github.com/a/b?private_token=hush" };
  expect(JSON.stringify(outputsOf(frontendApp, plugin, { name: "x" }, {}))).not.toContain("hush");
  const teams = [{ id: 1, api_token: "hush" }];
  expect(JSON.stringify(outputsOf(organization, { name: "x", teams }, { name: "x" }, {}))).not.toContain(
    "hush",
  );
});

test("a domain's record follows from what is known of it", () => {
  const answer = { domain: "example.com", verification_challenge: "c" };
  expect(outputsOf(domain, answer, { domain: "example.com" }, {})).toMatchObject({
    dnsRecordName: "_posthog-challenge.example.com",
    dnsRecordValue: "c",
  });
});

test("hidden keys are apart from arguments, and those that both sides share are carried on", () => {
  const props = { name: "a", __provider: "text", __resource: "one", __host: "h", __secret: ["name"] };
  expect(visible(props)).toEqual({ name: "a" });
  expect(carried(props)).toEqual({ __resource: "one", __secret: ["name"] });
  expect(declaredArguments(dashboard, { name: "a", pinned: true, __declared: ["name", "gone"] })).toEqual({
    name: "a",
  });
});
