import ts from "typescript";
import type { z } from "zod";
import { destinationConfigs } from "../../src/resources/destinations";
import { definitions } from "../../src/resources/definitions";
import { ensureBuilt } from "./built";
import { Editor, NODE16, type Setting } from "./editor";

beforeAll(ensureBuilt);

const HEAD = `import * as pulumi from "@pulumi/pulumi";\nimport * as posthog from "pulumi-posthog";\n`;
const LINES = HEAD.split("\n").length - 1;
const program = (text: string): string => HEAD + text;

const settings: [string, Setting][] = [
  ["node16", NODE16],
  ["nodenext", { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }],
  ["bundler", { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
];

test.each(settings)("what is right compiles (%s)", (_, setting) => {
  const editor = new Editor(
    program(`
const organization = new posthog.Organization("acme", { name: "Acme", enforce2fa: true });
const dashboard = new posthog.Dashboard("a", { name: "A", tags: ["a", pulumi.output("b")], restrictionLevel: "everyone" });
const tags: pulumi.Output<string[] | undefined> = dashboard.tags;
const name: pulumi.Output<string | undefined> = dashboard.name;
new posthog.Dashboard("b", { name, tags, pinned: dashboard.pinned, restrictionLevel: dashboard.restrictionLevel });
new posthog.Dashboard("c");
new posthog.Dashboard("d", {}, { protect: true, dependsOn: [dashboard] });
new posthog.Dashboard("e", undefined, { protect: true });
new posthog.Dashboard("f", { connection: "eu", adoptId: dashboard.id });

const found: posthog.Dashboard = posthog.Dashboard.get("g", "42");
posthog.Dashboard.get("h", found.id, { projectId: "2", connection: "eu" }, { protect: true });
const own: posthog.Organization = posthog.Organization.get("i", "@current");
const project: pulumi.Output<number | undefined> = own.teams.apply((teams) => teams?.[0]?.id);

new posthog.Domain("j", { domain: "example.com", organizationId: organization.id });
const record: pulumi.Output<string | undefined> = new posthog.Domain("k", { domain: "a.b" }).dnsRecordValue;

for (const level of [1, 8, 15, "member", "admin", "owner"] as const) new posthog.Member("l", { email: "a@b.c", level });
const member = new posthog.Member("m", { userUuid: pulumi.output("u"), level: pulumi.output("admin" as const) });
const level: pulumi.Output<1 | 8 | 15> = member.level;
new posthog.Invite("n", { targetEmail: "a@b.c", level, privateProjectAccess: [{ id: 1, level: 8 }] });
const person: pulumi.Output<posthog.User | undefined> = member.user;
const address: pulumi.Output<string | undefined> = member.user.apply((user) => user?.email);
const status: pulumi.Output<"pending" | "expired" | "accepted" | undefined> =
  posthog.Invite.get("o", "id", { organizationId: organization.id }).status;

const secret = pulumi.secret("s");
new posthog.BatchExport("p", {
  name: "P", interval: "hour", paused: true, startAt: "2026-01-01T00:00:00Z",
  destination: { type: "S3", config: { bucketName: dashboard.id, region: "r", prefix: "", awsAccessKeyId: secret, includeEvents: ["a", secret] } },
});
new posthog.BatchExport("q", { name: "Q", interval: pulumi.output("day" as const), destination: { type: "NoOp" } });
new posthog.BatchExport("r", { name: "R", interval: "day", destination: { type: "Databricks", config: { server: secret } } });
for (const type of ["S4", "SFTP", "BigLake", "Postgres2", "DeltaLake", "NoSQL"] as const)
  new posthog.BatchExport("s", { name: "S", interval: "day", destination: { type, config: {} } });
new posthog.BatchExport("t", { name: "T", interval: "day", destination: { type: "" as string as posthog.OtherDestinationType } });
new posthog.BatchExport("u", { name: "U", interval: "day", destination: { type: secret, config: secret.apply(() => ({ a: 1 })) } });
const args: posthog.BatchExportArgs = { name: "V", interval: "week", destination: pulumi.output({ type: "HTTP", config: { url: "u", token: "t" } } as const) };
new posthog.BatchExport("v", args);

new posthog.PipelineDestination("w", { url: "https://example.com/plugin", configSchema: [{ key: "a", nested: secret }] });
new posthog.FrontendApp("x", { pluginType: "source", name: "X" });
new posthog.ImportApp("y", { url: "https://example.com/plugin" });
class Own extends posthog.Dashboard {}
const subclass: Own = Own.get("z", "1");
export const outputs = { project, record, person, address, status, subclass, kind: posthog.Dashboard.__pulumiType };
`),
    setting,
  );
  expect(editor.errors()).toEqual([]);
});

/** Each is an error of its own, told on its line with these words. */
const wrong: [string, RegExp][] = [
  [`new posthog.Organization("a");`, /Expected 2-3 arguments/],
  [`new posthog.Organization("a", {});`, /'name' is missing/],
  [`new posthog.Domain("a", { domian: "example.com" });`, /'domian' does not exist/],
  [`new posthog.Dashboard("a", { Name: "A" });`, /'Name' does not exist/],
  [`new posthog.Dashboard("a", { name: 5 });`, /'number' is not assignable/],
  [`new posthog.Dashboard("a", { tags: "a" });`, /'"?\w+"?' is not assignable/],
  [`new posthog.Dashboard("a", { restrictionLevel: 22 });`, /'22' is not assignable/],
  [`new posthog.Dashboard("a", { restrictionLevel: "nobody" });`, /'"nobody"' is not assignable/],
  [`new posthog.Dashboard("a", { createdAt: "now" });`, /'createdAt' does not exist/],
  [`new posthog.Member("a", { email: "a@b.c" });`, /'level' is missing/],
  [`new posthog.Member("a", { email: "a@b.c", level: 7 });`, /'7' is not assignable/],
  [`new posthog.Member("a", { email: "a@b.c", level: "boss" });`, /'"boss"' is not assignable/],
  [
    `new posthog.Invite("a", { targetEmail: "a@b.c", privateProjectAccess: [{ id: 1 }] });`,
    /'level' is missing/,
  ],
  [`new posthog.FrontendApp("a", { pluginType: "npm" });`, /'"npm"' is not assignable/],
  [`new posthog.BatchExport("a", { name: "A", interval: "hour" });`, /'destination' is missing/],
  [
    `new posthog.BatchExport("a", { name: "A", interval: "minute", destination: { type: "NoOp" } });`,
    /"minute"/,
  ],
  [exported(`{ type: "S3", config: { region: "r", prefix: "" } }`), /'bucketName' is missing/],
  [
    exported(`{ type: "S3", config: { bucketName: "b", region: "r", prefix: "", bukcet: 1 } }`),
    /'bukcet' does not exist/,
  ],
  [
    exported(`{ type: "S3", config: { bucketName: "b", region: "r", prefix: "", compression: "zip" } }`),
    /"zip"/,
  ],
  [exported(`{ type: "S3" }`), /'config' is missing|not assignable/],
  [
    exported(`{ type: "Postgres", config: { user: "u", password: "p", host: "h" } }`),
    /'database' is missing/,
  ],
  [exported(`{ type: "HTTP", config: { url: "u" } }`), /'token' is missing/],
  [exported(`{ type: "Databricks", config: {}, extra: 1 }`), /'extra' does not exist/],
  [exported(`{ type: 5 }`), /'number' is not assignable/],
  [`new posthog.Dashboard("a").nmae;`, /'nmae' does not exist/],
  [`const a: pulumi.Output<string> = new posthog.Dashboard("a").name;`, /is not assignable/],
  [`const a: posthog.Domain = posthog.Dashboard.get("a", "1");`, /'Domain'/],
  [`posthog.Dashboard.get("a");`, /Expected 2-4 arguments/],
  [`posthog.Dashboard.get("a", "1", { adoptId: "1" });`, /'adoptId' does not exist/],
];

function exported(destination: string): string {
  return `new posthog.BatchExport("a", { name: "A", interval: "hour", destination: ${destination} });`;
}

test("what is wrong does not compile, and the error names it", () => {
  const errors = new Editor(program(wrong.map(([line]) => line).join("\n"))).errors();
  expect.assertions(wrong.length);
  for (const [index, [line, words]] of wrong.entries()) {
    const told = errors.filter((error) => error.startsWith(`${index + 1 + LINES}: `)).join("\n");
    expect(`${line}\n${told}`).toMatch(words);
  }
});

test("every argument and output of every kind is shown with its documentation", () => {
  const kinds = definitions.map(({ type }) => type);
  const editor = new Editor(
    program(
      kinds
        .map(
          (kind) =>
            `export const a${kind}: Partial<posthog.${kind}Args> = { /*|*/ }; posthog.${kind}.get("a", "1")./*|*/;`,
        )
        .join("\n"),
    ),
  );
  const undocumented: string[] = [];
  const look = (mark: number, type: string, name: string, lifted: RegExp): void => {
    const { text, documentation } = editor.offered(mark, name);
    if (!/\S.*[.`]$/s.test(documentation) || !lifted.test(text))
      undocumented.push(`${type}: ${text}: ${documentation}`);
  };
  for (const [index, { type, inputs, outputs }] of definitions.entries()) {
    const offered = editor.complete(2 * index);
    expect(offered).toEqual(expect.arrayContaining(Object.keys(inputs)));
    for (const name of offered) look(2 * index, type, name, /pulumi\.Input<|: unknown$/);
    for (const name of [...Object.keys(inputs), ...Object.keys(outputs)])
      look(2 * index + 1, type, name, /pulumi\.Output(Instance)?</);
  }
  expect(undocumented).toEqual([]);
});

test("everything that the package exports says what it is", () => {
  const editor = new Editor(program(`posthog./*|*/`));
  const exported = editor.complete(0);
  expect(exported).toEqual(
    expect.arrayContaining([...definitions.map(({ type }) => type), "Team", "getMembersOutput"]),
  );
  const silent = exported.filter((name) => !/\S.*[.`]$/s.test(editor.offered(0, name).documentation));
  expect(silent).toEqual([]);
});

test("the configuration of each destination type is offered alone, documented", () => {
  const types = Object.entries(destinationConfigs);
  const editor = new Editor(
    program(
      types.map(([type]) => exported(`{ type: "${type}", config: { /*|*/ } }`)).join("\n") +
        exported(`{ type: "/*|*/" }`),
    ),
  );
  for (const [index, [, config]] of types.entries()) {
    const shape: Record<string, z.ZodType> = config.shape;
    expect(editor.complete(index)).toEqual(Object.keys(shape).sort());
    for (const key of Object.keys(shape)) expect(editor.offered(index, key).documentation).toMatch(/\S.*\.$/);
  }
  expect(editor.complete(types.length)).toEqual(Object.keys(destinationConfigs).sort());
});

/** A name to hover over, and what is shown then. */
const hovered: [string, RegExp, RegExp][] = [
  [
    `new posthog./*?*/Dashboard("a", {});`,
    /new Dashboard\(name: string, args\?: posthog\.DashboardArgs/,
    /A dashboard of a project/,
  ],
  [
    `new posthog./*?*/Organization("a", { name: "A" });`,
    /args: posthog\.OrganizationArgs/,
    /`@current` moves/,
  ],
  [`posthog.Dashboard./*?*/get("a", "1");`, /state\?: .*: posthog\.Dashboard$/s, /never changed/],
  [`new posthog.Dashboard("a", { /*?*/tags: [] });`, /tags\?: pulumi\.Input</, /lower case/],
  [`new posthog.Dashboard("a")./*?*/tags;`, /tags: pulumi\.Output<string\[\] \| undefined>/, /lower case/],
  [`new posthog.Dashboard("a", { /*?*/adoptId: "1" });`, /adoptId\?/, /exists already/],
  [
    exported(`{ type: "S3", config: { /*?*/bucketName: "b", region: "r", prefix: "" } }`),
    /bucketName: pulumi\.Input<string>/,
    /Name of the bucket/,
  ],
  [
    `new posthog.BatchExport("a", { name: "A", interval: "hour", /*?*/destination: { type: "NoOp" } });`,
    /pulumi\.Input<.*DestinationArgs>/,
    /Where it goes/,
  ],
  [
    `new posthog.Invite("a", { targetEmail: "a@b.c", privateProjectAccess: [{ id: 1, /*?*/level: 1 }] });`,
    // The compiler orders a union by when it first met its parts.
    /level: pulumi\.Input<(?=.*\b1\b)(?=.*\b8\b)(?=.*"member")(?=.*"admin")[\w| "]+>/,
    /admin/,
  ],
  [
    `posthog.Member.get("a", "1").user.apply((user) => user?./*?*/email);`,
    /email\?: string/,
    /E-mail address/,
  ],
  [
    `posthog.Organization.get("a", "1").teams.apply((teams) => teams?.[0]?./*?*/timezone);`,
    /timezone\?: string/,
    /Time zone/,
  ],
];

test("hovering shows the type by its name and what the thing means", () => {
  const editor = new Editor(program(hovered.map(([line]) => line).join("\n")));
  expect(editor.errors()).toEqual([]);
  for (const [index, [, text, documentation]] of hovered.entries()) {
    const { text: said, documentation: explained } = editor.hover(index);
    expect(said).toMatch(text);
    expect(explained).toMatch(documentation);
    expect(said).not.toMatch(/Zod|\.\.\. \d+ more/);
  }
});
