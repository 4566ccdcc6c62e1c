export * from "./batch-exports";
export * from "./dashboards";
export * from "./organizations";
export * from "./people";
export * from "./plugins";
export type { ConnectionArgs, LiftedArgs } from "./data-function";
