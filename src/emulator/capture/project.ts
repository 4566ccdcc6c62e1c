import { z } from "zod";

import type { CapturedEvent } from "./events";

const MASK = (1n << 64n) - 1n;
const MOST_NAMES = 1000;
const MOST_RECENT = 50;
/** More identities than these are not written to the data file: a second of every save would go into them. */
const MOST_SAVED = 250_000;

const savedProject = z.object({
  requests: z.number(),
  historicalRequests: z.number(),
  received: z.number(),
  kept: z.number(),
  conflicts: z.number(),
  dropped: z.number(),
  receivedSum: z.string(),
  keptSum: z.string(),
  firstTime: z.string().optional(),
  lastTime: z.string().optional(),
  names: z.array(z.tuple([z.string(), z.number()])),
  days: z.array(z.tuple([z.string(), z.number()])),
  recent: z.array(z.looseObject({ uuid: z.string(), event: z.string(), distinctId: z.string() })),
  identities: z.array(z.tuple([z.string(), z.number()])),
});

/** What a project's captured events come to. Plain JSON. */
export interface CaptureSummary {
  /** Requests that were answered with 200. */
  readonly requests: number;
  /** Those of them with `historical_migration`. */
  readonly historicalRequests: number;
  /** Events in those requests, repetitions included. */
  readonly received: number;
  /** Different events: as many as the project holds after the service's merge. In a store that only counts, `received`. */
  readonly events: number;
  readonly repeated: number;
  /** Events whose uuid another event of other name, user or day has as well: both are held. */
  readonly conflicts: number;
  /** Events that were answered with 200 and dropped, since the project is over its quota. */
  readonly dropped: number;
  /** Of the different events: the sum, modulo 2^64, of each uuid's halves combined by XOR; in any order. */
  readonly checksum: string;
  /** The same of all events received. */
  readonly receivedChecksum: string;
  readonly firstTime?: string;
  readonly lastTime?: string;
  /** Event names, the commonest first. */
  readonly names: readonly { readonly name: string; readonly events: number }[];
  /** Events by day (UTC) of their timestamp, in order of time. */
  readonly days: readonly { readonly day: string; readonly events: number }[];
  /** The last events, the newest first. */
  readonly recent: readonly {
    readonly uuid: string;
    readonly event: string;
    readonly distinctId: string;
    readonly timestamp?: string;
  }[];
}

type Recent = CaptureSummary["recent"][number];

/** The events of one project key, in memory that does not grow with their properties. */
export class ProjectEvents {
  private readonly identities = new Map<string, number>();
  private readonly names = new Map<string, number>();
  private readonly days = new Map<string, number>();
  private recent: Recent[] = [];
  private requests = 0;
  private historicalRequests = 0;
  private received = 0;
  private kept = 0;
  private conflicts = 0;
  private dropped = 0;
  private receivedSum = 0n;
  private keptSum = 0n;
  private firstTime: string | undefined;
  private lastTime: string | undefined;

  constructor(private readonly keeps: boolean) {}

  get events(): number {
    return this.kept;
  }

  countRequest(historical: boolean): void {
    this.requests++;
    if (historical) this.historicalRequests++;
  }

  drop(events: number): void {
    this.dropped += events;
  }

  add(event: CapturedEvent): void {
    const value = uuidValue(event.uuid);
    this.received++;
    this.receivedSum = (this.receivedSum + value) & MASK;
    const time = event.timestamp === undefined ? NaN : Date.parse(event.timestamp);
    const iso = Number.isNaN(time) ? undefined : new Date(time).toISOString();
    if (this.keeps && this.isRepeated(event, iso?.slice(0, 10) ?? "")) return;
    this.kept++;
    this.keptSum = (this.keptSum + value) & MASK;
    if (this.names.has(event.event) || this.names.size < MOST_NAMES) bump(this.names, event.event);
    if (iso !== undefined) {
      bump(this.days, iso.slice(0, 10));
      if (this.firstTime === undefined || iso < this.firstTime) this.firstTime = iso;
      if (this.lastTime === undefined || iso > this.lastTime) this.lastTime = iso;
    }
    const { uuid, event: name, distinctId, timestamp } = event;
    this.recent.push({ uuid, event: name, distinctId, ...(timestamp !== undefined && { timestamp }) });
    if (this.recent.length > 2 * MOST_RECENT) this.recent = this.recent.slice(-MOST_RECENT);
  }

