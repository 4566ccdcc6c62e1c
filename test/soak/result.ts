import { z } from "zod";
import type { Emulator } from "../support/emulator";
import { FAILINGS, type Problem } from "./verdict";

/**
 * How programs are run: by the real engine, or by the package's provider alone, either in processes that are killed or
 * inside the soak's own, cut off from network and disk.
 */
export type Form = "engine" | "provider" | "inside";

/** Faults among which operations run, as rules of the emulator name them; a slow answer takes so long. */
export function faultActions(slowMs: number): string[] {
  return [
    "429:retry-after=1",
    "500",
    "503",
    "500-after",
    "reset-before",
    "reset-after",
    "truncate",
    "html",
    `slow=${slowMs}`,
  ];
}

/** What one random program went through. */
export interface SoakResult {
  readonly seed: number;
  readonly form: Form;
  /** Resources that it declares at its end. */
  readonly resources: number;
  /** Kinds of all its resources. */
  readonly kinds: readonly string[];
  readonly operations: number;
  readonly kills: number;
  /** How often each fault struck. */
  readonly faults: Readonly<Record<string, number>>;
  /** Operations that faults made fail: the next one has to heal what they left. */
  readonly failures: number;
  /** What was wrong; empty for a run that is as it should be. */
  readonly problems: readonly Problem[];
  readonly seconds: number;
}

const struck = z.object({
  faults: z.array(
    z.object({
      struck: z.number(),
      fault: z.object({
        action: z.looseObject({
          kind: z.string(),
          status: z.number().optional(),
          after: z.boolean().optional(),
        }),
      }),
    }),
  ),
});

/** Adds up how often the faults in force have struck. */
export async function countFaults(emulator: Emulator, into: Record<string, number>): Promise<void> {
  const answer = await fetch(new URL("/_emulator/faults", emulator.url));
  for (const { fault, struck: times } of struck.parse(await answer.json()).faults) {
    const { kind, status, after } = fault.action;
    const when = after === undefined ? "" : after ? "-after" : "-before";
    const name = `${kind}${status === undefined ? "" : `-${status}`}${when}`;
    if (times > 0) into[name] = (into[name] ?? 0) + times;
  }
}

const tallies = z.record(z.string(), z.number());

/** What many programs went through: the file that is kept. */
export const reportFile = z.object({
  runs: z.number(),
  byForm: z.object({ engine: z.number(), provider: z.number(), inside: z.number() }),
  resources: z.number(),
  operations: z.number(),
  kills: z.number(),
  operationsFailedByFaults: z.number(),
  /** How often each fault struck. */
  faults: tallies,
  /** In how many programs each kind was. */
  kinds: tallies,
  /** By failing; all of them are 0 where everything is as it should be. */
  problems: tallies,
  seedsWithProblems: z.array(z.number()),
  /** Each program: seed, form, kills, faults. The form decides what a seed means. */
  programs: z.array(z.tuple([z.number(), z.enum(["engine", "provider", "inside"]), z.number(), z.number()])),
});
export type Report = z.infer<typeof reportFile>;

/** Adds up what programs went through. */
export function report(results: readonly SoakResult[]): Report {
  const of = (form: Form): number => results.filter((result) => result.form === form).length;
  const found = (failing: string): number =>
    sum(results.map(({ problems }) => problems.filter((one) => one.failing === failing).length));
  return {
    runs: results.length,
    byForm: { engine: of("engine"), provider: of("provider"), inside: of("inside") },
    resources: sum(results.map(({ resources }) => resources)),
    operations: sum(results.map(({ operations }) => operations)),
    kills: sum(results.map(({ kills }) => kills)),
    operationsFailedByFaults: sum(results.map(({ failures }) => failures)),
    faults: tally(results.flatMap(({ faults }) => Object.entries(faults))),
    kinds: tally(results.flatMap(({ kinds }) => kinds.map((kind): [string, number] => [kind, 1]))),
    problems: Object.fromEntries(FAILINGS.map((failing) => [failing, found(failing)])),
    seedsWithProblems: results.filter(({ problems }) => problems.length > 0).map(({ seed }) => seed),
    programs: results
      .map(({ seed, form, kills, faults }): Report["programs"][number] => [
        seed,
        form,
        kills,
        sum(Object.values(faults)),
      ])
      .sort(([a], [b]) => a - b),
  };
}

/** One report of several, whose seeds are different ones. */
export function merged(reports: readonly Report[]): Report {
  const total = (count: (one: Report) => number): number => sum(reports.map(count));
  const all = (counts: (one: Report) => Record<string, number>) =>
    tally(reports.flatMap((one) => Object.entries(counts(one))));
  return {
    runs: total(({ runs }) => runs),
    byForm: {
      engine: total(({ byForm }) => byForm.engine),
      provider: total(({ byForm }) => byForm.provider),
      inside: total(({ byForm }) => byForm.inside),
    },
    resources: total(({ resources }) => resources),
    operations: total(({ operations }) => operations),
    kills: total(({ kills }) => kills),
    operationsFailedByFaults: total(({ operationsFailedByFaults: failed }) => failed),
    faults: all(({ faults }) => faults),
    kinds: all(({ kinds }) => kinds),
    problems: all(({ problems }) => problems),
    seedsWithProblems: reports.flatMap(({ seedsWithProblems }) => seedsWithProblems),
    programs: reports.flatMap(({ programs }) => programs).sort(([a], [b]) => a - b),
  };
}

/** The report as text: one line for each program. */
export function printed({ programs, ...counts }: Report): string {
  const lines = programs.map((program) => `    ${JSON.stringify(program).replaceAll(",", ", ")}`).join(",\n");
  return `${JSON.stringify({ ...counts, programs: [] }, null, 2).replace('"programs": []', `"programs": [\n${lines}\n  ]`)}\n`;
}

function tally(entries: readonly (readonly [string, number])[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, times] of entries) counts[name] = (counts[name] ?? 0) + times;
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
