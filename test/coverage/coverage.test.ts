import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../support/emulator";
import { ROOT } from "../support/engine";
import { openStack, type Stack } from "../support/stack";
import { REACHED_BY, REFUSED, endpointsOfInterface, keyOf } from "./endpoints";

/**
 * One program that uses every class and function; VERSION 2 of it changes what VERSION 1 made. All requests that
 * the emulator sees are the package's: this file makes none of its own.
 */
const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const posthog = require("pulumi-posthog");
const second = process.env.VERSION === "2";
const text = (body) => ({ type: "TEXT", body, layouts: {} });
const plain = new posthog.Dashboard("plain", { name: second ? "Changed" : "Plain", restrictionLevel: "collaborators" });
const made = new posthog.Dashboard("made", { template: { template_name: "Made", dashboard_description: "", dashboard_filters: {}, tiles: [text("one"), text("two")] } });
const tiles = posthog.getDashboardOutput({ id: made.id }).tiles;
if (!second) new posthog.DashboardTileMove("move", { dashboardId: made.id.apply(Number), tileId: tiles.apply((all) => Number(all[0].id)), toDashboardId: plain.id.apply(Number) });
const alan = posthog.getMemberOutput({ email: "alan@example.com" });
new posthog.DashboardCollaborator("alan", { dashboardId: plain.id.apply(Number), userUuid: alan.apply((member) => member.user.uuid) });
new posthog.Organization("org", { name: second ? "Changed" : "Made" });
const exported = new posthog.BatchExport("exported", { name: second ? "Changed" : "Made", interval: "hour", paused: !second,
  destination: { type: "NoOp", config: {} } });
new posthog.BatchExportBackfill("backfill", { batchExportId: exported.id, startAt: "2024-01-01T00:00:00Z", endAt: "2024-01-02T00:00:00Z" });
const domain = new posthog.Domain("domain", { domain: "covered.example.org", samlEntityId: second ? "two" : "one" });
const dns = new (class extends pulumi.dynamic.Resource {
  constructor(name, props) {
    super({ async create(inputs) {
      const answer = await fetch(inputs.host + "/_emulator/dns", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name: inputs.name, value: inputs.value }) });
      if (!answer.ok) throw new Error(await answer.text());
      return { id: inputs.name, outs: inputs };
    } }, name, props);
  }
})("dns", { host: process.env.POSTHOG_HOST, name: domain.dnsRecordName, value: domain.dnsRecordValue });
new posthog.DomainVerification("verified", { domainId: domain.id, jitProvisioningEnabled: true }, { dependsOn: [dns] });
new posthog.Invite("invite", { targetEmail: second ? "changed@example.org" : "invited@example.org" });
new posthog.InviteBatch("batch", { invites: [{ targetEmail: "batch1@example.org" }, { targetEmail: second ? "batch3@example.org" : "batch2@example.org" }] });
new posthog.Member("katherine", { email: "katherine@example.com", level: second ? "member" : "admin" });
const source = (name) => ({ "index.ts": "export function " + name + "() {}" + (second ? " // changed" : ""), "plugin.json": '{"name": "Covered"}' });
const updates = {};
for (const [Kind, name, method] of [[posthog.PipelineDestination, "destination", "onEvent"], [posthog.FrontendApp, "frontend", "inject"]]) {
  const sourced = new Kind(name, { pluginType: "source", name: "Covered", description: second ? "changed" : "made", source: source(method),
    ...(method === "onEvent" ? { capabilities: { methods: ["onEvent"] } } : {}) });
  updates[name] = posthog.getPluginUpdatesOutput({ kind: name === "frontend" ? "frontendApp" : "pipelineDestination", id: new Kind(name + "Tagged", { url: "https://github.com/acme/covered-" + name, tag: second ? "2.0.0" : "latest", ...(method === "onEvent" ? { capabilities: { methods: ["onEvent"] } } : { capabilities: { jobs: [] } }) }).id });
}
new posthog.ImportApp("importer", { pluginType: "source", name: "Covered import", capabilities: { scheduled_tasks: ["runEveryMinute"] } });
new posthog.HistoricalImport("past", { source: process.env.EVENTS });
const scope = { organizationId: plain.id.apply(() => process.env.POSTHOG_ORGANIZATION_ID) };
module.exports = {
  updates,
  dashboards: posthog.getDashboards(),
  collaborators: posthog.getDashboardCollaboratorsOutput({ dashboardId: plain.id }),
  sharing: posthog.getDashboardSharingOutput({ dashboardId: plain.id }),
  organizations: posthog.getOrganizations(),
  exports: posthog.getBatchExportsOutput(scope),
  logs: posthog.getBatchExportLogsOutput({ batchExportId: exported.id }),
  domains: posthog.getDomainsOutput(scope),
  invites: posthog.getInvitesOutput(scope),
  ...Object.fromEntries(["pipelineDestination", "frontendApp"].map((kind) => [kind, pulumi.all([
    posthog.getPluginActivityOutput({ ...scope, kind }), posthog.getPluginRepositoryOutput({ ...scope, kind }),
    posthog.getUnusedPluginsOutput({ ...scope, kind }), posthog.getPluginUnsubscribeConfigsOutput({ ...scope, kind }),
  ])])),
  lists: pulumi.all([posthog.getPipelineDestinationsOutput(scope), posthog.getFrontendAppsOutput(scope), posthog.getImportAppsOutput(scope)]),
};
`;

describe("the 67 endpoints of the interface", () => {
  const endpoints = endpointsOfInterface().map(keyOf);
  let emulator: Emulator;
  let stack: Stack;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "covered-"));
    const events = join(folder, "events.ndjson");
    await writeFile(
      events,
      '{"event": "covered", "distinct_id": "a", "timestamp": "2023-01-01T00:00:00Z"}\n',
    );
    emulator = await startEmulator();
    stack = await openStack({ emulator, env: { EVENTS: events, VERSION: "1" }, program: PROGRAM });
  });
  afterAll(async () => {
    await stack.close();
    await emulator.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("are those that README's table names", () => {
    expect(endpoints).toHaveLength(67);
    expect(Object.keys(REACHED_BY).sort()).toEqual([...endpoints].sort());
    const readme = readFileSync(join(ROOT, "README.md"), "utf8")
      .replaceAll(/ +\| /g, " | ")
      .replaceAll(/ +\|$/gm, " |");
    const missing = Object.entries(REACHED_BY).filter(
      ([key, by]) => !readme.includes(`| \`${key}\` | ${by} |`),
    );
    expect(missing).toEqual([]);
  });

  it("are all reached by the package through the engine but the one that is always refused", async () => {
    const runs = [await stack.up()];
    stack.env["VERSION"] = "2";
    runs.push(
      await stack.up(),
      await stack.refresh(),
      await stack.preview({ expectNoChanges: true }),
      await stack.destroy(),
    );
    expect(runs.map((run) => run.errors)).toEqual(["", "", "", "", ""]);
    expect(runs[3]?.changed.map(({ op, name, diffs }) => [op, name, diffs])).toEqual([]);
    expect(runs.map((run) => run.code)).toEqual([0, 0, 0, 0, 0]);
    const seen = new Set(emulator.requests.map(({ method, template = "" }) => keyOf({ method, template })));
    const missing = endpoints.filter((endpoint) => endpoint !== REFUSED && !seen.has(endpoint));
    expect(missing).toEqual([]);
    expect(seen.has(REFUSED)).toBe(false);
    expect(emulator.unknownRoutes).toEqual([]);
  });
});
