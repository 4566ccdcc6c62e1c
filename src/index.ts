export * from "./resources";
export type { BatchExportRun } from "./resources/batch-export-run";
export type {
  DestinationArgs,
  KnownDestinationArgs,
  OtherDestinationArgs,
  OtherDestinationType,
} from "./resources/destination-args";
export type { Destination } from "./resources/destination-field";
export type { KnownDestination } from "./resources/destinations";
export { Team, type TeamArgs, type TeamPerson } from "./components/team";
export { type ProofRecord, VerifiedDomain, type VerifiedDomainArgs } from "./components/verified-domain";
export type { User } from "./resources/user";
export * from "./functions";
