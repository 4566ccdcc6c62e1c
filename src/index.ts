export { Dashboard, type DashboardArgs } from "./resources/dashboard";
export { DashboardCollaborator, type DashboardCollaboratorArgs } from "./resources/dashboard-collaborator";
export { DashboardTileMove, type DashboardTileMoveArgs } from "./resources/dashboard-tile-move";
export { Organization, type OrganizationArgs } from "./resources/organization";
export { BatchExport, type BatchExportArgs } from "./resources/batch-export";
export { BatchExportBackfill, type BatchExportBackfillArgs } from "./resources/batch-export-backfill";
export type { BatchExportRun } from "./resources/batch-export-run";
export type {
  DestinationArgs,
  KnownDestinationArgs,
  OtherDestinationArgs,
  OtherDestinationType,
} from "./resources/destination-args";
export type { Destination } from "./resources/destination-field";
export type { KnownDestination } from "./resources/destinations";
export { Domain, type DomainArgs } from "./resources/domain";
export { DomainVerification, type DomainVerificationArgs } from "./resources/domain-verification";
export { Invite, type InviteArgs } from "./resources/invite";
export { InviteBatch, type InviteBatchArgs } from "./resources/invite-batch";
export { Member, type MemberArgs } from "./resources/member";
export { TeamMember, type TeamMemberArgs } from "./resources/team-member";
export { PipelineDestination, type PipelineDestinationArgs } from "./resources/pipeline-destination";
export { FrontendApp, type FrontendAppArgs } from "./resources/frontend-app";
export { ImportApp, type ImportAppArgs } from "./resources/import-app";
export { HistoricalImport, type HistoricalImportArgs } from "./resources/historical-import";
export { Team, type TeamArgs, type TeamPerson } from "./components/team";
export { type ProofRecord, VerifiedDomain, type VerifiedDomainArgs } from "./components/verified-domain";
export type { User } from "./resources/user";
export * from "./functions";
