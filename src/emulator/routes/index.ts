import type { Route } from "../router";
import { batchExportRoutes } from "./batch-exports";
import { collaboratorRoutes } from "./collaborators";
import { dashboardRoutes } from "./dashboards";
import { domainRoutes } from "./domains";
import { inviteRoutes } from "./invites";
import { memberRoutes } from "./members";
import { organizationRoutes } from "./organizations";
import { pluginRoutes } from "./plugins";
import { projectRoutes } from "./projects";
import { sharingRoutes } from "./sharing";

/** Every management endpoint that the emulator answers. */
export const ROUTES: readonly Route[] = [
  ...projectRoutes,
  ...dashboardRoutes,
  ...collaboratorRoutes,
  ...sharingRoutes,
  ...organizationRoutes,
  ...batchExportRoutes,
  ...domainRoutes,
  ...inviteRoutes,
  ...memberRoutes,
  ...pluginRoutes,
];
