import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../support/engine";
import { startEmulator } from "../support/emulator";
import { KINDS, RandomProgram, SECRETS } from "./programs";
import { Random } from "./random";
import type { SoakResult } from "./soak-run";

const FAULTS = ["500", "500-after", "reset-before", "reset-after", "truncate", "html", "slow=60"] as const;

/** Applies a random program by the provider alone, killed at random moments, until it is left to end. */
export async function soakKills(seed: number): Promise<SoakResult> {
  const random = new Random(seed);
  const emulator = await startEmulator({ seed, latency: random.whole(0, 30) });
  const folder = mkdtempSync(join(tmpdir(), "soak-"));
  const program = new RandomProgram(random);
  const problems: string[] = [];
  const files = { program: join(folder, "program.json"), state: join(folder, "state.jsonl") };
  const before = new Map(KINDS.map((kind) => [kind, kind.count(emulator)]));
  const began = Date.now();
  let kills = 0;
  let operations = 0;
  let failures = 0;

  const run = async (killAfterMs?: number): Promise<{ code: number | null; output: string }> => {
    writeFileSync(files.program, JSON.stringify(program.declared()));
    operations++;
    const child = spawn(
      process.execPath,
      [join(__dirname, "driver.cjs"), files.program, files.state, join(ROOT, "dist", "runtime.js")],
      { cwd: folder, env: { ...process.env, ...emulator.environment } },
    );
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    if (killAfterMs !== undefined) {
      emulator.clearRequests();
      const left = new AbortController();
      // From the first request on, so that the start of the process is not most of what is killed.
      while (emulator.requests.length === 0 && child.exitCode === null) await sleep(2);
      await Promise.race([
        sleep(killAfterMs, undefined, { signal: left.signal }).catch(() => undefined),
        ended,
      ]);
      left.abort();
      child.kill("SIGKILL");
      kills++;
    }
    return { code: await ended, output };
  };

  try {
    const rounds = random.whole(1, 3);
    for (let round = 0; round < rounds; round++) {
      const isFaulty = random.chance(0.6);
      if (isFaulty)
        emulator.faults.add(FAULTS.map((fault) => `* * ${fault} ${random.whole(0, 4)}%`).join("; "));
      for (let crashes = random.whole(1, 3); crashes > 0; crashes--) {
        if ((await run(random.whole(0, 250))).code === 1) failures++;
        // What an edit makes another object of was nobody's yet: only changes in place, while something is unsettled.
        if (random.chance(0.3)) program.touch();
      }
      emulator.faults.clear();
      const { code, output } = await run();
      if (code !== 0) problems.push(`the run without faults and kills ended with ${String(code)}: ${output}`);
    }
    const expected = program.expected(before);
    for (const kind of KINDS) {
      const [wanted, found] = [expected.get(String(kind.count)), kind.count(emulator)];
      if (found !== wanted) problems.push(`${String(found)} of ${kind.class}, not ${String(wanted)}`);
    }
    emulator.clearRequests();
    const again = await run();
    if (again.code !== 0) problems.push(`the last run failed: ${again.output}`);
    const writes = emulator.requests.filter(({ method }) => method !== "GET");
    if (writes.length > 0)
      problems.push(`a run without changes writes: ${writes.map(({ path }) => path).join(", ")}`);
    problems.push(...leaks(join(folder, ".pulumi-posthog", "intents"), emulator.environment.POSTHOG_API_KEY));
    const seconds = Math.round((Date.now() - began) / 1000);
    const resources = program.declared().length;
    return { seed, resources, operations, kills, faults: {}, failures, problems, seconds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await emulator.close();
  }
}

function leaks(folder: string, key: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const texts = names.map((name) => readFileSync(join(folder, name), "utf8"));
  const found = [...SECRETS, key].filter((secret) => texts.some((text) => text.includes(secret)));
  // Everything is in the state by now, and nobody has to remember it.
  // A line that the kill cut off counts as not written.
  const whole = texts.filter((text) => text.includes("\n"));
  return [
    ...found.map((secret) => `an intent holds ${secret.slice(0, 9)}…`),
    ...whole.map((text) => `left: ${text}`),
  ];
}
