import { type Contender, FLOOR, type Kind, KINDS, NAIVE, OURS, UNSHARED } from "./kinds";
import { type Measured, type Sample, Scene } from "./scene";
import { median } from "./statistics";

/** What one of those compared needed, in the middle of all rounds. */
export interface Row extends Sample {
  readonly contender: Contender["name"];
  /** Its time as a multiple of the engine's alone: the middle of the rounds' own ratios, since load comes and goes. */
  readonly timesEngine: number;
  readonly samples: readonly Sample[];
}

/** An operation on so many resources, by everyone compared. */
export interface Result {
  readonly kind: Kind["name"];
  readonly count: number;
  readonly operation: Measured;
  /** The fewest requests in which it can be done. */
  readonly leastRequests: number;
  readonly rows: readonly Row[];
}

/** Bytes of state for each resource. */
export interface StateSize {
  readonly kind: Kind["name"];
  readonly count: number;
  readonly contender: Contender["name"];
  readonly bytesPerResource: number;
}

export interface Findings {
  readonly results: Result[];
  readonly states: StateSize[];
}

interface Plan {
  readonly rounds: number;
  readonly told: (line: string) => void;
}

const READING: readonly Measured[] = ["refresh", "preview", "preview --refresh"];

/** Refresh and previews of what exists, all compared in turns. */
export async function reading(kind: Kind, count: number, plan: Plan): Promise<Findings> {
  plan.told(`${count} ${kind.name}: making them`);
  const own = await Scene.made(kind, count, OURS);
  const theirs = await Scene.made(kind, count, NAIVE);
  const samples = new Samples();
  try {
    for (let round = 1; round <= plan.rounds; round++) {
      for (const operation of READING) {
        plan.told(`${count} ${kind.name}: ${operation}, round ${round} of ${plan.rounds}`);
        // Nothing is read there, so that there is nothing to share.
        const others = operation === "preview" ? [] : [UNSHARED];
        for (const contender of [FLOOR, OURS, ...others]) {
          samples.add(operation, contender, await own.measure(operation, contender));
        }
        samples.add(operation, NAIVE, await theirs.measure(operation));
      }
    }
    return {
      results: READING.map((operation) => ({
        kind: kind.name,
        count,
        operation,
        leastRequests: operation === "preview" ? 0 : kind.leastReads(count),
        rows: samples.rows(operation),
      })),
      states: await Promise.all(
        [own, theirs].map(async (scene, index) => ({
          kind: kind.name,
          count,
          contender: index === 0 ? OURS.name : NAIVE.name,
          bytesPerResource: await scene.stateBytes(),
        })),
      ),
    };
  } finally {
    await own.close();
    await theirs.close();
  }
}

/** An `up` that makes everything, and the `destroy` after it. */
export async function making(kind: Kind, count: number, plan: Plan): Promise<Findings> {
  const samples = new Samples();
  for (let round = 1; round <= plan.rounds; round++) {
    for (const contender of [FLOOR, OURS, NAIVE]) {
      plan.told(`${count} ${kind.name}: up and destroy, round ${round} of ${plan.rounds}`);
      const scene = await Scene.empty(kind, count, contender);
      try {
        samples.add("up", contender, await scene.measure("up"));
        samples.add("destroy", contender, await scene.measure("destroy"));
      } finally {
        await scene.close();
      }
    }
  }
  return {
    results: (["up", "destroy"] as const).map((operation) => ({
      kind: kind.name,
      count,
      operation,
      leastRequests: count,
      rows: samples.rows(operation),
    })),
    states: [],
  };
}

/** All samples of one case, by operation and by who was measured. */
class Samples {
  private readonly all = new Map<string, Map<Contender["name"], Sample[]>>();

  add(operation: Measured, { name }: Contender, sample: Sample): void {
    const of = this.all.get(operation) ?? new Map<Contender["name"], Sample[]>();
    this.all.set(operation, of.set(name, [...(of.get(name) ?? []), sample]));
  }

  rows(operation: Measured): Row[] {
    const of = this.all.get(operation) ?? new Map<Contender["name"], Sample[]>();
    const floor = of.get(FLOOR.name) ?? [];
    return [...of].map(([contender, samples]) => ({
      contender,
      seconds: median(samples.map(({ seconds }) => seconds)),
      requests: median(samples.map(({ requests }) => requests)),
      writes: median(samples.map(({ writes }) => writes)),
      cpuSeconds: median(samples.map(({ cpuSeconds }) => cpuSeconds)),
      peakMb: Math.max(...samples.map(({ peakMb }) => peakMb)),
      providers: Math.max(...samples.map(({ providers }) => providers)),
      timesEngine: median(samples.map(({ seconds }, round) => seconds / (floor[round]?.seconds ?? NaN))),
      samples,
    }));
  }
}

/** The cases by name, for `--only`. */
export const CASES: Readonly<Record<string, (plan: Plan) => Promise<Findings>>> = Object.fromEntries([
  ...KINDS.flatMap((kind) =>
    [10, 100, 1000].map((count) => [
      `${kind.name}-${count}`,
      (plan: Plan): Promise<Findings> => reading(kind, count, plan),
    ]),
  ),
  ...KINDS.filter(({ name }) => name === "dashboards").map((kind) => [
    "up-500",
    (plan: Plan): Promise<Findings> => making(kind, 500, plan),
  ]),
]);