  /** The service merges events of equal uuid, name, user and day. */
  private isRepeated(event: CapturedEvent, day: string): boolean {
    const key = Buffer.from(event.uuid.replaceAll(/[^0-9a-f]/g, ""), "hex").toString("latin1");
    const rest = hash32(`${day}\0${event.event}\0${event.distinctId}`);
    const known = this.identities.get(key);
    if (known === rest) return true;
    if (known !== undefined) {
      const other = `${key}${rest}`;
      if (this.identities.has(other)) return true;
      this.conflicts++;
      this.identities.set(other, rest);
      return false;
    }
    this.identities.set(key, rest);
    return false;
  }

  summary(): CaptureSummary {
    const names = [...this.names].sort(([, a], [, b]) => b - a);
    const days = [...this.days].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      requests: this.requests,
      historicalRequests: this.historicalRequests,
      received: this.received,
      events: this.kept,
      repeated: this.received - this.kept,
      conflicts: this.conflicts,
      dropped: this.dropped,
      checksum: hex(this.keptSum),
      receivedChecksum: hex(this.receivedSum),
      ...(this.firstTime !== undefined && { firstTime: this.firstTime }),
      ...(this.lastTime !== undefined && { lastTime: this.lastTime }),
      names: names.map(([name, events]) => ({ name, events })),
      days: days.map(([day, events]) => ({ day, events })),
      recent: this.recent.slice(-MOST_RECENT).reverse(),
    };
  }

  snapshot(): z.input<typeof savedProject> {
    const { requests, historicalRequests, received, kept, conflicts, dropped, firstTime, lastTime } = this;
    const identities = this.identities.size > MOST_SAVED ? [] : [...this.identities];
    return {
      ...{ requests, historicalRequests, received, kept, conflicts, dropped },
      receivedSum: hex(this.receivedSum),
      keptSum: hex(this.keptSum),
      ...(firstTime !== undefined && { firstTime }),
      ...(lastTime !== undefined && { lastTime }),
      names: [...this.names],
      days: [...this.days],
      recent: this.recent.slice(-MOST_RECENT),
      identities: identities.map(([key, rest]) => [Buffer.from(key, "latin1").toString("base64"), rest]),
    };
  }

  /** Takes on what {@link snapshot} gave; what is none is left alone. */
  restore(saved: unknown): void {
    const parsed = savedProject.safeParse(saved);
    if (!parsed.success) return;
    const { identities, names, days, recent, receivedSum, keptSum, firstTime, lastTime, ...counts } =
      parsed.data;
    Object.assign(this, counts);
    this.receivedSum = BigInt(`0x${receivedSum}`);
    this.keptSum = BigInt(`0x${keptSum}`);
    this.firstTime = firstTime;
    this.lastTime = lastTime;
    for (const [key, rest] of identities)
      this.identities.set(Buffer.from(key, "base64").toString("latin1"), rest);
    for (const [name, count] of names) this.names.set(name, count);
    for (const [day, count] of days) this.days.set(day, count);
    this.recent = recent;
  }
}

function bump(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function hex(sum: bigint): string {
  return sum.toString(16).padStart(16, "0");
}

function uuidValue(uuid: string): bigint {
  const digits = uuid.replaceAll(/[^0-9a-f]/g, "");
  return BigInt(`0x${digits.slice(0, 16)}`) ^ BigInt(`0x${digits.slice(16)}`);
}

/** FNV-1a. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
