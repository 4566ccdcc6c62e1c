/*
 * What is mounted: a line for each file of endpoints. A path and a method that two of them answer is an error of the
 * router, so the order of the lines means nothing.
 */
export { batchExportRoutes } from "./batch-exports";
export { collaboratorRoutes } from "./collaborators";
export { dashboardRoutes } from "./dashboards";
export { domainRoutes } from "./domains";
export { inviteRoutes } from "./invites";
export { memberRoutes } from "./members";
export { organizationRoutes } from "./organizations";
export { pluginRoutes } from "./plugins";
export { projectRoutes } from "./projects";
export { sharingRoutes } from "./sharing";
