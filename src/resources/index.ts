/*
 * The registry: whatever class stands here is public, has a provider, a page, a row in README and the tests of all
 * kinds. The order of the lines means nothing (see `definitions.ts`).
 */
export { BatchExport, type BatchExportArgs } from "./batch-export";
export { BatchExportBackfill, type BatchExportBackfillArgs } from "./batch-export-backfill";
export { Dashboard, type DashboardArgs } from "./dashboard";
export { DashboardCollaborator, type DashboardCollaboratorArgs } from "./dashboard-collaborator";
export { DashboardTileMove, type DashboardTileMoveArgs } from "./dashboard-tile-move";
export { Domain, type DomainArgs } from "./domain";
export { DomainVerification, type DomainVerificationArgs } from "./domain-verification";
export { FrontendApp, type FrontendAppArgs } from "./frontend-app";
export { HistoricalImport, type HistoricalImportArgs } from "./historical-import";
export { ImportApp, type ImportAppArgs } from "./import-app";
export { Invite, type InviteArgs } from "./invite";
export { InviteBatch, type InviteBatchArgs } from "./invite-batch";
export { Member, type MemberArgs } from "./member";
export { Organization, type OrganizationArgs } from "./organization";
export { PipelineDestination, type PipelineDestinationArgs } from "./pipeline-destination";
export { TeamMember, type TeamMemberArgs } from "./team-member";
