import { unknownCheckingProxy, type ResourceValidationPolicy } from "@pulumi/policy";
import { unknownValue } from "@pulumi/pulumi/runtime";
import {
  dashboardOwner,
  exportDestinations,
  exportPauses,
  inviteDomains,
  owners,
  plainSecrets,
  twoFactor,
} from "../../src/policy";
import { definitions } from "../../src/resources/definitions";
import { typeToken } from "../../src/type-token";

/** What a policy says of one resource, as the policy server would ask it. */
async function said(
  policy: ResourceValidationPolicy,
  kind: string,
  props: object,
  configured: object = {},
): Promise<string[]> {
  const messages: string[] = [];
  const options = { protect: false, ignoreChanges: [], aliases: [], additionalSecretOutputs: [] };
  const validate = policy.validateResource;
  if (typeof validate !== "function") throw new Error(`${policy.name} has no single validation`);
  await validate(
    {
      type: typeToken(kind),
      name: "one",
      urn: `urn:pulumi:test::project::${typeToken(kind)}::one`,
      props: unknownCheckingProxy(props),
      opts: { ...options, customTimeouts: { createSeconds: 0, updateSeconds: 0, deleteSeconds: 0 } },
      stackTags: new Map(),
      isType: () => false,
      asType: () => undefined,
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- its signature is the library's
      getConfig: <T extends object>() => configured as T,
      notApplicable: (reason?: string) => {
        throw new Error(reason);
      },
    },
    (message) => messages.push(message),
  );
  return messages;
}

const allow = [
  { type: "S3", regions: ["eu-*"], targets: ["acme-*"] },
  { type: "S3", regions: ["auto"], targets: ["acme-*", "storage.example.com"] },
  { type: "Redshift", regions: ["eu-central-1"] },
  { type: "Postgres", regions: ["eu-central-1"] },
  { type: "Snowflake", regions: ["eu-west-1"], targets: ["ab12345.*"] },
  { type: "BigQuery", targets: ["acme-analytics"] },
  { type: "HTTP", targets: ["eu.i.posthog.com"] },
  { type: "NoOp" },
];

test.each([
  ["S3", { bucketName: "acme-lake", region: "EU-Central-1" }, []],
  ["S3", { bucketName: "acme-lake", region: "auto", endpointUrl: "https://storage.example.com" }, []],
  [
    "S3",
    { bucketName: "acme-lake", region: "eu-west-1", endpointUrl: "https://elsewhere.example" },
    ["target elsewhere.example is not among acme-*"],
  ],
  [
    "S3",
    { bucketName: "acme-lake" },
    ["its configuration does not say the region, which has to be one of eu-*"],
  ],
  ["Redshift", { host: "lake.abc123.eu-central-1.redshift.amazonaws.com" }, []],
  [
    "Redshift",
    { host: "lake.abc123.us-east-1.redshift.amazonaws.com" },
    ["region us-east-1 is not among eu-central-1"],
  ],
  [
    "Postgres",
    { host: "db.example.com" },
    ["its configuration does not say the region, which has to be one of eu-central-1"],
  ],
  ["Snowflake", { account: "ab12345.eu-west-1" }, []],
  [
    "Snowflake",
    { account: "zz99999.us-east-2.aws" },
    ["region us-east-2 is not among eu-west-1", "target zz99999.us-east-2.aws is not among ab12345.*"],
  ],
  ["BigQuery", { projectId: "acme-analytics" }, []],
  ["BigQuery", { projectId: "acme-analytics-x" }, ["target acme-analytics-x is not among acme-analytics"]],
  ["HTTP", { url: "https://eu.i.posthog.com/batch/" }, []],
  [
    "HTTP",
    { url: "https://collect.example/batch/" },
    ["target collect.example is not among eu.i.posthog.com"],
  ],
  ["NoOp", {}, []],
  ["Kafka", {}, ["destinations of type Kafka are not on the list"]],
  ["S3", { bucketName: unknownValue, region: "eu-west-1" }, []],
  ["S3", { bucketName: unknownValue, region: "us-west-1" }, ["region us-west-1 is not among eu-*"]],
])("an export to %s at %j", async (type, config, problems) => {
  expect(await said(exportDestinations({ allow }), "BatchExport", { destination: { type, config } })).toEqual(
    problems,
  );
});

test.each([
  [{}, ["it is paused, and no day is named on which it goes on"]],
  [{ one: "2001-01-31" }, ["it is paused, and was to go on after 2001-01-31"]],
  [{ one: "9999-12-31" }, []],
])("a paused export with %j", async (until, problems) => {
  expect(await said(exportPauses({ until }), "BatchExport", { paused: true })).toEqual(problems);
});

test.each<[string, ResourceValidationPolicy, string, object, number]>([
  ["an owner whom a preview does not know", owners(), "Member", { email: unknownValue, level: 15 }, 0],
  ["a level that a preview does not know", owners(), "Member", { email: "a@b.c", level: unknownValue }, 0],
  ["an owner by UUID", owners({ allowed: ["0A"] }), "Member", { userUuid: "0a", level: 15 }, 0],
  ["another owner by UUID", owners(), "Member", { userUuid: "0a", level: "owner" }, 1],
  ["a subdomain", inviteDomains({ domains: ["b.c"] }), "Invite", { targetEmail: "a@eu.b.c" }, 1],
  ["a domain in capitals", inviteDomains({ domains: ["B.c"] }), "Invite", { targetEmail: "a@b.C" }, 0],
  ["two factors, undecided", twoFactor(), "Organization", {}, 1],
  ["two factors, not known yet", twoFactor(), "Organization", { enforce2fa: unknownValue }, 0],
  ["one resource left alone", twoFactor({ except: ["o*"] }), "Organization", {}, 0],
  ["tags not known yet", dashboardOwner(), "Dashboard", { tags: ["a", unknownValue] }, 0],
  ["a tag without a team", dashboardOwner(), "Dashboard", { tags: ["team:"] }, 1],
  ["a kind of another package", twoFactor(), "Bucket", {}, 0],
  ["an address with a password", plainSecrets(), "ImportApp", { url: "https://u:p4ss@h.example/x" }, 1],
  [
    "a key deep inside",
    plainSecrets(),
    "Dashboard",
    { filters: { a: [{ b: "-----BEGIN PRIVATE KEY-----" }] } },
    1,
  ],
  ["a form of one's own", plainSecrets({ patterns: ["acme-[0-9]+"] }), "Dashboard", { name: "acme-12" }, 1],
  [
    "a key where it belongs",
    plainSecrets(),
    "BatchExport",
    { destination: { type: "S3", config: { awsAccessKeyId: "AKIAABCDEFGHIJKLMNOP" } } },
    0,
  ],
])("%s", async (_, policy, kind, props, count) => {
  expect(await said(policy, kind, props)).toHaveLength(count);
});

test.each(definitions.map(({ type }) => [type]))("a key in plain text in a %s", async (kind) => {
  expect(await said(plainSecrets(), kind, { anything: "AKIAABCDEFGHIJKLMNOP" })).toHaveLength(1);
});

test("the pack's configuration counts before what the program says", async () => {
  const policy = inviteDomains({ domains: ["one.example"] });
  expect(await said(policy, "Invite", { targetEmail: "a@one.example" })).toEqual([]);
  const configured = { domains: ["two.example"] };
  expect(await said(policy, "Invite", { targetEmail: "a@one.example" }, configured)).toHaveLength(1);
});

test("an option of the wrong form is refused where the policy is made", () => {
  expect(() => exportPauses({ until: { one: "soon" } })).toThrow(
    /policy posthog-export-pauses: .*until\.one/,
  );
});
