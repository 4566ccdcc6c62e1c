export { Dashboard, type DashboardArgs } from "./resources/dashboard";
export { Organization, type OrganizationArgs } from "./resources/organization";
export { BatchExport, type BatchExportArgs } from "./resources/batch-export";
export type {
  DestinationArgs,
  KnownDestinationArgs,
  OtherDestinationArgs,
  OtherDestinationType,
} from "./resources/destination-args";
export type { Destination } from "./resources/destination-field";
export type { KnownDestination } from "./resources/destinations";
export { Domain, type DomainArgs } from "./resources/domain";
export { Invite, type InviteArgs } from "./resources/invite";
export { Member, type MemberArgs } from "./resources/member";
export { PipelineDestination, type PipelineDestinationArgs } from "./resources/pipeline-destination";
export { FrontendApp, type FrontendAppArgs } from "./resources/frontend-app";
export { ImportApp, type ImportAppArgs } from "./resources/import-app";
export { HistoricalImport, type HistoricalImportArgs } from "./resources/historical-import";
export type { User } from "./resources/user";
export * from "./functions";
