import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/*
 * Keeps the provider's process small. V8 does not collect the old generation of a process before it is far larger than
 * anything that is alive in ours; and as soon as one call has waited long enough to get there, what all calls after it
 * leave behind stays until then, too: 40 KB for each resource. Node's table of HTTP/2 streams seems to hold it.
 */

const MB = 1_000_000;
/** How often it is looked whether there is something to collect. */
const EVERY_MS = 200;
/** What may be left behind before it is collected: above what an operation without long waits leaves in all. */
const LEFT_BEHIND = 20 * MB;
/** Collecting may take this part of the time at most. */
const LARGEST_SHARE = 1 / 30;

/** What makes V8 optimise WebAssembly that runs often. */
const OPTIMISING = ["wasm-dynamic-tiering", "wasm-tier-up"] as const;
/** Up to this Node these flags are known; one that V8 does not know it reports, and the engine shows that as an error. */
const LAST_KNOWN = 24;

/** True in the process that the engine starts; programs and tests load the same files. */
const isProvider = /[\\/]cmd[\\/]dynamic-provider(?:[\\/]|$)/.test(process.argv[1] ?? "");

/** Keeps this process small, where it is the engine's provider. */
export function keepSmall(): void {
  if (!isProvider) return;
  // The HTTP parser of undici is WebAssembly: optimising it takes 37 MB for a moment, and nobody would notice the gain.
  setOptimising("no-");
  const { look } = collector(oldGeneration, collect, () => performance.now());
  setInterval(look, EVERY_MS).unref();
}

/** For those who run WebAssembly that is worth optimising: what is compiled from now on is. */
export function optimiseWebAssembly(): void {
  if (isProvider) setOptimising("");
}

function setOptimising(prefix: "" | "no-"): void {
  if (Number.parseInt(process.versions.node) > LAST_KNOWN) return;
  for (const flag of OPTIMISING) setFlagsFromString(`--${prefix}${flag}`);
}

/**
 * Decides when to collect: where more has come to the old generation than may be left behind, and not so often that it
 * would be felt.
 *
 * @param used bytes of the old generation
 * @param now in milliseconds
 */
export function collector(used: () => number, collect: () => void, now: () => number): { look: () => void } {
  let alive = used();
  let notBefore = -Infinity;
  return {
    look() {
      if (used() < alive + LEFT_BEHIND || now() < notBefore) return;
      const began = now();
      collect();
      alive = used();
      notBefore = now() + (now() - began) / LARGEST_SHARE;
    },
  };
}

function oldGeneration(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0;
}

let gc: (() => void) | undefined;

/** There is no other way to ask for it in a process that somebody else started; Jest does it the same way. */
function collect(): void {
  if (gc === undefined) {
    setFlagsFromString("--expose-gc");
    // What V8 exposes under this name takes nothing and answers nothing.
    gc = runInNewContext("gc") as () => void;
    setFlagsFromString("--no-expose-gc");
  }
  gc();
}
