import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DrivenStack } from "../soak/driven";
import { type Emulator, startEmulator, writes } from "../support/emulator";
import type { Declared } from "../support/stack";

/** What was written down has been sent by then. */
const ON_ITS_WAY_MS = 500;

/** A stack whose provider dies at a chosen moment, and the next run, which has to make the best of it. */
export class KilledRuns {
  readonly driver: DrivenStack;

  private constructor(
    readonly emulator: Emulator,
    readonly folder: string,
  ) {
    this.driver = new DrivenStack(folder, emulator);
  }

  static async open(): Promise<KilledRuns> {
    return new KilledRuns(await startEmulator(), mkdtempSync(join(tmpdir(), "interrupted-")));
  }

  async close(): Promise<void> {
    await this.emulator.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Files in which something is written down that is still under way. */
  notes(of: "intents" | "updates"): string[] {
    const path = join(this.folder, ".pulumi-posthog", of);
    return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
  }

  /** Applies the program until the service's data fulfil the condition; then the process is dead. */
  async dieWhen(program: readonly Declared[], isDone: () => boolean): Promise<void> {
    const { code, output } = await this.driver.run("up", program, (child) => {
      this.emulator.store.onChange(() => {
        if (isDone()) child.kill("SIGKILL");
      });
    });
    this.emulator.store.onChange(() => undefined);
    if (code !== null) throw new Error(`nothing happened that it should die of: ${output}`);
  }

  /** Applies the program until each of these creations has been sent, before the service has done any of them. */
  async dieOnceSent(program: readonly Declared[], paths: readonly string[]): Promise<void> {
    const written = (): string =>
      this.notes("intents")
        .map((file) => readFileSync(file, "utf8"))
        .join("");
    const { code, output } = await this.driver.run("up", program, async (child) => {
      while (!paths.every((path) => written().includes(`${path}"`))) await sleep(5);
      await sleep(ON_ITS_WAY_MS);
      child.kill("SIGKILL");
    });
    if (code !== null) throw new Error(`it was over before it was killed: ${output}`);
  }

  /** Applies the program to its end, and then finds nothing to do and nothing to remember. */
  async heal(program: readonly Declared[]): Promise<string> {
    const up = await this.driver.run("up", program);
    expect(up).toEqual(expect.objectContaining({ code: 0 }));
    this.emulator.clearRequests();
    expect(await this.driver.run("preview", program)).toEqual(expect.objectContaining({ code: 0 }));
    expect(writes(this.emulator)).toEqual([]);
    expect(this.notes("intents")).toEqual([]);
    return up.output;
  }
}
