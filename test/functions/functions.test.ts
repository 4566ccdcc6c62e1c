import { startEmulator, type Emulator } from "../support/emulator";
import { openStack, type Run, type Stack } from "../support/stack";

const PROGRAM = `
const posthog = require("pulumi-posthog");
const dash = new posthog.Dashboard("dash", { name: "Asked", tags: ["b", "a"], restrictionLevel: "collaborators" });
const exported = new posthog.BatchExport("exported", {
  name: "Asked", interval: "day",
  ...(process.env.PROJECT_ROUTE ? { projectId: process.env.POSTHOG_PROJECT_ID } : {}),
  destination: { type: "S3", config: { bucketName: "b", region: "r", prefix: "p", awsAccessKeyId: "AKIA_MARKER", awsSecretAccessKey: "SECRET_MARKER" } },
});
const domain = new posthog.Domain("domain", { domain: "asked.example.org" });
const invite = new posthog.Invite("invite", { targetEmail: "asked@example.org" });
const destination = new posthog.PipelineDestination("destination", { pluginType: "source", name: "Asked destination", capabilities: { methods: ["onEvent"] } });
const frontend = new posthog.FrontendApp("frontend", { pluginType: "source", name: "Asked frontend" });
const updatable = new posthog.PipelineDestination("updatable", { url: "https://github.com/acme/asked-destination", capabilities: { methods: ["onEvent"] } });
const updatableFrontend = new posthog.FrontendApp("updatableFrontend", { url: "https://github.com/acme/asked-frontend", capabilities: { jobs: [] } });
const importer = new posthog.ImportApp("importer", { pluginType: "source", name: "Asked import", capabilities: { scheduled_tasks: ["runEveryMinute"] } });
const all = [dash, exported, domain, invite, destination, frontend, importer, updatable, updatableFrontend];
const pulumi = require("@pulumi/pulumi");
for (const name of ["alan", "katherine"]) {
  const userUuid = posthog.getMemberOutput({ email: name + "@example.com" }).user.uuid;
  // One after the other: the service lists them as they came.
  all.push(new posthog.DashboardCollaborator(name, { dashboardId: dash.id, userUuid }, { dependsOn: all.slice(-1) }));
}
const after = pulumi.all(all.map((resource) => resource.id)).apply(() => process.env.POSTHOG_ORGANIZATION_ID);
const scope = { organizationId: after };
const route = process.env.PROJECT_ROUTE ? { projectId: process.env.POSTHOG_PROJECT_ID } : {};
module.exports = {
  dashboard: posthog.getDashboardOutput({ id: dash.id }),
  dashboards: posthog.getDashboardsOutput({ projectId: after.apply(() => process.env.POSTHOG_PROJECT_ID) }),
  collaborators: posthog.getDashboardCollaboratorsOutput({ dashboardId: dash.id, projectId: after.apply(() => process.env.POSTHOG_PROJECT_ID) }),
  sharing: posthog.getDashboardSharingOutput({ dashboardId: dash.id }),
  organization: posthog.getOrganizationOutput({ organizationId: "@current" }),
  organizations: posthog.getOrganizationsOutput(),
  batchExport: posthog.getBatchExportOutput({ id: exported.id, ...route }),
  batchExports: posthog.getBatchExportsOutput(scope),
  logs: posthog.getBatchExportLogsOutput({ batchExportId: exported.id, limit: 10, ...route }),
  domain: posthog.getDomainOutput({ id: domain.id }),
  sameDomain: posthog.getDomainOutput({ id: domain.id, ...scope }),
  domains: posthog.getDomainsOutput(scope),
  invites: posthog.getInvitesOutput(scope),
  member: posthog.getMemberOutput({ email: "ADA@example.com" }),
  members: posthog.getMembersOutput(scope),
  destination: posthog.getPipelineDestinationOutput({ id: destination.id }),
  destinations: posthog.getPipelineDestinationsOutput(scope),
  frontend: posthog.getFrontendAppOutput({ id: frontend.id }),
  frontends: posthog.getFrontendAppsOutput(scope),
  imports: posthog.getImportAppsOutput(scope),
  source: posthog.getPluginSourceOutput({ id: destination.id }),
  updates: posthog.getPluginUpdatesOutput({ id: updatable.id }),
  activity: posthog.getPluginActivityOutput(scope),
  repository: posthog.getPluginRepositoryOutput(scope),
  unused: posthog.getUnusedPluginsOutput(scope),
  unsubscribe: posthog.getPluginUnsubscribeConfigsOutput(scope),
  frontendSource: posthog.getPluginSourceOutput({ id: frontend.id, kind: "frontendApp" }),
  frontendUpdates: posthog.getPluginUpdatesOutput({ id: updatableFrontend.id, kind: "frontendApp" }),
  frontendActivity: posthog.getPluginActivityOutput({ ...scope, kind: "frontendApp" }),
  frontendRepository: posthog.getPluginRepositoryOutput({ ...scope, kind: "frontendApp" }),
  frontendUnused: posthog.getUnusedPluginsOutput({ ...scope, kind: "frontendApp" }),
  frontendUnsubscribe: posthog.getPluginUnsubscribeConfigsOutput({ ...scope, kind: "frontendApp" }),
};
`;

