import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { Intent, type Later, type Plan } from "./intent";
import { IntentFile } from "./intent-file";
import { CHECKPOINTS, codeOf, makeFolder } from "./journal";
import { StateError } from "../messages/errors";
import { isOrphaned } from "../orphaned";

/** Where intents stand, in the program's folder: the engine starts the provider there. */
const FOLDER = [CHECKPOINTS, "intents"];
/** An intent that nobody asked for any more for so long never will be. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The intents of one program's folder. */
export class Intents {
  private readonly known = new Set<Intent>();
  /** Those whose object is known, by kind, host and id: right after an `up` every resource asks whether it has one. */
  private readonly made = new Map<string, Set<Intent>>();
  private readonly own: IntentFile;
  private loading: Promise<void> | undefined;
  private hasWarned = false;

  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {
    this.own = new IntentFile(join(folder, `${randomBytes(9).toString("hex")}.jsonl`));
  }

  /** Intents that fit the question, those of earlier processes included. */
  async all(asks: (intent: Intent) => boolean): Promise<Intent[]> {
    await this.load();
    const found: Intent[] = [];
    // Asked for every resource, right after an `up` that made them all: a copy of all intents each time would be felt.
    for (const intent of this.known) if (asks(intent)) found.push(intent);
    return found.sort((a, b) => a.plan.begun - b.plan.begun);
  }

  /**
   * Writes down what is about to be made, flushed: after this the request may be sent.
   *
   * @throws StateError where the engine is gone: a run that has begun meanwhile has read all that was written down
   */
  async add(plan: Plan, isKept: boolean): Promise<Intent> {
    await this.load();
    if (await isOrphaned())
      throw new StateError(
        "the engine that asked for it was ended, and nothing is begun any more: run pulumi up again",
      );
    const key = randomBytes(9).toString("base64url");
    const intent = new Intent({ ...plan, key, pid: process.pid, machine: hostname() }, undefined);
    this.known.add(intent);
    if (isKept && (await this.write(() => this.own.add(intent)))) intent.file = this.own;
    return intent;
  }

  /** Whether another process wrote it, which is over or about to be. */
  isEarlier({ file }: Intent): boolean {
    return file !== undefined && file !== this.own;
  }

  /** Writes down the id of the object that was made. */
  async learn(intent: Intent, id: string): Promise<void> {
    await this.note(intent, { id });
  }

  /** Writes down that another try may have its effect until then. */
  async extend(intent: Intent, until: number): Promise<void> {
    await this.note(intent, { until });
  }

  /** Writes down that this process does no more about it, and does not know what came of it. */
  async giveUp(intent: Intent): Promise<void> {
    await this.note(intent, { over: true });
  }

  /** Forgets an intent: nothing came of it, or the state knows what came of it. */
  drop(intent: Intent): void {
    this.known.delete(intent);
    if (intent.id !== undefined) this.made.get(objectOf(intent.plan, intent.id))?.delete(intent);
    intent.file?.drop(intent);
  }

  /**
   * The engine's state holds this object of this host: nobody needs its intents, unless another creation of the same kind of
   * object is still unexplained, which must not end with this one.
   */
  async managed(kind: string, host: string, id: string): Promise<void> {
    await this.load();
    for (const intent of [...(this.made.get(objectOf({ kind, host }, id)) ?? [])]) {
      const isNeeded = await this.all(
        ({ plan, id: made }) => made === undefined && plan.kind === kind && plan.hash === intent.plan.hash,
      );
      if (isNeeded.length === 0) this.drop(intent);
    }
  }

  /** Reads again what another process may have added to an intent. */
  reread(intent: Intent): void {
    if (intent.file === undefined) return;
    const now = intent.file.reread(intent);
    intent.learn(now ?? { over: true });
    this.index(intent);
  }

  private load(): Promise<void> {
    return (this.loading ??= this.read());
  }

  private async read(): Promise<void> {
    const files = await readdir(this.folder).catch(() => []);
    for (const name of files.filter((file) => file.endsWith(".jsonl"))) {
      for (const intent of IntentFile.read(join(this.folder, name))) {
        if (intent.until < Date.now() - KEPT_MS) intent.file?.drop(intent);
        else {
          this.known.add(intent);
          this.index(intent);
        }
      }
    }
  }

  private async note(intent: Intent, said: Later): Promise<void> {
    intent.learn(said);
    this.index(intent);
    const { file } = intent;
    if (file !== undefined) await this.write(() => file.note(intent, said));
  }

  private index(intent: Intent): void {
    if (intent.id === undefined) return;
    const object = objectOf(intent.plan, intent.id);
    const others = this.made.get(object) ?? new Set<Intent>();
    this.made.set(object, others.add(intent));
  }

  /** False where there was no writing it. */
  private async write(to: () => Promise<void>): Promise<boolean> {
    try {
      await to().catch(async () => {
        // The folder is made by the first who needs it.
        await makeFolder(this.folder);
        await to();
      });
      return true;
    } catch (error) {
      if (this.hasWarned) return false;
      this.hasWarned = true;
      this.warn(
        `${FOLDER.join("/")} cannot be written (${codeOf(error)}). This run goes on; but if it is killed while it makes ` +
          `something, the next one cannot tell and makes it again. Free the disk or allow writing there.`,
      );
      return false;
    }
  }
}

/** Ids are counted anew on every host. */
function objectOf({ kind, host }: Pick<Plan, "kind" | "host">, id: string): string {
  return `${kind} ${host} ${id}`;
}

let shared: Intents | undefined;

/** The intents of the program that this process works for. */
export function intentsHere(): Intents {
  return (shared ??= new Intents(join(process.cwd(), ...FOLDER), (message) => {
    console.log(`warning: ${message}`);
  }));
}
