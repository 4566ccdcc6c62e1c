import { randomBytes } from "node:crypto";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { append, CHECKPOINTS, codeOf, isAtWork, makeFolder } from "./journal";
import { parseJson } from "./json";

/** Where intents stand, in the program's folder: the engine starts the provider there. */
const FOLDER = [CHECKPOINTS, "intents"];
/** An intent that nobody asked for any more for so long never will be. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** No line takes so long to be written. */
const CUT_OFF_MS = 60 * 60 * 1000;

const record = z.object({
  /** Organization, project and name of the stack. */
  stack: z.string(),
  /** Kind and logical name of the resource. */
  kind: z.string(),
  name: z.string(),
  host: z.string(),
  /** Path of the collection. */
  path: z.string(),
  /** Keyed hash of everything that was sent, without secrets. */
  hash: z.string(),
  /** Keyed hashes by which the object can be recognised. */
  traits: z.record(z.string(), z.string()),
  /** When the first request was about to be made, and after when none can have its effect any more (our clock). */
  begun: z.number(),
  until: z.number(),
  /** Objects that had these traits before, where the service does not say when an object was made. */
  besides: z.array(z.string()).default([]),
  pid: z.number(),
  machine: z.string(),
  /** The object's id, once it is known. */
  id: z.string().optional(),
  /** Set where its process has given up: it is for the next run to find out what came of it. */
  over: z.boolean().optional(),
});

const later = record.pick({ id: true, until: true, over: true }).partial();

/** What is known of a creation before it begins. */
export type Plan = Omit<z.infer<typeof record>, "pid" | "machine" | "id" | "over">;

/** Somebody is about to make an object, or has made it and the engine may not know. */
export class Intent {
  constructor(
    readonly plan: Readonly<Omit<z.infer<typeof record>, "id" | "until" | "over">>,
    public until: number,
    public id: string | undefined,
    /** File that keeps it; undefined where there is none. */
    public file: string | undefined,
    public over = false,
  ) {}

  /** True while the process that wrote it may still be at work. */
  get isBeingDone(): boolean {
    if (this.over || this.id !== undefined || Date.now() > this.until) return false;
    return isAtWork(this.plan);
  }
}

/** The intents of one program's folder. */
export class Intents {
  private readonly known = new Set<Intent>();
  private loading: Promise<void> | undefined;
  private hasWarned = false;

  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {}

  /** Intents that fit the question, those of earlier processes included. */
  async all(asks: (intent: Intent) => boolean): Promise<Intent[]> {
    await (this.loading ??= this.load());
    const found: Intent[] = [];
    // Asked for every resource, right after an `up` that made them all: a copy of all intents each time would be felt.
    for (const intent of this.known) if (asks(intent)) found.push(intent);
    return found.sort((a, b) => a.plan.begun - b.plan.begun);
  }

  /** Writes down what is about to be made, flushed: after this the request may be sent. */
  async add(plan: Plan, isKept: boolean): Promise<Intent> {
    await (this.loading ??= this.load());
    const { until, ...rest } = plan;
    const file = isKept ? join(this.folder, `${randomBytes(9).toString("hex")}.jsonl`) : undefined;
    const intent = new Intent({ ...rest, pid: process.pid, machine: hostname() }, until, undefined, file);
    this.known.add(intent);
    const isWritten = await this.write(intent, { ...intent.plan, until });
    // What a full disk left of it would say nothing to anybody.
    if (!isWritten && file !== undefined) {
      intent.file = undefined;
      await rm(file, { force: true }).catch(() => undefined);
    }
    return intent;
  }

  /** Writes down the id of the object that was made. */
  async learn(intent: Intent, id: string): Promise<void> {
    intent.id = id;
    await this.write(intent, { id });
  }

  /** Writes down that another try may have its effect until then. */
  async extend(intent: Intent, until: number): Promise<void> {
    intent.until = until;
    await this.write(intent, { until });
  }

  /** Writes down that this process does no more about it, and does not know what came of it. */
  async giveUp(intent: Intent): Promise<void> {
    intent.over = true;
    await this.write(intent, { over: true });
  }

  /** Forgets an intent: nothing came of it, or the state knows what came of it. */
  async drop(intent: Intent): Promise<void> {
    this.known.delete(intent);
    if (intent.file !== undefined) await rm(intent.file, { force: true }).catch(() => undefined);
  }

  /**
   * The engine's state holds this object: nobody needs its intents, unless another creation of the same kind of
   * object is still unexplained, which must not end with this one.
   */
  async managed(kind: string, id: string): Promise<void> {
    for (const intent of await this.all(({ plan, id: made }) => plan.kind === kind && made === id)) {
      const isNeeded = await this.all(
        ({ plan, id: made }) => made === undefined && plan.kind === kind && plan.hash === intent.plan.hash,
      );
      if (isNeeded.length === 0) await this.drop(intent);
    }
  }

  /** Reads again what another process may have added to an intent. */
  async reread(intent: Intent): Promise<void> {
    if (intent.file === undefined) return;
    const now = await readIntent(intent.file);
    intent.over = now?.over ?? true;
    intent.id = now?.id;
    intent.until = now?.until ?? intent.until;
  }

  private async load(): Promise<void> {
    const files = await readdir(this.folder).catch(() => []);
    for (const name of files.filter((file) => file.endsWith(".jsonl"))) {
      const file = join(this.folder, name);
      const intent = await readIntent(file);
      if (intent === undefined) {
        // Cut off before anything was sent; what is new may be another process's that is being written.
        const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
        if (mtimeMs < Date.now() - CUT_OFF_MS) await rm(file, { force: true }).catch(() => undefined);
        continue;
      }
      if (intent.until < Date.now() - KEPT_MS) await rm(file, { force: true }).catch(() => undefined);
      else this.known.add(intent);
    }
  }

  /** False where there was no writing it. */
  private async write(intent: Intent, part: object): Promise<boolean> {
    if (intent.file === undefined) return true;
    try {
      await makeFolder(this.folder);
      await append(intent.file, `${JSON.stringify(part)}\n`);
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

/** Reads what was flushed; a line that a crash cut off was followed by no request. */
async function readIntent(file: string): Promise<Intent | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  const [first = "", ...rest] = text.split("\n");
  const begun = record.safeParse(parseJson(first));
  if (!begun.success) return undefined;
  const { id, until, over, ...plan } = begun.data;
  const intent = new Intent(plan, until, id, file, over);
  for (const line of rest) {
    const addition = later.safeParse(parseJson(line));
    if (!addition.success) continue;
    intent.id = addition.data.id ?? intent.id;
    intent.until = addition.data.until ?? intent.until;
    intent.over = addition.data.over ?? intent.over;
  }
  return intent;
}

let shared: Intents | undefined;

/** The intents of the program that this process works for. */
export function intentsHere(): Intents {
  return (shared ??= new Intents(join(process.cwd(), ...FOLDER), (message) => {
    console.log(`warning: ${message}`);
  }));
}