describe.each(["documented", "upstream"] as const)("every data function, %s shapes", (shapes) => {
  let emulator: Emulator;
  let stack: Stack;
  let up: Run;
  let outputs: Record<string, unknown>;

  beforeAll(async () => {
    // More people than a page of a list holds.
    emulator = await startEmulator({ shapes, members: 119 });
    const env = shapes === "upstream" ? { PROJECT_ROUTE: "1" } : {};
    stack = await openStack({ emulator, env, program: PROGRAM });
    up = await stack.up();
    outputs = up.code === 0 ? await stack.outputs({ showSecrets: true }) : {};
  });
  afterAll(async () => {
    await stack.close();
    await emulator.close();
  });

  it("answers", () => {
    expect(up.errors).toBe("");
    expect(up.code).toBe(0);
    expect(outputs).toMatchObject({
      dashboard: { name: "Asked", tags: ["a", "b"], restrictionLevel: 37, deleted: false },
      dashboards: [{ name: "Asked" }],
      collaborators: [{ user: { email: "alan@example.com" } }, { user: { email: "katherine@example.com" } }],
      sharing: { enabled: false, accessToken: expect.any(String) as string },
      organization: { id: emulator.environment.POSTHOG_ORGANIZATION_ID, memberCount: 120 },
      organizations: [{ name: "Acme" }],
      batchExport: {
        name: "Asked",
        destination: { type: "S3", config: { bucket_name: "b" } },
        latestRuns: [],
      },
      batchExports: [{ name: "Asked" }],
      domain: { domain: "asked.example.org", dnsRecordName: "_posthog-challenge.asked.example.org" },
      domains: [{ isVerified: false }],
      invites: [{ targetEmail: "asked@example.org", status: "pending" }],
      member: { level: 8, user: { email: "ada@example.com" } },
      destination: { name: "Asked destination" },
      updates: { url: "https://github.com/acme/asked-destination" },
      frontend: { name: "Asked frontend" },
      imports: [{ name: "Asked import" }],
    });
    for (const list of [
      "members",
      "destinations",
      "frontends",
      "activity",
      "repository",
      "unused",
      "unsubscribe",
      "logs",
    ]) {
      expect(Array.isArray(outputs[list])).toBe(true);
    }
    expect(outputs["members"]).toHaveLength(120);
  });

  it("asks nothing twice, and writes nothing beyond the resources", async () => {
    emulator.requests.length = 0;
    const preview = await stack.preview();
    expect(preview.errors).toBe("");
    const asked = emulator.requests.map(({ method, path, query }) => `${method} ${path}${query}`);
    expect(asked.filter((request) => !request.startsWith("GET "))).toEqual([]);
    expect(asked.filter((request, index) => asked.indexOf(request) !== index)).toEqual([]);
  });

  it("brings no token and no secret into the state in clear", async () => {
    const state = await stack.stateFile();
    const token = (outputs["sharing"] as { accessToken: string }).accessToken;
    expect(state).not.toContain(token);
    expect(state).not.toContain("SECRET_MARKER");
    expect(JSON.stringify(outputs["organization"])).not.toContain("phc_");
  });
});

describe("a question that cannot be answered", () => {
  it.each([
    ['posthog.getMember({ email: "nobody@example.com" })', /nobody@example\.com is not among the 4 members/],
    ["posthog.getDashboard({ id: 12345 })", /asking getDashboard: GET .* answered 404/],
    ["posthog.getDashboard({ id: 1, nope: 1 })", /getDashboard: .*nope/s],
    ['posthog.getDashboards({ connection: "eu" })', /connection "eu" is not in posthog:connections/],
  ])("%s", async (call, message) => {
    const emulator = await startEmulator();
    const stack = await openStack({
      emulator,
      program: `const posthog = require("pulumi-posthog"); module.exports = async () => ({ answer: await ${call} });`,
    });
    try {
      const run = await stack.preview();
      expect(run.code).not.toBe(0);
      expect(run.output).toMatch(message);
    } finally {
      await stack.close();
      await emulator.close();
    }
  });
});
