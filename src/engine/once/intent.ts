import { z } from "zod";
import { isAtWork } from "./journal";

export const record = z.object({
  /** Tells it apart from the others of its file. */
  key: z.string(),
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
  /** Objects that had these traits before. */
  besides: z.array(z.string()).default([]),
  /** Whether `besides` are all that had them: nobody looks in a list that is too long or cannot be read. */
  looked: z.boolean().optional(),
  pid: z.number(),
  machine: z.string(),
});
type Record = z.infer<typeof record>;

/** What becomes known of it later, each time as a line of its own. */
export const later = z.object({
  of: z.string(),
  /** The object's id. */
  id: z.string().optional(),
  until: z.number().optional(),
  /** Set where its process has given up: it is for the next run to find out what came of it. */
  over: z.boolean().optional(),
  /** Set where nobody needs it any more. */
  dropped: z.boolean().optional(),
});
export type Later = Omit<z.infer<typeof later>, "of">;

/** What is known of a creation before it begins. */
export type Plan = Omit<Record, "key" | "pid" | "machine">;

/** Where an intent is kept. */
export interface IntentKeeper {
  readonly path: string;
  /** Adds what has become known of it, flushed. */
  note(intent: Intent, known: Later): Promise<void>;
  /** Takes it out. */
  drop(intent: Intent): void;
  /** What stands there by now; undefined where nobody needs it any more. */
  reread(intent: Intent): Intent | undefined;
}

/** Somebody is about to make an object, or has made it and the engine may not know. */
export class Intent {
  public until: number;
  public id: string | undefined;
  public over = false;
  /** Until when its process may have been at work on it, where that is another one (our clock). */
  public atWorkUntil = 0;

  constructor(
    readonly plan: Readonly<Record>,
    /** Where it is kept; undefined where it is not. */
    public file: IntentKeeper | undefined,
  ) {
    this.until = plan.until;
  }

  /** True while the process that wrote it may still be at work. */
  get isBeingDone(): boolean {
    if (this.over || this.id !== undefined || Date.now() > this.until) return false;
    return isAtWork(this.plan);
  }

  /** Takes in what has become known. */
  learn({ id, until, over }: Later): void {
    this.id = id ?? this.id;
    this.until = until ?? this.until;
    this.over = over ?? this.over;
  }
}
