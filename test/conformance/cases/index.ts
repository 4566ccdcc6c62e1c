import { batchExportBackfill } from "./backfill";
import { batchExport } from "./batch-export";
import { dashboardCollaborator, dashboardTileMove } from "./board";
import type { KindCases } from "./case";
import { dashboard } from "./dashboard";
import { domain } from "./domain";
import { historicalImport } from "./historical-import";
import { organization } from "./organization";
import { invite, member } from "./people";
import { frontendApp, importApp, pipelineDestination } from "./plugins";
import { inviteBatch, teamMember } from "./team";
import { domainVerification } from "./verification";

/** Every kind of the registry, in its order, with every argument of theirs. */
export const kinds: readonly KindCases[] = [
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

/** The kinds whose objects are rows of one collection: made, found and changed there, and nowhere else. */
export const rows: readonly KindCases[] = [
  dashboard,
  organization,
  batchExport,
  domain,
  invite,
  member,
  pipelineDestination,
  frontendApp,
  importApp,
];

export type * from "./case";
export { DOOMED, isExempt, slugOf, slugsOf } from "./case";
