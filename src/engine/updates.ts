import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { ResourceDefinition } from "./definition";
import type { Difference } from "./diff";
import { CHECKPOINTS, codeOf, isAtWork, makeFolder, replaceFile } from "./journal";
import { parseJson, type JsonObject, type Props } from "./json";
import type { Call } from "./remote";
import { HIDDEN } from "./state";
import { isAmbiguous } from "../client/errors";

/*
 * An update that is cut off may have had its effect without the state knowing. Where the program then goes back to what
 * the state says, nothing would differ and the service would keep the other value. So the arguments of an update are
 * written down before it is sent, with a mark that the outputs get as well: a state that holds the mark knows of it.
 */

/** A mark that nobody asked for any more for so long never will be. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** No draft takes so long to be written. */
const DRAFT_MS = 60 * 60 * 1000;
/** How often another process is asked whether it is done, and how long it is waited for. */
const PATIENCE_MS = 250;
const LONGEST_WAIT_MS = 60_000;

const record = z.object({
  stack: z.string(),
  kind: z.string(),
  name: z.string(),
  id: z.string(),
  host: z.string(),
  arguments: z.array(z.string()),
  mark: z.string(),
  begun: z.number(),
  pid: z.number(),
  machine: z.string(),
  /** Set where its process does no more about it. */
  over: z.boolean().optional(),
});
type Update = z.infer<typeof record>;

/** The updates under way of one program's folder. */
export class Updates {
  private known: Promise<Map<string, Update>> | undefined;
  private hasWarned = false;

  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {}

  /** Writes down what is about to be sent, with what an earlier update may have left; the mark for the outputs. */
  async begin(update: Omit<Update, "mark" | "begun" | "pid" | "machine" | "over">): Promise<string> {
    const file = fileOf(update.stack, update.kind, update.name);
    const known = await this.all();
    const earlier = known.get(file);
    const names = earlier?.id === update.id ? [...earlier.arguments, ...update.arguments] : update.arguments;
    const full: Update = {
      ...update,
      arguments: [...new Set(names)],
      mark: randomBytes(9).toString("base64url"),
      begun: Date.now(),
      pid: process.pid,
      machine: hostname(),
    };
    known.set(file, full);
    try {
      await makeFolder(this.folder);
      await replaceFile(join(this.folder, file), JSON.stringify(full));
    } catch (error) {
      this.warnOnce(codeOf(error));
    }
    return full.mark;
  }

  /** Writes down that this process does no more about an update. */
  async end(stack: string, kind: string, name: string): Promise<void> {
    const file = fileOf(stack, kind, name);
    const update = (await this.all()).get(file);
    if (update === undefined) return;
    await replaceFile(join(this.folder, file), JSON.stringify({ ...update, over: true })).catch(
      () => undefined,
    );
  }

  /** Waits until the process of an update that a killed engine has left behind is done with it. */
  async outlive({ stack, kind, name }: Update): Promise<void> {
    const patience = Date.now() + LONGEST_WAIT_MS;
    for (;;) {
      const now = await this.read(fileOf(stack, kind, name));
      if (now === undefined || now.over === true || !isAtWork(now) || Date.now() > patience) return;
      await sleep(PATIENCE_MS);
    }
  }

  /** The update of this object that the state does not know the end of, if there is one. */
  async unsettled(
    stack: string,
    kind: string,
    name: string,
    id: string,
    stored: Props,
  ): Promise<Update | undefined> {
    const found = (await this.all()).get(fileOf(stack, kind, name));
    if (found === undefined) return undefined;
    if (found.id === id && found.mark !== stored[HIDDEN.mark]) return found;
    await this.forget(stack, kind, name);
    return undefined;
  }

  /** Forgets an update: the state knows of it, or nothing came of it. */
  async forget(stack: string, kind: string, name: string): Promise<void> {
    const file = fileOf(stack, kind, name);
    if (!(await this.all()).delete(file)) return;
    await rm(join(this.folder, file), { force: true }).catch(() => undefined);
  }

