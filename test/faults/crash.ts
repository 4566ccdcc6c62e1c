import { rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Emulator } from "../support/emulator";
import type { Operation, Run, Stack } from "../support/stack";
import { isAlive, providerOf } from "./processes";

/** When and whom a crash hits. */
export interface Crash {
  readonly victim: "cli" | "provider";
  /** So many requests of this run have been answered, then so many milliseconds go by. */
  readonly requests: number;
  readonly milliseconds: number;
}

/** Runs an operation that is killed on its way; what it did not live to reach, it is killed at. */
export async function crashing(
  stack: Stack,
  emulator: Emulator,
  operation: Operation,
  crash: Crash,
): Promise<Run> {
  emulator.clearRequests();
  const before = await stack.stateFile().catch(() => "");
  if (isWhole(before)) lastGood.set(stack, before);
  const run = stack.start(operation);
  let over = false;
  const ended = run.done.finally(() => (over = true));
  // A tick later than now: whoever looks may see that it is over already.
  const isOver = (): boolean => over;
  let provider: number | undefined;
  while (!isOver() && (provider === undefined || emulator.requests.length < crash.requests)) {
    // Looking through all processes is dear, and nobody asks the service before the provider is there.
    if (emulator.requests.length > 0) provider ??= providerOf(run.pid);
    await sleep(provider === undefined ? 20 : 2);
  }
  await sleep(crash.milliseconds);
  if (!isOver()) {
    if (crash.victim === "cli") run.kill("SIGKILL");
    else if (provider !== undefined && isAlive(provider)) process.kill(provider, "SIGKILL");
  }
  const result = await ended;
  // The provider outlives its engine; it is ours to end once nobody waits for it any more.
  if (provider !== undefined) orphans.set(stack, [...(orphans.get(stack) ?? []), provider]);
  if (crash.victim === "cli") {
    if (!isWhole(await stack.stateFile().catch(() => ""))) await goBack(stack);
    // It leaves its lock as well, which a person lifts.
    await stack.cancel().catch(async () => {
      await goBack(stack);
      await stack.cancel();
    });
  }
  return result;
}

const lastGood = new WeakMap<Stack, string>();

/**
 * Killed while it saves its state, the CLI leaves an empty file or half of one, or of the file of attributes beside
 * it, which nobody needs: a person goes back to the last one.
 */
async function goBack(stack: Stack): Promise<void> {
  await rm(`${stack.statePath}.attrs`, { force: true });
  const backup = lastGood.get(stack);
  if (backup !== undefined) await writeFile(stack.statePath, backup);
}

function isWhole(state: string): boolean {
  try {
    JSON.parse(state);
    return true;
  } catch {
    return false;
  }
}

const orphans = new Map<Stack, readonly number[]>();

/** Ends the provider processes that killed runs of a stack have left behind. */
export function endOrphans(stack: Stack): void {
  for (const pid of orphans.get(stack) ?? []) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  orphans.delete(stack);
}
