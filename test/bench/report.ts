import type { ContenderName, Findings, Result, Row } from "./findings";
import { growth } from "./statistics";

/** A figure that this package has to reach. */
export interface Figure {
  readonly text: string;
  readonly is: number;
  readonly most: number;
  readonly reached: boolean;
}

/** What costs are like at ten times the size. */
export interface Growth {
  readonly kind: Result["kind"];
  readonly operation: Result["operation"];
  readonly from: number;
  readonly to: number;
  /** Powers of the number of resources: 1 is in proportion, 0 is not at all. */
  readonly requests: number;
  readonly seconds: number;
  readonly secondsOfEngine: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

const number = (value: number, digits = 0): string =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The results as a table for people. */
export function table({ results, states }: Findings): string {
  const lines: string[] = [];
  for (const { kind, count, operation, leastRequests, rows } of results) {
    lines.push("", `${operation} of ${number(count)} ${kind} (at least ${number(leastRequests)} requests)`);
    lines.push(
      line("", "requests", "writes", "seconds", "× engine", "CPU s", "peak MB"),
      ...rows.map((row) =>
        line(
          row.contender,
          number(row.requests),
          number(row.writes),
          number(row.seconds, 2),
          number(row.timesEngine, 2),
          number(row.cpuSeconds, 2),
          number(row.peakMb),
        ),
      ),
    );
  }
  lines.push("", "bytes of state for each resource");
  for (const { kind, count, contender, bytesPerResource } of states) {
    lines.push(line(contender, number(bytesPerResource), `of ${number(count)}`, kind));
  }
  return lines.join("\n");
}

function line(name: string, ...cells: string[]): string {
  return `  ${name.padEnd(16)}${cells.map((cell) => cell.padStart(11)).join("")}`;
}

/** How this package's costs grow from each size to the next. */
export function growths({ results }: Findings): Growth[] {
  return results.flatMap((to) => {
    const smaller = results.filter(
      ({ kind, operation, count }) => kind === to.kind && operation === to.operation && count < to.count,
    );
    const from = smaller.at(-1);
    const [a, b] = [from && own(from), own(to)];
    const [floorA, floorB] = [from && rowOf(from, "engine alone"), rowOf(to, "engine alone")];
    if (from === undefined || a === undefined || b === undefined || !floorA || !floorB) return [];
    const of = (cost: (row: Row) => number, first: Row, second: Row): number =>
      growth({ count: from.count, cost: cost(first) }, { count: to.count, cost: cost(second) });
    return [
      {
        kind: to.kind,
        operation: to.operation,
        from: from.count,
        to: to.count,
        requests: to.leastRequests === 0 ? 0 : of((row) => row.requests, a, b),
        seconds: of((row) => row.seconds, a, b),
        secondsOfEngine: of((row) => row.seconds, floorA, floorB),
        cpuSeconds: of((row) => row.cpuSeconds, a, b),
        peakMb: of((row) => row.peakMb, a, b),
      },
    ];
  });
}

/** The growth as a table for people. */
export function growthTable(all: readonly Growth[]): string {
  return [
    "",
    "growth with the number of resources, as a power of it (1: in proportion; 0: not at all)",
    line("", "", "requests", "seconds", "engine's", "CPU s", "peak MB"),
    ...all.map(({ kind, operation, from, to, requests, seconds, secondsOfEngine, cpuSeconds, peakMb }) =>
      [
        `  ${operation} of ${kind}, ${number(from)} to ${number(to)}`.padEnd(48),
        ...[requests, seconds, secondsOfEngine, cpuSeconds, peakMb].map((value) =>
          number(value, 2).padStart(9),
        ),
      ].join(""),
    ),
  ].join("\n");
}

/** What a refresh of so many may cost. */
const MOST_READS = 15;
const MOST_TIMES_ENGINE = 1.25;
const MOST_MB = 200;

/** The figures to reach, as far as they were measured. */
export function figures({ results }: Findings): Figure[] {
  return results.flatMap((result) => {
    const { kind, count, operation } = result;
    const row = own(result);
    if (row === undefined || count < 500) return [];
    const what = `${operation} of ${number(count)} ${kind}`;
    const isReading = operation === "refresh" || operation === "preview --refresh";
    const timed = isReading && kind === "dashboards" && count === 1000;
    return [
      ...(isReading ? [figure(`requests of ${what}`, row.requests, MOST_READS)] : []),
      ...(timed ? [figure(`times the engine alone, ${what}`, row.timesEngine, MOST_TIMES_ENGINE)] : []),
      ...(operation === "up" || operation === "destroy"
        ? [figure(`writes for each resource, ${what}`, row.writes / count, 1)]
        : []),
      figure(`peak MB of the provider, ${what}`, row.peakMb, MOST_MB),
    ];
  });
}

function figure(text: string, is: number, most: number): Figure {
  return { text, is, most, reached: is <= most };
}

/** The figures as lines for people. */
export function figureLines(all: readonly Figure[]): string {
  return [
    "",
    "figures to reach",
    ...all.map(
      ({ text, is, most, reached }) =>
        `  ${reached ? "reached" : "NOT YET"} ${number(is, 2)} ${text} (at most ${number(most, 2)})`,
    ),
  ].join("\n");
}

function own(result: Result): Row | undefined {
  return rowOf(result, "this package");
}

function rowOf(result: Result, name: ContenderName): Row | undefined {
  return result.rows.find(({ contender }) => contender === name);
}
