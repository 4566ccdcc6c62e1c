/** The middle value; of an even number, the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? NaN) + upper) / 2;
}

/**
 * The power with which something grows between two sizes: 1 is in proportion, 2 with the square, 0 not at all.
 */
export function growth(from: { count: number; cost: number }, to: { count: number; cost: number }): number {
  return Math.log(to.cost / from.cost) / Math.log(to.count / from.count);
}
