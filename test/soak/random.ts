/** Random choices that a seed repeats (mulberry32). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const found = from[this.whole(0, from.length - 1)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  }
}

/**
 * What is to be told from what a run makes that is cut off has to be older than a service's clock is coarse; people edit
 * no faster.
 */
export const BEFORE_MOVE_MS = 3_000;

/** Seeds from here on let resources change their names and people their kinds; those below replay as they were. */
const MOVES_FROM = 40_000;

/** The draws of a program's moves, which no other draw depends on. */
export function movesOf(seed: number): Random | undefined {
  return seed < MOVES_FROM ? undefined : new Random(~seed);
}
