import { type Contender, FLOOR, type Kind, KINDS, NAIVE, OURS, UNSHARED } from "./kinds";
import { type ContenderName, type Findings, type Measured, type Row, rowsOf, type Sample } from "./findings";
import { Scene } from "./scene";

interface Plan {
  readonly rounds: number;
  /** Of the operations that read, only these. */
  readonly operations: readonly Measured[];
  readonly told: (line: string) => void;
}

/** What is measured of things that exist. */
export const READING: readonly Measured[] = ["refresh", "preview", "preview --refresh"];

/** Refresh and previews of what exists, all compared in turns. */
export async function reading(kind: Kind, count: number, plan: Plan): Promise<Findings> {
  plan.told(`${count} ${kind.name}: making them`);
  const own = await Scene.made(kind, count, OURS);
  const theirs = await Scene.made(kind, count, NAIVE);
  const samples = new Samples();
  try {
    for (let round = 1; round <= plan.rounds; round++) {
      for (const operation of plan.operations) {
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
      results: plan.operations.map((operation) => ({
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
  private readonly all = new Map<Measured, Map<ContenderName, Sample[]>>();

  add(operation: Measured, { name }: Contender, sample: Sample): void {
    const of = this.all.get(operation) ?? new Map<ContenderName, Sample[]>();
    this.all.set(operation, of.set(name, [...(of.get(name) ?? []), sample]));
  }

  rows(operation: Measured): Row[] {
    return rowsOf(this.all.get(operation) ?? new Map<ContenderName, Sample[]>());
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
