import type { Judgement } from "../definition";

const said = new Set<string>();

/** Prints a line that this process has not printed yet. */
export function printOnce(line: string): void {
  if (said.has(line)) return;
  said.add(line);
  console.log(line);
}

/** Tells the person who reads the preview what the difference of the arguments does not say; each line once. */
export function sayOnce(who: string, unclearable: readonly string[], answer: Judgement): void {
  const lines = unclearable.map(
    (name) => `${name} is no longer declared, but the service cannot clear it: it stays as it is`,
  );
  const warnings = [...lines, ...(answer.notes ?? [])].map((line) => `warning: ${who}: ${line}`);
  for (const line of [...warnings, ...(answer.plans ?? []).map((plan) => `${who}: ${plan}`)]) printOnce(line);
}
