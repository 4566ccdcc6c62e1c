/** Single objects that lack a field before the service is taken not to show it at all. */
const ENOUGH = 3;
/** Names that are remembered of what a list shows; a service that makes them up would fill the memory. */
const MOST_NAMES = 1000;

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What the list and the single form of a collection's objects show, as far as this process has seen: a field that the
 * list leaves out is worth a request for each object only where the single form has it.
 */
export class Forms {
  private readonly listed = new Set<string>();
  private readonly shown = new Set<string>();
  private readonly lacked = new Map<string, number>();
  private readonly asking = new Set<Promise<void>>();

  /** Notes what an object of a list shows. */
  seeListed(item: unknown): void {
    if (!isFields(item) || this.listed.size > MOST_NAMES) return;
    for (const name of Object.keys(item)) this.listed.add(name);
  }

  /** Notes what of these fields an object that is being asked for by itself will show. */
  learn(asked: Promise<unknown>, fields: readonly string[]): void {
    const seen = asked
      .then((object) => {
        if (!isFields(object)) return;
        for (const field of fields) {
          if (field in object) this.shown.add(field);
          else this.lacked.set(field, (this.lacked.get(field) ?? 0) + 1);
        }
      })
      // Whoever asked gets the error.
      .catch(() => undefined)
      .finally(() => this.asking.delete(seen));
    this.asking.add(seen);
  }

  /**
   * An object of a list with these fields, as far as the service shows them.
   *
   * @param ask asks for the object by itself and lets {@link learn} know, before anything is waited for
   */
  async complete(item: unknown, fields: readonly string[], ask: () => Promise<unknown>): Promise<unknown> {
    if (!isFields(item)) return await ask();
    for (;;) {
      const missing = fields.filter((field) => !(field in item) && !this.listed.has(field));
      const tries = missing.map((field) => this.lacked.get(field) ?? 0).filter((count) => count < ENOUGH);
      const isShown = missing.some((field) => this.shown.has(field));
      if (!isShown && tries.length === 0) return item;
      if (isShown || Math.min(...tries) + this.asking.size < ENOUGH) return merged(item, await ask());
      // Enough are on their way: what they show decides for all.
      await Promise.race(this.asking);
    }
  }
}

/** An object as both of its forms show it; the single form counts where they differ. */
function merged(listed: Fields, single: unknown): unknown {
  return isFields(single) ? { ...listed, ...single } : single;
}
