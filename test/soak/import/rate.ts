import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runImport } from "../../../src/ingest";
import { SOURCES, writeForm } from "./events";
import { KEY } from "./ingest";

const PER_MINUTE = 10_000;
const MINUTE = 60_000;

/** How well a rate was held. */
export interface RateTotals {
  readonly minutes: number;
  readonly imports: number;
  readonly events: number;
  readonly perMinute: readonly number[];
  readonly offPercent: number;
  readonly ok: boolean;
}

/** Four imports in one process at 10,000 a minute each, which together may send 10,000. */
export async function rate(minutes: number): Promise<RateTotals> {
  const arrived: { readonly at: number; readonly events: number }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { batch: unknown[] };
      arrived.push({ at: performance.now(), events: body.batch.length });
      response.end('{"status":"Ok"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = new AbortController();
  const folders = await Promise.all([0, 1, 2, 3].map(() => mkdtemp(join(tmpdir(), "soak-rate-"))));
  for (const [index, folder] of folders.entries())
    await writeForm(folder, "lines", PER_MINUTE * minutes, 100 + index);
  const imports = folders.map((folder) =>
    runImport(
      { source: SOURCES.lines },
      { folder, ingestHost: `http://127.0.0.1:${port}`, projectApiKey: KEY, signal: stop.signal },
    ).catch(() => undefined),
  );
  await sleep(minutes * MINUTE + 5000);
  stop.abort();
  await Promise.all(imports);
  server.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  const first = arrived[0]?.at ?? 0;
  const between = (from: number, to: number): number =>
    arrived
      .filter(({ at }) => at - first >= from && at - first < to)
      .reduce((sum, { events }) => sum + events, 0);
  const events = between(0, minutes * MINUTE);
  const perMinute = Array.from({ length: minutes }, (_, minute) =>
    between(minute * MINUTE, (minute + 1) * MINUTE),
  );
  const off = Math.abs(events / (PER_MINUTE * minutes) - 1);
  return {
    ...{ minutes, imports: folders.length, events, perMinute },
    offPercent: Math.round(off * 10_000) / 100,
    ok: off < 0.02,
  };
}
