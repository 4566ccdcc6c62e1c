import type { ResourceDefinition } from "../engine/definition";
import { batchExport } from "./batch-export";
import { batchExportBackfill } from "./batch-export-backfill";
import { dashboard } from "./dashboard";
import { dashboardCollaborator } from "./dashboard-collaborator";
import { dashboardTileMove } from "./dashboard-tile-move";
import { domain } from "./domain";
import { domainVerification } from "./domain-verification";
import { frontendApp } from "./frontend-app";
import { historicalImport } from "./historical-import";
import { importApp } from "./import-app";
import { invite } from "./invite";
import { inviteBatch } from "./invite-batch";
import { member } from "./member";
import { organization } from "./organization";
import { pipelineDestination } from "./pipeline-destination";
import { teamMember } from "./team-member";

/** Every kind, in the order of README's table. */
export const definitions: readonly ResourceDefinition[] = [
  dashboard,
  dashboardCollaborator,
  dashboardTileMove,
  organization,
  batchExport,
  batchExportBackfill,
  domain,
  domainVerification,
  invite,
  inviteBatch,
  member,
  teamMember,
  pipelineDestination,
  frontendApp,
  importApp,
  historicalImport,
];
