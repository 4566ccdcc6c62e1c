import { withoutSecrets } from "../rules/export-destinations";
import { newestFirst } from "../http/pages";
import type { BatchExport } from "../store/entities";
import type { World } from "../world/world";

const LATEST_RUNS = 10;

/** The document shows `hogql_query`; the service never reads it back, and what became of it stands in `schema`. */
export function printBatchExport(world: World, batchExport: BatchExport) {
  const { type, config } = batchExport.destination;
  const runs = world.store.exportRuns.filter((run) => run.batch_export === batchExport.id);
  return {
    id: batchExport.id,
    team_id: batchExport.project_id,
    name: batchExport.name,
    model: batchExport.model,
    destination: { type, config: withoutSecrets(world, type, config) },
    interval: batchExport.interval,
    paused: batchExport.paused,
    created_at: batchExport.created_at,
    last_updated_at: batchExport.last_updated_at,
    last_paused_at: batchExport.last_paused_at,
    start_at: batchExport.start_at,
    end_at: batchExport.end_at,
    latest_runs: newestFirst(runs, (run) => run.created_at).slice(0, LATEST_RUNS),
    ...(world.upstream ? {} : { hogql_query: batchExport.hogql_query ?? null }),
    schema: batchExport.schema,
  };
}
