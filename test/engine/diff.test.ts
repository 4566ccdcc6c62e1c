import type { ResourceDefinition } from "../../src/engine/definition";
import { difference, verdict, wantedChanges } from "../../src/engine/state/diff";
import { UNKNOWN } from "../../src/engine/values/unknown";
import { batchExport } from "../../src/resources/batch-export";
import { dashboard } from "../../src/resources/dashboard";
import { dashboardCollaborator } from "../../src/resources/dashboard-collaborator";
import { domain } from "../../src/resources/domain";
import { importApp } from "../../src/resources/import-app";
import { invite } from "../../src/resources/invite";
import { organization } from "../../src/resources/organization";

type Props = Record<string, unknown>;
type Verdict = { changes: boolean; replaces?: string[]; deleteBeforeReplace?: boolean };

const NO = { changes: false };
const s3 = (config: Props): Props => ({ type: "S3", config: { bucketName: "b", ...config } });

/** Definition; declared and stored; wanted; what is sent; what the engine is told. */
const table: [string, ResourceDefinition, Props, Props, Props, Verdict][] = [
  ["nothing", dashboard, { name: "a", tags: ["x"] }, { name: "a", tags: ["x"] }, {}, NO],
  [
    "another value",
    dashboard,
    { name: "a", pinned: true },
    { name: "b", pinned: true },
    { name: "b" },
    { changes: true },
  ],
  [
    "a new argument",
    dashboard,
    { name: "a" },
    { name: "a", pinned: true },
    { pinned: true },
    { changes: true },
  ],
  [
    "one taken out",
    dashboard,
    { name: "a", pinned: true },
    { name: "a" },
    { pinned: false },
    { changes: true },
  ],
  ["one taken out that is empty already", dashboard, { name: "a", tags: [] }, { name: "a" }, {}, NO],
  [
    "one taken out that cannot be cleared",
    dashboard,
    { name: "a", filters: { a: 1 } },
    { name: "a" },
    {},
    NO,
  ],
  ["filters emptied", dashboard, { filters: { a: 1 } }, { filters: {} }, {}, NO],
  [
    "a local one",
    dashboard,
    { deleteInsights: false },
    { deleteInsights: true },
    { deleteInsights: true },
    { changes: true },
  ],
  ["a local one taken out", dashboard, { deleteInsights: true }, {}, {}, { changes: true }],
  [
    "the connection",
    dashboard,
    { connection: "a" },
    { connection: "b" },
    { connection: "b" },
    { changes: true },
  ],
  [
    "one taken out that would make a new object, and has the service's own value",
    dashboardCollaborator,
    { dashboardId: 1, level: 37 },
    { dashboardId: 1 },
    {},
    NO,
  ],
  ["adoptId", dashboard, { name: "a" }, { name: "a", adoptId: "5" }, {}, NO],
  [
    "another project",
    dashboard,
    { projectId: "1" },
    { projectId: "2" },
    { projectId: "2" },
    { changes: true, replaces: ["projectId"] },
  ],
  [
    "a template taken out",
    dashboard,
    { useTemplate: "T" },
    {},
    {},
    { changes: true, replaces: ["useTemplate"] },
  ],
  ["an unknown", dashboard, { name: "a" }, { name: UNKNOWN }, { name: UNKNOWN }, { changes: true }],
  [
    "two-factor undecided",
    organization,
    { name: "a", enforce2fa: true },
    { name: "a" },
    { enforce2fa: null },
    { changes: true },
  ],
  ["pause taken out", batchExport, { paused: true }, {}, { paused: false }, { changes: true }],
  [
    "a key of a configuration",
    batchExport,
    { destination: s3({ region: "x" }) },
    { destination: s3({ region: "y" }) },
    { destination: s3({ region: "y" }) },
    { changes: true },
  ],
  [
    "a key of a configuration taken out",
    batchExport,
    { destination: s3({ region: "x" }) },
    { destination: s3({}) },
    {},
    NO,
  ],
  [
    "a secret of a configuration",
    batchExport,
    { destination: s3({ awsSecretAccessKey: "x" }) },
    { destination: s3({ awsSecretAccessKey: "y" }) },
    { destination: s3({ awsSecretAccessKey: "y" }) },
    { changes: true },
  ],
  [
    "what waits for verification",
    domain,
    { domain: "a.example", isVerified: false },
    { domain: "a.example", ssoEnforcement: "saml" },
    {},
    NO,
  ],
  [
    "what waited, once verified",
    domain,
    { domain: "a.example", isVerified: true },
    { domain: "a.example", ssoEnforcement: "saml" },
    { ssoEnforcement: "saml" },
    { changes: true },
  ],
  [
    "another domain",
    domain,
    { domain: "a.example" },
    { domain: "b.example" },
    { domain: "b.example" },
    { changes: true, replaces: ["domain"], deleteBeforeReplace: true },
  ],
  [
    "anything of an invite",
    invite,
    { message: "a" },
    { message: "b" },
    { message: "b" },
    { changes: true, replaces: ["message"], deleteBeforeReplace: true },
  ],
  [
    "a local one of an invite",
    invite,
    { renewExpired: false },
    { renewExpired: true },
    { renewExpired: true },
    { changes: true, deleteBeforeReplace: true },
  ],
  [
    "anything of an import app",
    importApp,
    { name: "a" },
    { name: "b" },
    { name: "b" },
    { changes: true, replaces: ["name"] },
  ],
];

test.each(table)("%s", (_, definition, stored, wanted, sent, told) => {
  const declared = Object.keys(stored).filter((name) => name in definition.inputs || name === "connection");
  const olds = { ...stored, __declared: declared, __provider: "text", __resource: "one" };
  const news = { ...wanted, __provider: "another", __resource: "one" };
  const found = difference(definition, olds, news);
  expect(wantedChanges(found)).toEqual(sent);
  expect(verdict(definition, olds, found)).toEqual({
    replaces: [],
    deleteBeforeReplace: definition.deleteBeforeReplace === true,
    ...told,
  });
});

test.each<[string, Props, string[]]>([
  ["filters", { filters: { a: 1 } }, ["filters"]],
  ["nothing that is not declared", { isShared: true, createdAt: "then" }, []],
])("what the service cannot clear is named: %s", (_, stored, names) => {
  const olds = { ...stored, __declared: Object.keys(stored).filter((name) => name in dashboard.inputs) };
  expect(difference(dashboard, olds, {}).unclearable).toEqual(names);
});

test.each<[string, Props, Verdict]>([
  ["half done", { name: "a", __todo: ["paused"] }, { changes: true }],
  ["deleted outside", { name: "a", deleted: true }, { changes: true }],
  ["lost", { name: "a", deleted: true, __lost: true }, { changes: true, replaces: ["deleted"] }],
])("an object that is %s is a change, although its arguments are the same", (_, stored, told) => {
  const olds = { ...stored, __declared: ["name"] };
  expect(verdict(dashboard, olds, difference(dashboard, olds, { name: "a" }))).toMatchObject(told);
});

test("a state from before a resource kept what was declared counts every argument as declared", () => {
  expect(wantedChanges(difference(dashboard, { name: "a", pinned: true }, { name: "a" }))).toEqual({
    pinned: false,
  });
});
