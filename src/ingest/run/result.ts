import { totalsOf, type Checkpoint } from "../checkpoint/checkpoint";
import { skippedCount } from "../checkpoint/totals";
import { filesDigest } from "../source/print";

/** What an import did, over all its runs. Plain JSON. */
export interface ImportResult {
  readonly status: "finished";
  /** Events that the service acknowledged; a repetition in another request counts again, and is one event there. */
  readonly eventsSent: number;
  /** Repetitions found within one request, which were not sent twice. */
  readonly eventsMerged: number;
  /** Events set aside, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly eventsSkipped: number;
  /** Events sent although younger than 48 hours. */
  readonly eventsRecent: number;
  readonly requests: number;
  readonly retries: number;
  /** Bytes of the requests' bodies as sent. */
  readonly bytesSent: number;
  readonly firstTime?: string;
  readonly lastTime?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Over what was acknowledged, in any order: the sum, modulo 2^64, of each uuid's two halves combined by XOR. 16 hexadecimal digits. */
  readonly checksum: string;
  readonly files: number;
  /** Changes where a file changes, comes or goes: see {@link sourceDigest}. */
  readonly filesDigest: string;
  /** Where skipped events are; missing where none were skipped. */
  readonly deadLetterFile?: string;
  /** Requests of this run: 0 where there was nothing left to send. */
  readonly requestsNow: number;
}

/** The outputs of a finished import. */
export function resultOf(checkpoint: Checkpoint, deadLetterFile: string, requestsNow: number): ImportResult {
  const totals = totalsOf(checkpoint);
  const skipped = skippedCount(totals);
  return {
    status: "finished",
    eventsSent: totals.sent,
    eventsMerged: totals.merged,
    skipped: { ...totals.skipped },
    eventsSkipped: skipped,
    eventsRecent: totals.recent,
    requests: checkpoint.requests,
    retries: checkpoint.retries,
    bytesSent: checkpoint.bytesSent,
    ...(totals.firstMs === undefined ? {} : { firstTime: new Date(totals.firstMs).toISOString() }),
    ...(totals.lastMs === undefined ? {} : { lastTime: new Date(totals.lastMs).toISOString() }),
    startedAt: checkpoint.startedAt,
    finishedAt: checkpoint.finishedAt ?? checkpoint.startedAt,
    checksum: totals.checksum,
    files: checkpoint.files.length,
    filesDigest: filesDigest(checkpoint.files),
    ...(skipped === 0 ? {} : { deadLetterFile }),
    requestsNow,
  };
}
