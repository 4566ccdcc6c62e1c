import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An endpoint of the interface, by method and path template. */
export interface Endpoint {
  method: string;
  template: string;
}

const PLUGIN_KINDS = ["pipeline_destinations", "pipeline_frontend_apps"];
const ROW = /^\| (GET|POST|PATCH|DELETE) \| `([^`]+)` \|/gm;
const CAPTURE = /^`POST \{ingest_url\}(\/batch\/)`/m;

/** Every endpoint of the tables in the kept copy of the interface, the rows for two kinds of plugin twice. */
export function endpointsOfInterface(): Endpoint[] {
  const text = readFileSync(join(__dirname, "..", "interface.md"), "utf8");
  const rows = [...text.matchAll(ROW)].flatMap(([, method = "", path = ""]): Endpoint[] =>
    path.includes("{kind}")
      ? PLUGIN_KINDS.map((kind) => ({ method, template: path.replace("{kind}", kind) }))
      : [{ method, template: path }],
  );
  const capture = CAPTURE.exec(text)?.[1];
  return capture === undefined ? rows : [...rows, { method: "POST", template: capture }];
}

/** `POST /api/…`, for comparison. */
export function keyOf({ method, template }: Endpoint): string {
  return `${method} ${template}`;
}

/** The endpoint that is always refused (405): the emulator's own tests show that. */
export const REFUSED = "DELETE /api/projects/:project_id/dashboards/:id/";

const O = "/api/organizations/:organization_id";
const D = "/api/projects/:project_id/dashboards";

/** The class or function that reaches each endpoint: what the table in README says. */
export const REACHED_BY: Readonly<Record<string, string>> = {
  [`GET ${D}/`]: "`getDashboards`, refresh",
  [`POST ${D}/`]: "`Dashboard`",
  [`GET ${D}/:id/`]: "`getDashboard`, refresh",
  [`PATCH ${D}/:id/`]: "`Dashboard`",
  [REFUSED]: "none: PostHog always refuses it; `Dashboard` is put away by PATCH",
  [`PATCH ${D}/:id/move_tile/`]: "`DashboardTileMove`",
  [`POST ${D}/create_from_template_json/`]: "`Dashboard` with `template`",
  [`GET ${D}/:dashboard_id/collaborators/`]: "`getDashboardCollaborators`, refresh",
  [`POST ${D}/:dashboard_id/collaborators/`]: "`DashboardCollaborator`",
  [`DELETE ${D}/:dashboard_id/collaborators/:user__uuid/`]: "`DashboardCollaborator`",
  [`GET ${D}/:dashboard_id/sharing/`]: "`getDashboardSharing`",
  "GET /api/organizations/": "`getOrganizations`",
  "POST /api/organizations/": "`Organization`",
  "GET /api/organizations/:id/": "`getOrganization`, refresh",
  "PATCH /api/organizations/:id/": "`Organization`",
  "DELETE /api/organizations/:id/": "`Organization`",
  [`GET ${O}/batch_exports/`]: "`getBatchExports`, refresh",
  [`POST ${O}/batch_exports/`]: "`BatchExport`",
  [`GET ${O}/batch_exports/:id/`]: "`getBatchExport`, refresh",
  [`PATCH ${O}/batch_exports/:id/`]: "`BatchExport`",
  [`DELETE ${O}/batch_exports/:id/`]: "`BatchExport`",
  [`POST ${O}/batch_exports/:id/backfill/`]: "`BatchExportBackfill`",
  [`POST ${O}/batch_exports/:id/pause/`]: "`BatchExport` with `paused: true`",
  [`POST ${O}/batch_exports/:id/unpause/`]: "`BatchExport` with `paused: false`",
  [`GET ${O}/batch_exports/:id/logs/`]: "`getBatchExportLogs`",
  [`GET ${O}/domains/`]: "`getDomains`, refresh",
  [`POST ${O}/domains/`]: "`Domain`",
  [`GET ${O}/domains/:id/`]: "`getDomain`, refresh",
  [`PATCH ${O}/domains/:id/`]: "`Domain`, `DomainVerification`",
  [`DELETE ${O}/domains/:id/`]: "`Domain`",
  [`POST ${O}/domains/:id/verify/`]: "`DomainVerification`",
  [`GET ${O}/invites/`]: "`getInvites`, refresh",
  [`POST ${O}/invites/`]: "`Invite`, `TeamMember`",
  [`DELETE ${O}/invites/:id/`]: "`Invite`, `InviteBatch`, `TeamMember`",
  [`POST ${O}/invites/bulk/`]: "`InviteBatch`",
  [`GET ${O}/members/`]: "`getMembers`, `getMember`, refresh",
  [`PATCH ${O}/members/:user__uuid/`]: "`Member`, `TeamMember`",
  [`DELETE ${O}/members/:user__uuid/`]: "`Member`, `TeamMember`",
  ...pluginRows("pipeline_destinations", "PipelineDestination"),
  ...pluginRows("pipeline_frontend_apps", "FrontendApp"),
  [`GET ${O}/pipeline_import_apps/`]: "`getImportApps`, refresh",
  [`POST ${O}/pipeline_import_apps/`]: "`ImportApp`",
  "POST /batch/": "`HistoricalImport`, `npx pulumi-posthog import`",
};

function pluginRows(kind: string, type: string): Record<string, string> {
  const path = `${O}/${kind}`;
  return {
    [`GET ${path}/`]: `\`get${type}s\`, refresh`,
    [`POST ${path}/`]: `\`${type}\``,
    [`GET ${path}/:id/`]: `\`get${type}\`, refresh`,
    [`PATCH ${path}/:id/`]: `\`${type}\``,
    [`DELETE ${path}/:id/`]: `\`${type}\``,
    [`GET ${path}/:id/check_for_updates/`]: '`getPluginUpdates`; preview with `tag: "latest"`',
    [`GET ${path}/:id/source/`]: "`getPluginSource`; refresh with `source`",
    [`PATCH ${path}/:id/update_source/`]: `\`${type}\` with \`source\``,
    [`POST ${path}/:id/upgrade/`]: `\`${type}\` with \`tag\``,
    [`GET ${path}/activity/`]: "`getPluginActivity`",
    [`GET ${path}/exports_unsubscribe_configs/`]: "`getPluginUnsubscribeConfigs`",
    [`GET ${path}/repository/`]: "`getPluginRepository`",
    [`GET ${path}/unused/`]: "`getUnusedPlugins`",
  };
}
