import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { CHECKPOINTS, codeOf, isAtWork, makeFolder, replaceFile } from "./journal";
import { HIDDEN } from "../state/state";
import { parseJson, type Props } from "../values/json";

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
  /** Name by which the state has the resource until the update is done, where that is another one. */
  formerly: z.string().optional(),
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
export type Update = z.infer<typeof record>;

/** What is updated: two resources may have one name, below components of different types. */
type UpdateOf = Pick<Update, "stack" | "kind" | "name" | "id">;

/** The updates under way of one program's folder. */
export class Updates {
  private known: Promise<Map<string, Update>> | undefined;
  private hasWarned = false;

  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {}

  /**
   * Writes down what is about to be sent, with what an earlier update may have left; the mark for the outputs.
   *
   * @param before name by which the state has the resource, which an alias gives another one
   */
  async begin(
    update: Omit<Update, "formerly" | "mark" | "begun" | "pid" | "machine" | "over">,
    before: string,
  ): Promise<string> {
    const file = fileOf(update);
    const known = await this.all();
    const earlier = [...new Set([file, fileOf({ ...update, name: before })])];
    const names = earlier.flatMap((one) => known.get(one)?.arguments ?? []);
    const full: Update = {
      ...update,
      ...(before === update.name ? {} : { formerly: before }),
      arguments: [...new Set([...names, ...update.arguments])],
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
    if (before !== update.name) await this.remove(fileOf({ ...update, name: before }));
    return full.mark;
  }

  /** Writes down that this process does no more about an update. */
  async end(of: UpdateOf): Promise<void> {
    const file = fileOf(of);
    const update = (await this.all()).get(file);
    if (update === undefined) return;
    await replaceFile(join(this.folder, file), JSON.stringify({ ...update, over: true })).catch(
      () => undefined,
    );
  }

  /** Waits until the process of an update that a killed engine has left behind is done with it. */
  async outlive(update: Update): Promise<void> {
    const patience = Date.now() + LONGEST_WAIT_MS;
    for (;;) {
      const now = await this.read(fileOf(update));
      if (now === undefined || now.over === true || !isAtWork(now) || Date.now() > patience) return;
      await sleep(PATIENCE_MS);
    }
  }

  /** The update of this object that the state does not know the end of, if there is one. */
  async unsettled(of: UpdateOf, stored: Props): Promise<Update | undefined> {
    const known = await this.all();
    // Asked for every resource, and there are hardly ever any.
    const found = known.size === 0 ? undefined : known.get(fileOf(of));
    if (found === undefined) return undefined;
    if (found.mark !== stored[HIDDEN.mark]) return found;
    await this.forget(of);
    return undefined;
  }

  /** Forgets an update: the state knows of it, or nothing came of it. */
  async forget(of: UpdateOf): Promise<void> {
    for (const [file, update] of [...(await this.all())]) {
      const isCalled = update.name === of.name || update.formerly === of.name;
      if (isCalled && fileOf({ ...update, name: of.name }) === fileOf(of)) await this.remove(file);
    }
  }

  private async remove(file: string): Promise<void> {
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

function fileOf({ stack, kind, name, id }: UpdateOf): string {
  return `${createHash("sha256")
    .update(JSON.stringify([stack, kind, name, id]))
    .digest("hex")
    .slice(0, 24)}.json`;
}

let shared: Updates | undefined;

/** The updates under way of the program in whose folder this process is. */
export function updatesHere(): Updates {
  return (shared ??= new Updates(join(process.cwd(), CHECKPOINTS, "updates"), (message) => {
    console.log(`warning: ${message}`);
  }));
}
