import { typeToken } from "../type-token";

/** Kinds of resources that policies look at, by their class. */
export const KINDS = [
  "Dashboard",
  "DashboardCollaborator",
  "DashboardTileMove",
  "Organization",
  "BatchExport",
  "BatchExportBackfill",
  "Domain",
  "DomainVerification",
  "Invite",
  "InviteBatch",
  "Member",
  "TeamMember",
  "PipelineDestination",
  "FrontendApp",
  "ImportApp",
  "HistoricalImport",
] as const;

/** A kind of resource, by its class. */
export type Kind = (typeof KINDS)[number];

const kinds = new Map<string, Kind>(KINDS.map((kind) => [typeToken(kind), kind]));

/** The kind of a type token; undefined for resources of other packages. */
export function kindOf(token: string): Kind | undefined {
  return kinds.get(token);
}
