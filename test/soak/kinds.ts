import { SECRETS, secret, type Kind, type Managed } from "./kind";
import { PEOPLE } from "./kinds-people";
import { EVENTS, type List } from "./world";

const inList =
  (list: List) =>
  ({ id }: Managed) =>
    [[list, id]] as const;

const boardArguments = {
  description: ["", "one", secret(SECRETS[3])],
  pinned: [true, false],
  tags: [["a"], ["B", "a"], []],
  filters: [{ date_from: "-7d" }, { date_from: "-1d" }],
  deleteInsights: [true, false],
};

/** What dashboards of all origins have in common. */
const board: Pick<Kind, "class" | "makes" | "shows"> = {
  class: "Dashboard",
  makes: inList("dashboards"),
  shows: ({ emulator }, id) => {
    const row = emulator.store.dashboards.get(Number(id));
    return (
      row && {
        name: row.name,
        description: row.description,
        pinned: row.pinned,
        tags: row.tags,
        restrictionLevel: row.restriction_level,
        filters: row.filters,
      }
    );
  },
};

const s3 = (prefix: string) => ({
  type: "S3",
  config: {
    bucketName: "lake",
    region: "eu-central-1",
    prefix,
    awsAccessKeyId: "AKIA",
    awsSecretAccessKey: secret(SECRETS[0]),
  },
});
const postgres = (tableName: string) => ({
  type: "Postgres",
  config: {
    host: "db.example",
    port: 5432,
    user: "writer",
    password: secret(SECRETS[1]),
    database: "events",
    schema: "public",
    tableName,
  },
});

const exported: Pick<Kind, "class" | "alike" | "makes" | "shows"> = {
  class: "BatchExport",
  alike: true,
  makes: inList("exports"),
  shows: ({ emulator }, id) => {
    const row = emulator.store.batchExports.get(id);
    return row && { name: row.name, interval: row.interval, paused: row.paused, model: row.model };
  },
};

const plugin: Pick<Kind, "makes" | "shows"> = {
  makes: inList("plugins"),
  shows: ({ emulator }, id) => {
    const row = emulator.store.plugins.get(Number(id));
    return row && { isGlobal: row.is_global, icon: row.icon, description: row.description, tag: row.tag };
  },
};

const domain: Pick<Kind, "class" | "changeable" | "makes" | "shows"> = {
  class: "Domain",
  changeable: () => ({ samlEntityId: ["entity", ""], samlAcsUrl: ["https://idp.example/acs"] }),
  makes: inList("domains"),
  shows: ({ emulator }, id) => {
    const row = emulator.store.domains.get(id);
    return row && { domain: row.domain, samlEntityId: row.saml_entity_id, samlAcsUrl: row.saml_acs_url };
  },
};

