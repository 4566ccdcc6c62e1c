import { randomUUID } from "node:crypto";

import { type Answer, type Call, ok } from "../http/call";
import { crash, invalid, notAuthenticated } from "../http/errors";
import { findExport } from "../rules/export-scope";
import { dateTime, integer, text, under } from "../fields/fields";
import { isObject, isTruthy, type Json } from "../fields/json";
import { page } from "../http/pages";
import { currentProject } from "../world/people";
import type { BatchExport, Interval } from "../store/entities";
import { parseTime, type ParsedTime, printTime, pythonIsoFormat } from "../fields/times";
import { printBatchExport } from "../views/batch-export";
import type { World } from "../world/world";

const MINUTE = 60_000;
const INTERVALS: Readonly<Record<Interval, number>> = {
  "every 5 minutes": 5 * MINUTE,
  hour: 60 * MINUTE,
  day: 24 * 60 * MINUTE,
  week: 7 * 24 * 60 * MINUTE,
};

/** Runs that one backfill leaves at most: enough for every list, and small whatever the range. */
const MOST_RUNS = 100;

/** The document shows the export as the answer of its actions; the service answers a word about each. */
function answer(call: Call, batchExport: BatchExport, upstream: unknown): Answer {
  return ok(call.world.upstream ? upstream : printBatchExport(call.world, batchExport));
}

export function pause(call: Call): Answer {
  const { world } = call;
  const batchExport = findExport(call);
  if (!batchExport.paused) {
    world.store.batchExports.update(batchExport, {
      paused: true,
      last_paused_at: world.time,
      last_updated_at: world.time,
    });
  }
  return answer(call, batchExport, { paused: true });
}

export function unpause(call: Call): Answer {
  const { world } = call;
  // Upstream wants to write down for which project its caller asks.
  if (!currentProject(world, call.user)) throw notAuthenticated();
  const body = call.body();
  const batchExport = findExport(call);
  if (batchExport.paused) {
    world.store.batchExports.update(batchExport, { paused: false, last_updated_at: world.time });
    const since = parseTime(batchExport.last_paused_at ?? "");
    const until = parseTime(batchExport.last_updated_at);
    if (isObject(body) && isTruthy(body["backfill"]) && since && until) {
      startBackfill(world, batchExport, since, until);
    }
  }
  return answer(call, batchExport, { paused: false });
}

export function backfill(call: Call): Answer {
  const { world } = call;
  const body = call.body();
  const { start_at: start = null, end_at: end = null } = isObject(body) ? body : {};
  if (start === null || end === null) throw invalid("Both 'start_at' and 'end_at' must be specified");
  if (world.upstream && !call.belowProject) {
    throw crash("upstream needs a project to backfill, and the organization's route names none");
  }
  const from = readTime(start);
  const to = readTime(end);
  if (compare(from, to) >= 0)
    throw invalid("The initial backfill datetime 'start_at' happens after 'end_at'");
  const batchExport = findExport(call);
  if (to.at > world.now().getTime() + INTERVALS[batchExport.interval]) {
    throw invalid(
      `The provided 'end_at' (${pythonIsoFormat(to)}) is too far into the future. Cannot backfill beyond 1 batch period into the future.`,
    );
  }
  return answer(call, batchExport, { backfill_id: startBackfill(world, batchExport, from, to) });
}

function readTime(input: Json): ParsedTime {
  const time = typeof input === "string" ? parseTime(input) : undefined;
  const shown = typeof input === "string" ? input : JSON.stringify(input);
  if (!time) throw invalid(`Input ${shown} is not a valid ISO formatted datetime.`);
  if (time.naive) throw invalid(`Input ${shown} is naive.`);
  return time;
}

function compare(a: ParsedTime, b: ParsedTime): number {
  if (a.at !== b.at) return a.at - b.at;
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}

