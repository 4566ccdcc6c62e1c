import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, providerOf } from "../../faults/processes";
import { openStack, type Running, type Stack } from "../../support/stack";
import { Random } from "../random";
import { localSent, sentBy } from "./checkpoints";
import { FORMS, mapped, SOURCES, writeForm } from "./events";
import { balance, Ingest, KEY, named, startedOver } from "./ingest";
import { type KillTotals, noKills } from "./kills";

const EVENTS = 20_000;
/** So long a request is tried before the import gives up and leaves its checkpoint in the stack's state. */
const DEADLINE_S = 2;

const INCIDENTS = ["provider", "provider", "cli", "machine", "server"] as const;
type Incident = (typeof INCIDENTS)[number];

/** Kills the provider, the CLI, both, or the server under a real engine, at random moments, `runs` times. */
export async function engineKills(
  runs: number,
  seed: number,
  log: (line: string) => void,
): Promise<KillTotals> {
  const random = new Random(seed);
  const work = await mkdtemp(join(tmpdir(), "soak-engine-"));
  const wanted = new Map<string, ReadonlyMap<string, number>>();
  for (const form of FORMS) {
    await writeForm(work, form, EVENTS, 7);
    const lines = await mapped(work, SOURCES[form], join(work, "mapped.ndjson"));
    wanted.set(form, new Map(lines.map((line, index) => [named(line), index])));
  }
  const totals = noKills();
  for (let run = 0; run < runs; run++) {
    const form = FORMS[run % FORMS.length] ?? "lines";
    const one = new EngineRun(random, totals, wanted.get(form) ?? new Map(), log);
    await one.go(work, form, join(work, `taken-${run}`));
    if ((run + 1) % 10 === 0) log(`${run + 1} runs of the engine: ${JSON.stringify(totals)}`);
  }
  await rm(work, { recursive: true, force: true });
  return totals;
}

class EngineRun {
  private known = 0;
  private before = 0;

  constructor(
    private readonly random: Random,
    private readonly totals: KillTotals,
    private readonly wanted: ReadonlyMap<string, number>,
    private readonly log: (line: string) => void,
  ) {}

  async go(sources: string, form: (typeof FORMS)[number], taken: string): Promise<void> {
    const { random, totals, wanted } = this;
    const ingest = await Ingest.start(taken, 30);
    const env = { POSTHOG_INGEST_HOST: ingest.url, POSTHOG_PROJECT_API_KEY: KEY };
    const stack = await openStack({ env, config: { "posthog:requestDeadline": String(DEADLINE_S) } });
    const args = {
      source: join(sources, SOURCES[form]),
      ...{ eventsPerMinute: "unlimited", announced: true, batchBytes: 65_536, concurrency: 4 },
    };
    stack.declare([{ class: "HistoricalImport", name: "past", args }]);
    try {
      for (let left = random.whole(1, 3); left > 0; left--) {
        const survived = await this.incident(stack, ingest, random.pick(INCIDENTS));
        if (survived) break;
        if (random.chance(0.4)) {
          totals.emptyMachines++;
          rmSync(join(stack.folder, ".pulumi-posthog"), { recursive: true, force: true });
        }
        await this.note(stack, ingest);
      }
      const { code, output } = await stack.up();
      await this.settle(ingest);
      const { lost, doubled } = balance(wanted, await ingest.taken());
      totals.runs++;
      totals.lost += lost;
      totals.doubled += doubled;
      const requests = (await ingest.taken()).length;
      const again = await stack.up({ expectNoChanges: true });
      const quiet = again.code === 0 && (await ingest.taken()).length === requests;
      if (code !== 0 || !quiet) totals.failed++;
      if (code !== 0 || !quiet || lost + doubled > 0)
        this.log(
          `${form}: exit ${code}, ${lost} lost, ${doubled} doubled, quiet ${quiet}\n${output}\n${again.output}`,
        );
    } finally {
      await stack.close();
      await ingest.end("SIGTERM");
    }
  }

  /** One up that something happens to; true where it was over before. */
  private async incident(stack: Stack, ingest: Ingest, incident: Incident): Promise<boolean> {
    const backup = existsSync(stack.statePath) ? readFileSync(stack.statePath, "utf8") : undefined;
    const seen = (await ingest.taken()).length;
    const running = stack.start("up");
    let over = false;
    const done = running.done.finally(() => (over = true));
    const isOver = (): boolean => over;
    while (!isOver() && (await ingest.taken()).length === seen) await sleep(20);
    await Promise.race([done, sleep(this.random.whole(0, 600))]);
    const provider = isOver() ? undefined : providerOf(running.pid);
    if (isOver() || provider === undefined) {
      await done;
      await this.settle(ingest);
      return true;
    }
    this.totals.kills[incident]++;
    await strike(incident, running, provider, ingest);
    await done;
    if (incident === "server") await ingest.start();
    // A CLI that was killed alone leaves a provider that goes on for a while: here its machine is the one that dies.
    if (isAlive(provider)) process.kill(provider, "SIGKILL");
    while (isAlive(provider)) await sleep(10);
    await sleep(300);
    await this.settle(ingest);
    if (incident === "cli" || incident === "machine") {
      // Killed while it saves its state, the CLI leaves an empty file: whoever finds that goes back to the last one.
      const now = existsSync(stack.statePath) ? readFileSync(stack.statePath, "utf8") : "";
      if (now.trim() === "" && backup !== undefined) writeFileSync(stack.statePath, backup);
      await stack.cancel();
    }
    return false;
  }

  /** What the resumption that comes next has to go on from. */
  private async note(stack: Stack, ingest: Ingest): Promise<void> {
    const { deployment } = await stack.export();
    const past = deployment.resources.find(({ urn }) => urn.endsWith("::past"));
    const stored = sentBy(past?.outputs?.["__checkpoint"]);
    const local = localSent(stack.folder);
    this.known = Math.max(stored, local);
    this.before = (await ingest.taken()).length;
    this.totals.resumptions++;
    if (this.known > 0) this.totals.fromCheckpoint++;
    if (stored > 0 && local === 0) this.totals.fromState++;
  }

  private async settle(ingest: Ingest): Promise<void> {
    const since = (await ingest.taken()).slice(this.before);
    if (startedOver(this.wanted, this.known, since)) this.totals.startedOver++;
  }
}

async function strike(incident: Incident, running: Running, provider: number, ingest: Ingest): Promise<void> {
  if (incident === "provider") process.kill(provider, "SIGKILL");
  else if (incident === "cli") running.kill("SIGKILL");
  else if (incident === "machine") running.killAll();
  // It stays away until the import gives up.
  else await ingest.end("SIGKILL");
}
