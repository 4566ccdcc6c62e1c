import { z } from "zod";
import type { Reason } from "../event/reasons";

/** What happened to the events of a part of the source. It only ever adds up, in any order. */
export interface Totals {
  sent: number;
  /** Repetitions within one request, which are not sent twice. */
  merged: number;
  /** Sent although younger than 48 hours. */
  recent: number;
  skipped: Partial<Record<Reason, number>>;
  firstMs: number | undefined;
  lastMs: number | undefined;
  /** Of the events' uuids, in hexadecimal: see {@link addChecksum}. */
  checksum: string;
}

/** The stored form of {@link Totals}. */
export const totalsSchema = z.object({
  sent: z.number(),
  merged: z.number(),
  recent: z.number(),
  skipped: z.record(z.string(), z.number()),
  firstMs: z.number().optional(),
  lastMs: z.number().optional(),
  checksum: z.string(),
});

const mask = (1n << 64n) - 1n;

/** The checksum of no events. */
export const emptyChecksum = "0".repeat(16);

/** Adds to a checksum, modulo 2^64: the order of what is added does not matter. */
export function addChecksum(checksum: string, value: bigint): string {
  return ((BigInt(`0x${checksum}`) + value) & mask).toString(16).padStart(16, "0");
}

/** What one uuid adds to a checksum: its two halves, combined by XOR. */
export function uuidChecksum(uuid: string): bigint {
  const hex = uuid.replaceAll("-", "");
  return BigInt(`0x${hex.slice(0, 16)}`) ^ BigInt(`0x${hex.slice(16)}`);
}

/** Totals of nothing. */
export function noTotals(): Totals {
  return {
    sent: 0,
    merged: 0,
    recent: 0,
    skipped: {},
    firstMs: undefined,
    lastMs: undefined,
    checksum: emptyChecksum,
  };
}

function least(
  a: number | undefined,
  b: number | undefined,
  choose: (...values: number[]) => number,
): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : choose(a, b);
}

/** Adds `more` to `totals` in place. */
export function addTotals(totals: Totals, more: Totals): void {
  totals.sent += more.sent;
  totals.merged += more.merged;
  totals.recent += more.recent;
  for (const [reason, count] of Object.entries(more.skipped) as [Reason, number][]) {
    totals.skipped[reason] = (totals.skipped[reason] ?? 0) + count;
  }
  totals.firstMs = least(totals.firstMs, more.firstMs, Math.min);
  totals.lastMs = least(totals.lastMs, more.lastMs, Math.max);
  totals.checksum = addChecksum(totals.checksum, BigInt(`0x${more.checksum}`));
}

/** All events set aside, for whatever reason. */
export function skippedCount(totals: Totals): number {
  return Object.values(totals.skipped).reduce((sum, count) => sum + count, 0);
}
