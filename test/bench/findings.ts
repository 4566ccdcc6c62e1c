import { z } from "zod";
import { median } from "./statistics";

const sample = z.object({
  /** From the start of the CLI to its end. */
  seconds: z.number(),
  /** Requests that reached the service. */
  requests: z.number(),
  writes: z.number(),
  /** Of all provider processes that the engine started, together. */
  cpuSeconds: z.number(),
  /** Of the largest of them, in MB of 1,000,000 bytes. */
  peakMb: z.number(),
  providers: z.number(),
});

const contender = z.enum(["engine alone", "this package", "without sharing", "naive"]);
const kind = z.enum(["dashboards", "members"]);
const operation = z.enum(["up", "refresh", "preview", "preview --refresh", "destroy"]);

const row = sample.extend({
  contender,
  /** Its time as a multiple of the engine's alone: the middle of the rounds' own ratios, since load comes and goes. */
  timesEngine: z.number(),
  samples: z.array(sample),
});

const result = z.object({
  kind,
  count: z.number(),
  operation,
  /** The fewest requests in which it can be done. */
  leastRequests: z.number(),
  rows: z.array(row),
});

const state = z.object({ kind, count: z.number(), contender, bytesPerResource: z.number() });

/** What was found: the part of a report that another run adds to. */
export const findings = z.object({ results: z.array(result), states: z.array(state) });

/** One measured operation. */
export type Sample = z.infer<typeof sample>;
/** Who is compared. */
export type ContenderName = z.infer<typeof contender>;
/** What there are many of. */
export type KindName = z.infer<typeof kind>;
/** What is measured: an operation, as a person would type it. */
export type Measured = z.infer<typeof operation>;
/** What one of those compared needed, in the middle of all rounds; of memory, the most. */
export type Row = z.infer<typeof row>;
/** An operation on so many resources, by everyone compared. */
export type Result = z.infer<typeof result>;
/** Results, and bytes of state for each resource. */
export type Findings = z.infer<typeof findings>;

/** The rows of a table, from every sample of everyone. */
export function rowsOf(samples: ReadonlyMap<ContenderName, readonly Sample[]>): Row[] {
  const floor = samples.get("engine alone") ?? [];
  return [...samples].map(([name, own]) => ({
    contender: name,
    seconds: median(own.map(({ seconds }) => seconds)),
    requests: median(own.map(({ requests }) => requests)),
    writes: median(own.map(({ writes }) => writes)),
    cpuSeconds: median(own.map(({ cpuSeconds }) => cpuSeconds)),
    peakMb: Math.max(...own.map(({ peakMb }) => peakMb)),
    providers: Math.max(...own.map(({ providers }) => providers)),
    timesEngine: median(own.map(({ seconds }, round) => seconds / (floor[round]?.seconds ?? NaN))),
    samples: [...own],
  }));
}

/** Earlier findings and those of another run, as if all rounds had been of one. */
export function together(earlier: Findings, now: Findings): Findings {
  const isSame = (a: Result, b: Result): boolean =>
    a.kind === b.kind && a.count === b.count && a.operation === b.operation;
  const results = now.results.map((fresh) => {
    const before = earlier.results.find((one) => isSame(one, fresh));
    const samples = new Map(
      fresh.rows.map(({ contender: name, samples: own }) => {
        const old = before?.rows.find((one) => one.contender === name)?.samples ?? [];
        return [name, [...old, ...own]] as const;
      }),
    );
    return { ...fresh, rows: rowsOf(samples) };
  });
  const others = earlier.results.filter((one) => !results.some((fresh) => isSame(one, fresh)));
  const states = earlier.states.filter(
    (one) => !now.states.some((fresh) => fresh.kind === one.kind && fresh.count === one.count),
  );
  return {
    results: [...others, ...results].sort(inOrder),
    states: [...states, ...now.states].sort(inOrder),
  };
}

function inOrder(a: { kind: string; count: number }, b: { kind: string; count: number }): number {
  return a.kind === b.kind ? a.count - b.count : a.kind < b.kind ? -1 : 1;
}
