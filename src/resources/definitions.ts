import type { ResourceDefinition } from "../engine/definition";
import { batchExport } from "./batch-export";
import { dashboard } from "./dashboard";
import { domain } from "./domain";
import { frontendApp } from "./frontend-app";
import { historicalImport } from "./historical-import";
import { importApp } from "./import-app";
import { invite } from "./invite";
import { member } from "./member";
import { organization } from "./organization";
import { pipelineDestination } from "./pipeline-destination";

/** Every kind, in the order of README's table. */
export const definitions: readonly ResourceDefinition[] = [
  dashboard,
  organization,
  batchExport,
  domain,
  invite,
  member,
  pipelineDestination,
  frontendApp,
  importApp,
  historicalImport,
];