/** Runs the backfill at once: one completed run for each interval, the newest ones of a long range. */
function startBackfill(world: World, batchExport: BatchExport, from: ParsedTime, to: ParsedTime): string {
  const { store } = world;
  const id = `${batchExport.id}-Backfill-${pythonIsoFormat(from)}-${pythonIsoFormat(to)}`;
  const step = INTERVALS[batchExport.interval];
  const count = Math.max(1, Math.ceil((to.at - from.at) / step));
  for (let index = Math.max(0, count - MOST_RUNS); index < count; index++) {
    const start = from.at + index * step;
    const runId = randomUUID();
    store.exportRuns.insert({
      id: runId,
      batch_export: batchExport.id,
      status: "Completed",
      records_completed: 0,
      latest_error: null,
      data_interval_start: printTime(start),
      data_interval_end: printTime(Math.min(start + step, to.at)),
      cursor: null,
      created_at: world.time,
      finished_at: world.time,
      last_updated_at: world.time,
      records_total_count: 0,
    });
    addLog(
      world,
      batchExport,
      runId,
      "INFO",
      `Batch export for range ${printTime(start)} finished with 0 records`,
    );
  }
  store.backfills.insert({
    id: randomUUID(),
    batch_export: batchExport.id,
    start_at: from.text,
    end_at: to.text,
    created_at: world.time,
  });
  forgetOldRuns(world, batchExport);
  return id;
}

function addLog(world: World, { id }: BatchExport, instanceId: string, level: string, message: string): void {
  const { store } = world;
  store.logEntries.insert({
    id: store.logEntries.nextId(),
    log_source_id: id,
    instance_id: instanceId,
    timestamp: world.time,
    level,
    message,
  });
}

/** Keeps the history of an export bounded over any number of backfills. */
function forgetOldRuns(world: World, { id }: BatchExport): void {
  const { store } = world;
  const runs = store.exportRuns.filter((run) => run.batch_export === id);
  for (const run of runs.slice(0, Math.max(0, runs.length - 10 * MOST_RUNS))) {
    store.exportRuns.delete(run.id);
    store.logEntries.deleteWhere((entry) => entry.instance_id === run.id);
  }
}

export function logs(call: Call): Answer {
  const { world } = call;
  const batchExport = findExport(call);
  if (!world.upstream) return ok(printBatchExport(world, batchExport));
  const { limit, after, before, level, search, instanceId } = logQuery(call);
  if (!call.belowProject)
    throw crash("upstream needs a project to find logs, and the organization's route names none");
  const levels = level?.toUpperCase().split(",");
  const entries = world.store.logEntries
    .filter(
      (entry) =>
        entry.log_source_id === batchExport.id &&
        (instanceId === undefined || entry.instance_id === instanceId) &&
        (after === undefined || Date.parse(entry.timestamp) > Date.parse(after)) &&
        (before === undefined || Date.parse(entry.timestamp) < Date.parse(before)) &&
        (search === undefined || entry.message.toLowerCase().includes(search.toLowerCase())) &&
        (levels === undefined || levels.includes(entry.level)),
    )
    .reverse()
    .slice(0, limit);
  return ok(
    page(call, entries, ({ log_source_id, instance_id, timestamp, level: entryLevel, message }) => ({
      log_source_id,
      instance_id,
      timestamp,
      level: entryLevel,
      message,
    })),
  );
}

function logQuery(call: Call) {
  const read = <T>(name: string, field: { parse: (value: Json) => T }): T | undefined => {
    const value = call.query.get(name);
    return value === null ? undefined : under(name, () => field.parse(value));
  };
  const limit = read("limit", integer()) ?? 50;
  if (limit > 500) throw invalid("Ensure this value is less than or equal to 500.", "limit", "max_value");
  if (limit < 1) throw invalid("Ensure this value is greater than or equal to 1.", "limit", "min_value");
  return {
    limit,
    after: read("after", dateTime()),
    before: read("before", dateTime()),
    level: read("level", text()),
    search: read("search", text()),
    instanceId: read("instance_id", text()),
  };
}
