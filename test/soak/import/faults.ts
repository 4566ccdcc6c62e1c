import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { startEmulator } from "../../support/emulator";
import { COMMAND, FORMS, SOURCES, writeForm } from "./events";
import { KEY } from "./ingest";

const execute = promisify(execFile);

const FAULTS = ["429:retry-after=1", "503", "reset-before", "reset-after", "slow=300", "truncate"] as const;

const listed = z.object({ faults: z.array(z.object({ struck: z.number() })) });

/** What became of imports among faults. */
export interface FaultTotals {
  readonly imports: number;
  readonly events: number;
  readonly requests: number;
  /** How often each fault struck. */
  readonly struck: Readonly<Record<string, number>>;
  /** Imports of which not every event arrived once, or whose own account was another. */
  readonly wrong: number;
  readonly ok: boolean;
}

/** Imports of every form while each of six faults strikes 5 % of the requests. */
export async function faults(count: number, seed: number, log: (line: string) => void): Promise<FaultTotals> {
  const struck: Record<string, number> = {};
  let [requests, wrong] = [0, 0];
  for (const [index, form] of FORMS.entries()) {
    const folder = await mkdtemp(join(tmpdir(), "soak-faults-"));
    const emulator = await startEmulator({ seed: seed + index });
    try {
      emulator.faults.add(FAULTS.map((action) => `POST /batch/ ${action} 5%`).join("; "));
      await writeForm(folder, form, count, seed + index);
      const env = {
        PATH: process.env["PATH"],
        POSTHOG_INGEST_HOST: emulator.ingestUrl,
        POSTHOG_PROJECT_API_KEY: KEY,
      };
      const { stdout } = await execute(
        process.execPath,
        [
          ...[COMMAND, "import", SOURCES[form], "--events-per-minute", "unlimited", "--announced"],
          ...["--batch-bytes", "65536"],
        ],
        { cwd: folder, env, maxBuffer: 1 << 26 },
      );
      const held = emulator.capture.summary(KEY);
      const checksum = /checksum ([0-9a-f]{16})/.exec(stdout)?.[1];
      const right = held.events === count && held.conflicts === 0 && held.checksum === checksum;
      if (!right) {
        wrong++;
        log(`${form}: ${held.events} of ${count} events, ${held.conflicts} conflicts\n${stdout}`);
      }
      requests += emulator.requests.length;
      const answer = await fetch(new URL("/_emulator/faults", emulator.url));
      for (const [at, { struck: times }] of listed.parse(await answer.json()).faults.entries()) {
        const name = FAULTS[at] ?? "other";
        struck[name] = (struck[name] ?? 0) + times;
      }
    } finally {
      await emulator.close();
      await rm(folder, { recursive: true, force: true });
    }
  }
  const ok = wrong === 0 && FAULTS.every((name) => (struck[name] ?? 0) > 0);
  return { imports: FORMS.length, events: FORMS.length * count, requests, struck, wrong, ok };
}