  private all(): Promise<Map<string, Update>> {
    return (this.known ??= this.load());
  }

  private async load(): Promise<Map<string, Update>> {
    const updates = new Map<string, Update>();
    for (const file of await readdir(this.folder).catch(() => [])) {
      const update = file.endsWith(".json") ? await this.read(file) : undefined;
      if (update !== undefined && update.begun > Date.now() - KEPT_MS) updates.set(file, update);
      else if (file.endsWith(".json") || (await isOld(join(this.folder, file))))
        await rm(join(this.folder, file), { force: true }).catch(() => undefined);
    }
    return updates;
  }

  private async read(file: string): Promise<Update | undefined> {
    const text = await readFile(join(this.folder, file), "utf8").catch(() => "");
    return record.safeParse(parseJson(text)).data;
  }

  private warnOnce(code: string): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.warn(
      `${CHECKPOINTS}/updates cannot be written (${code}). This run goes on; but if it is killed while it changes ` +
        `something and the program is taken back, run pulumi up --refresh. Free the disk or allow writing there.`,
    );
  }
}

/** A draft that nobody is writing any more. */
async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  return mtimeMs < Date.now() - DRAFT_MS;
}

function fileOf(stack: string, kind: string, name: string): string {
  return `${createHash("sha256")
    .update(JSON.stringify([stack, kind, name]))
    .digest("hex")
    .slice(0, 24)}.json`;
}

let shared: Updates | undefined;

function updatesHere(): Updates {
  return (shared ??= new Updates(join(process.cwd(), CHECKPOINTS, "updates"), (message) => {
    console.log(`warning: ${message}`);
  }));
}

/** Sends an update that a later run knows of even where this one is killed before the state has its outcome. */
export async function marked(
  call: Call,
  id: string,
  changes: Props,
  send: () => Promise<JsonObject>,
): Promise<JsonObject> {
  const { stack, subject, definition, client } = call;
  const names = Object.keys(changes);
  if (stack === undefined || subject.name === undefined || names.length === 0) return await send();
  const { name } = subject;
  const place = { stack, kind: definition.type, name, id, host: client.host };
  const mark = await updatesHere().begin({ ...place, arguments: names });
  try {
    const outs = await send();
    await updatesHere().end(stack, definition.type, name);
    return { ...outs, [HIDDEN.mark]: mark };
  } catch (error) {
    // What was refused had no effect, and what is half done says so itself.
    if (isAmbiguous(error)) await updatesHere().end(stack, definition.type, name);
    else await updatesHere().forget(stack, definition.type, name);
    throw error;
  }
}

/** Forgets the updates of an object that is gone. */
export async function forgetUpdates({ stack, subject, definition }: Call): Promise<void> {
  if (stack !== undefined && subject.name !== undefined)
    await updatesHere().forget(stack, definition.type, subject.name);
}

/** A difference with what an interrupted update of the object may have changed besides; with a word about it. */
export async function withInterrupted(
  definition: ResourceDefinition,
  id: string,
  olds: Props,
  news: Props,
  found: Difference,
): Promise<{ found: Difference; plans: string[] }> {
  const [stack, name] = [news[HIDDEN.stack], news[HIDDEN.name]];
  if (typeof stack !== "string" || typeof name !== "string") return { found, plans: [] };
  const update = await updatesHere().unsettled(stack, definition.type, name, id, olds);
  if (update === undefined) return { found, plans: [] };
  await updatesHere().outlive(update);
  const names = update.arguments.filter((one) => !definition.replaceOnChanges.includes(one));
  const changed = { ...found.changed };
  const cleared = { ...found.cleared };
  for (const one of names) {
    if (news[one] !== undefined) changed[one] = news[one];
    else if (definition.clears[one] !== undefined) cleared[one] = definition.clears[one];
  }
  return {
    found: { ...found, changed, cleared },
    plans: [`an interrupted run may have changed ${names.join(", ")}: sent again`],
  };
}
