/** Whether a version is another one or newer; what comes after the third number does not count. */
export function isAtLeast(version: string, oldest: string): boolean {
  const [have, want] = [numbersOf(version), numbersOf(oldest)];
  for (let place = 0; place < 3; place++) {
    const difference = (have[place] ?? 0) - (want[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbersOf(version: string): number[] {
  return version
    .replace(/^[^0-9]*/, "")
    .split(/[.+-]/)
    .slice(0, 3)
    .map(Number);
}
