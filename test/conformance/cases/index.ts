import { batchExport } from "./batch-export";
import type { KindCases } from "./case";
import { dashboard } from "./dashboard";
import { domain } from "./domain";
import { organization } from "./organization";
import { invite, member } from "./people";
import { frontendApp, importApp, pipelineDestination } from "./plugins";

/** The nine kinds with every argument of theirs. */
export const kinds: readonly KindCases[] = [
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
export { slugOf } from "./case";