/** Every kind that can be created, in every way that it can be. */
export const KINDS: Readonly<Record<string, Kind>> = {
  Dashboard: {
    ...board,
    fixed: ({ n }) => ({ name: `Board ${n}` }),
    changeable: () => ({ ...boardArguments, restrictionLevel: ["everyone", "collaborators"] }),
    alike: true,
  },
  "closed Dashboard": {
    ...board,
    fixed: ({ n }) => ({ name: `Closed ${n}`, restrictionLevel: "collaborators" }),
    changeable: () => boardArguments,
  },
  "Dashboard from a template of one's own": {
    ...board,
    fixed: ({ n }) => ({
      name: `Renamed ${n}`,
      template: {
        template_name: `Template ${n}`,
        dashboard_description: "from a template",
        dashboard_filters: {},
        tags: [],
        tiles: [{ type: "TEXT", body: "hello", layouts: {} }],
      },
    }),
    changeable: () => ({ description: ["mine", "ours"], pinned: [true, false] }),
  },
  "Dashboard from one of PostHog's templates": {
    ...board,
    fixed: ({ n }) => ({ name: `Product ${n}`, useTemplate: "DEFAULT_APP" }),
    changeable: () => ({ description: ["mine", "ours"], tags: [["a"], ["c"]] }),
  },
  "Dashboard from another one": {
    ...board,
    fixed: ({ n, world }) => ({ name: `Copy ${n}`, useDashboard: world.sourceDashboard }),
    changeable: () => ({ pinned: [true, false] }),
  },
  DashboardTileMove: {
    class: "DashboardTileMove",
    fixed: ({ world }) => ({ dashboardId: world.sourceDashboard, tileId: world.tile() }),
    refers: { to: "Dashboard", as: "toDashboardId" },
    makes: ({ outputs }) => [["tiles", `${String(outputs["tileId"])}@${String(outputs["toDashboardId"])}`]],
  },
  Organization: {
    class: "Organization",
    fixed: ({ n }) => ({ name: `Organization ${n}` }),
    changeable: () => ({ isMemberJoinEmailEnabled: [true, false], enforce2fa: [true, false] }),
    alike: true,
    makes: inList("organizations"),
    shows: ({ emulator }, id) => {
      const row = emulator.store.organizations.get(id);
      return (
        row && {
          name: row.name,
          isMemberJoinEmailEnabled: row.is_member_join_email_enabled,
          enforce2fa: row.enforce_2fa,
        }
      );
    },
  },
  BatchExport: {
    ...exported,
    fixed: ({ n }) => ({ name: `Export ${n}`, interval: "hour", destination: s3("a/") }),
    changeable: () => ({
      interval: ["hour", "day", "every 5 minutes"],
      paused: [true, false],
      model: ["events", "persons"],
      destination: [s3("b/"), s3("c/")],
      startAt: ["2026-01-01T00:00:00Z", "2026-02-01T01:00:00+01:00"],
    }),
  },
  "BatchExport at the project's route": {
    ...exported,
    fixed: ({ n, world }) => ({
      projectId: world.projectId,
      name: `Table ${n}`,
      interval: "day",
      destination: postgres("events"),
    }),
    changeable: () => ({ paused: [true, false], destination: [postgres("all"), postgres("some")] }),
  },
  BatchExportBackfill: {
    class: "BatchExportBackfill",
    fixed: ({ n }) => ({
      startAt: new Date(Date.UTC(2024, 0, n)).toISOString(),
      endAt: new Date(Date.UTC(2024, 0, n, 6)).toISOString(),
    }),
    refers: { to: "BatchExport", as: "batchExportId" },
    makes: ({ outputs }) => [["backfills", String(outputs["batchExportId"])]],
    stays: true,
  },
  Domain: {
    ...domain,
    fixed: ({ n }) => ({ domain: `n${n}.example.org` }),
    changeable: (n) => ({ ...domain.changeable?.(n), jitProvisioningEnabled: [true, false] }),
  },
  "Domain to verify": { ...domain, fixed: ({ n }) => ({ domain: `verified-${n}.example.org` }) },
  DomainVerification: {
    class: "DomainVerification",
    fixed: () => ({ timeoutSeconds: 30 }),
    changeable: () => ({ jitProvisioningEnabled: [true, false], ssoEnforcement: ["saml", ""] }),
    refers: { to: "Domain to verify", as: "domainId" },
    makes: () => [],
    shows: ({ emulator }, id) => {
      const row = emulator.store.domains.get(id);
      return (
        row && { jitProvisioningEnabled: row.jit_provisioning_enabled, ssoEnforcement: row.sso_enforcement }
      );
    },
  },
  PipelineDestination: {
    ...plugin,
    class: "PipelineDestination",
    fixed: ({ n }) => ({ url: secret(`https://github.com/acme/to-${n}?private_token=${SECRETS[2]}`) }),
    changeable: () => ({
      isGlobal: [true, false],
      icon: ["https://a.example/1.png", "https://a.example/2.png"],
    }),
  },
  FrontendApp: {
    ...plugin,
    class: "FrontendApp",
    fixed: ({ n }) => ({ pluginType: "source", name: `App ${n}` }),
    changeable: () => ({
      description: ["one", "two"],
      configSchema: [[{ key: "a" }], [{ key: "b" }]],
      tag: ["v1", "v2"],
      source: [{ "index.ts": "export {};" }, { "index.ts": "export const a = 1;", "lib.ts": "" }],
    }),
    alike: true,
  },
  ImportApp: {
    class: "ImportApp",
    fixed: ({ n }) => ({ url: secret(`https://github.com/acme/import-${n}?private_token=${SECRETS[2]}`) }),
    makes: inList("imports"),
    stays: true,
  },
  HistoricalImport: {
    class: "HistoricalImport",
    fixed: ({ n, world }) => ({ source: world.events(n), eventsPerMinute: 10_000 }),
    makes: () => Array.from({ length: EVENTS }, () => ["events", "event"] as const),
    stays: true,
  },
  ...PEOPLE,
};
