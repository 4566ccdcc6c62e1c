import { closeSync, constants, openSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs";
import { Intent, type IntentKeeper, type Later, later, record } from "./intent";
import { append } from "./journal";
import { isObject, parseJson } from "../values/json";

/** No line takes so long to be written. */
const CUT_OFF_MS = 60 * 60 * 1000;
/** So long a process waits for an answer at most, without a word in its file: it may have been killed at any moment. */
const LONGEST_REQUEST_MS = 5 * 60 * 1000;

/**
 * The intents of one process, a line for each and for whatever becomes known of one. One file for all of them: a file
 * for each resource would cost more to make and to remove than the resource itself.
 */
export class IntentFile implements IntentKeeper {
  /** Keys of those that this process knows of, and of those among them that somebody still needs. */
  private readonly known = new Set<string>();
  private readonly needed = new Set<string>();
  private queue = "";
  private next: Promise<void> | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(readonly path: string) {}

  /** What an earlier process has left in a file, without what nobody needs any more. */
  static read(path: string): Intent[] {
    const file = new IntentFile(path);
    const lastSign = modifiedAt(path);
    const { intents, dropped } = parse(textOf(path));
    for (const intent of intents.values()) {
      intent.file = file;
      intent.atWorkUntil = intent.over ? lastSign : Math.min(Date.now(), lastSign + LONGEST_REQUEST_MS);
      file.isNeeded(intent);
    }
    for (const key of dropped) file.known.add(key);
    // Without any it was cut off before something was sent, unless it is being written right now.
    const isSettled = dropped.size > 0 || lastSign < Date.now() - CUT_OFF_MS;
    if (isSettled) file.removeUnlessNeeded();
    return [...intents.values()];
  }

  /** Adds an intent, flushed: after this the request may be sent. */
  async add(intent: Intent): Promise<void> {
    this.isNeeded(intent);
    try {
      await this.flush(intent.plan);
    } catch (error) {
      this.needed.delete(intent.plan.key);
      this.removeUnlessNeeded();
      throw error;
    }
  }

  /** Adds what has become known of an intent, flushed. */
  async note(intent: Intent, known: Later): Promise<void> {
    await this.flush({ of: intent.plan.key, ...known });
  }

  /** Takes an intent out; the file goes with the last one. */
  drop(intent: Intent): void {
    this.needed.delete(intent.plan.key);
    if (this.removeUnlessNeeded()) return;
    try {
      const file = openSync(this.path, constants.O_WRONLY | constants.O_APPEND);
      try {
        writeSync(file, line({ of: intent.plan.key, dropped: true }));
      } finally {
        closeSync(file);
      }
    } catch {
      // It is dropped again by whoever reads it next.
    }
  }

  /** What the file says by now of an intent; undefined where nobody needs it any more. */
  reread(intent: Intent): Intent | undefined {
    return parse(textOf(this.path)).intents.get(intent.plan.key);
  }

  /** Lines that come while others are being flushed are flushed together. */
  private async flush(said: object): Promise<void> {
    this.queue += line(said);
    this.next ??= this.last.then(() => {
      const lines = this.queue;
      this.queue = "";
      this.next = undefined;
      const done = append(this.path, lines);
      this.last = done.catch(() => undefined);
      return done;
    });
    await this.next;
  }

  private isNeeded({ plan }: Intent): void {
    this.known.add(plan.key);
    this.needed.add(plan.key);
  }

  /** Removes the file where nobody needs anything in it; what a process that is still at work has added since, stays. */
  private removeUnlessNeeded(): boolean {
    if (this.needed.size > 0) return false;
    for (const key of parse(textOf(this.path)).intents.keys()) if (!this.known.has(key)) return false;
    remove(this.path);
    return true;
  }
}

/** On a line of its own, even after one that was cut off. */
function line(said: object): string {
  return `\n${JSON.stringify(said)}\n`;
}

/** What was flushed; a line that a crash cut off was followed by no request. */
function parse(text: string): { intents: Map<string, Intent>; dropped: Set<string> } {
  const intents = new Map<string, Intent>();
  const dropped = new Set<string>();
  const understand = (said: unknown): void => {
    if (!isObject(said) || !("of" in said)) {
      const begun = record.safeParse(said).data;
      if (begun !== undefined) intents.set(begun.key, new Intent(begun, undefined));
      return;
    }
    const known = later.safeParse(said).data;
    if (known === undefined) return;
    intents.get(known.of)?.learn(known);
    if (known.dropped !== true) return;
    intents.delete(known.of);
    dropped.add(known.of);
  };
  for (const one of text.split("\n")) if (one !== "") understand(parseJson(one));
  return { intents, dropped };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return Date.now();
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // What somebody else removed, or nobody may remove, is looked at again by the next run.
  }
}
