import type { ApiClient, RequestOptions, Subject } from "./client";
import { NotFoundError } from "./errors";
import { toldOf } from "./explain";
import { Forms } from "./forms";

/** What tells the objects of a collection apart. */
export interface CollectionSpec {
  /** Path of the collection, filled in. */
  path: string;
  idOf(item: unknown): string;
  /** Whether one object can be asked for by itself. */
  single: boolean;
  /** Fields that are wanted: where the list leaves one out, the object is asked for by itself, unless that shows no more. */
  fields?: readonly string[];
}

/** Single reads before the list is asked: below that, a list would cost more than it saves. */
const SINGLE_READS = 3;
/** How long a list answers for. */
const FRESH_MS = 30_000;

type Items = ReadonlyMap<string, unknown>;
/** Takes what is wanted out of the objects that have arrived. */
type Pick = (items: Items) => unknown;

/** A list that is being read, page by page, or has been read. */
interface Listing {
  /** Whom it is read for first. */
  readonly asker: Subject | undefined;
  readonly items: Map<string, unknown>;
  /** Settles when the last page is in. */
  readonly done: Promise<void>;
  /** Settles when another page is in. */
  nextPage: Promise<void>;
  /** When the last page came in. */
  finishedAt: number | undefined;
  /** The complete pass just before this one, where this one was made to be sure of what that one lacked. */
  readonly before: Items | undefined;
}

/**
 * The objects of one collection as one process reads them: many reads become one list. A write forgets what was
 * read, so that no read that begins after it is answered from before.
 */
export class Collection {
  private singleReads = 0;
  private listing: Listing | undefined;
  /** Single reads under way, with whom each is made for. */
  private readonly fetched = new Map<string, { asker: Subject | undefined; object: Promise<unknown> }>();
  /** Kept over writes: they change values, not what is shown. */
  private readonly forms = new Forms();

  constructor(
    private readonly client: ApiClient,
    private readonly path: string,
    private readonly now: () => number = () => Date.now(),
  ) {}

  /** The object of that id, or undefined where the service does not have it. */
  async read(id: string, spec: CollectionSpec, options: RequestOptions): Promise<unknown> {
    if (!spec.single) return await this.inTwoPasses((items) => items.get(id), spec, options);
    if (this.fresh() === undefined && ++this.singleReads <= SINGLE_READS)
      return await this.readSingle(id, spec, options);
    const listed = await this.listed(id, spec, options);
    const ask = (): Promise<unknown> => this.readSingle(id, spec, options);
    return listed === undefined ? await ask() : await this.forms.complete(listed, spec.fields ?? [], ask);
  }

  /** Every object of the collection. */
  async all(spec: CollectionSpec, options: RequestOptions): Promise<unknown[]> {
    const listing = this.list(spec, options);
    await ended(listing, options);
    return [...listing.items.values()];
  }

  /** Forgets everything that was read: a write has begun or ended. */
  invalidate(): void {
    this.listing = undefined;
    this.singleReads = 0;
    this.fetched.clear();
  }

  /** The first object that fits, or undefined where two complete passes lack one. */
  search(fits: (item: unknown) => boolean, spec: CollectionSpec, options: RequestOptions): Promise<unknown> {
    const pick = (items: Items): unknown => {
      for (const item of items.values()) if (fits(item)) return item;
      return undefined;
    };
    return this.inTwoPasses(pick, spec, options);
  }

  /** Pages shift while they are read: what one pass lacks is gone only where a second pass lacks it, too. */
  private async inTwoPasses(pick: Pick, spec: CollectionSpec, options: RequestOptions): Promise<unknown> {
    const first = this.list(spec, options);
    const found = await find(first, pick, options);
    if (found !== undefined) return found;
    if (first.before !== undefined && pick(first.before) === undefined) return undefined;
    // Others may be at the same point: they share the second pass.
    const second =
      this.listing === first ? this.startList(spec, options, first.items) : this.list(spec, options);
    return await find(second, pick, options);
  }

  private async readSingle(id: string, spec: CollectionSpec, options: RequestOptions): Promise<unknown> {
    const ask = (): Promise<unknown> => this.client.get(`${this.path}${encodeURIComponent(id)}/`, options);
    const asked = this.fetched.get(id) ?? { asker: options.subject, object: ask() };
    this.fetched.set(id, asked);
    this.forms.learn(asked.object, spec.fields ?? []);
    try {
      return await asked.object;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw toldOf(options.subject, asked.asker, error);
    } finally {
      if (this.fetched.get(id) === asked) this.fetched.delete(id);
    }
  }

  /** A list that is still being read is fresh, however long it takes: a second one would take as long. */
  private fresh(): Listing | undefined {
    const { listing } = this;
    if (listing?.finishedAt === undefined) return listing;
    return this.now() - listing.finishedAt < FRESH_MS ? listing : undefined;
  }

  private list(spec: CollectionSpec, options: RequestOptions): Listing {
    return this.fresh() ?? this.startList(spec, options);
  }

  private startList(spec: CollectionSpec, options: RequestOptions, before?: Items): Listing {
    const items = new Map<string, unknown>();
    let arrived: () => void = () => undefined;
    const anotherPage = (): Promise<void> => new Promise((resolve) => (arrived = resolve));
    const listing: Listing = {
      asker: options.subject,
      items,
      before,
      finishedAt: undefined,
      nextPage: anotherPage(),
      done: this.fill(items, spec, options, () => {
        const tell = arrived;
        listing.nextPage = anotherPage();
        tell();
      }).finally(() => {
        listing.finishedAt = this.now();
        arrived();
      }),
    };
    // Whoever waits gets the error; nobody gets it from a list that is kept.
    listing.done.catch(() => {
      if (this.listing === listing) this.listing = undefined;
    });
    this.listing = listing;
    return listing;
  }

  private async fill(
    items: Map<string, unknown>,
    spec: CollectionSpec,
    options: RequestOptions,
    told: () => void,
  ): Promise<void> {
    for await (const page of this.client.pages(this.path, options)) {
      for (const item of page) {
        items.set(spec.idOf(item), item);
        this.forms.seeListed(item);
      }
      told();
    }
  }

  /** What the list says of one object; a list that is not there itself leaves the question to a single read. */
  private async listed(id: string, spec: CollectionSpec, options: RequestOptions): Promise<unknown> {
    try {
      return await find(this.list(spec, options), (items) => items.get(id), options);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

/** Waits until what is wanted has arrived, or the last page has. */
async function find(listing: Listing, pick: Pick, options: RequestOptions): Promise<unknown> {
  for (;;) {
    const found = pick(listing.items);
    if (found !== undefined) return found;
    if (listing.finishedAt !== undefined) break;
    await listing.nextPage;
  }
  await ended(listing, options);
  return undefined;
}

/** Waits for the last page; where the list failed, whoever waits is told so of themselves. */
async function ended(listing: Listing, options: RequestOptions): Promise<void> {
  try {
    await listing.done;
  } catch (error) {
    throw toldOf(options.subject, listing.asker, error);
  }
}

/** A web page that says 404 is a proxy's and says nothing about the object. */
function isMissing(error: unknown): boolean {
  return NotFoundError.isInstance(error) && !error.webPage;
}

/**
 * By address of the collection, and then by the connection that reads it: also two with the same key have their own
 * deadlines, and their own settings for messages to name.
 */
const collections = new Map<string, Map<ApiClient, Collection>>();

/** The collection at this path, as far as one verb on one object needs it: shared by the whole process. */
export function collectionFor(client: ApiClient, spec: CollectionSpec): BoundCollection {
  const address = `${client.host}${spec.path}`;
  const readers = collections.get(address) ?? new Map<ApiClient, Collection>();
  collections.set(address, readers);
  const collection = readers.get(client) ?? new Collection(client, spec.path);
  readers.set(client, collection);
  return new BoundCollection(collection, spec, readers);
}

/** A shared collection together with what one kind of resource needs of its objects. */
export class BoundCollection {
  constructor(
    private readonly shared: Collection,
    private readonly spec: CollectionSpec,
    private readonly readers: ReadonlyMap<ApiClient, Collection>,
  ) {}

  /** {@link Collection.read} */
  read(id: string, options: RequestOptions): Promise<unknown> {
    return this.shared.read(id, this.spec, options);
  }
  /** {@link Collection.search} */
  search(fits: (item: unknown) => boolean, options: RequestOptions): Promise<unknown> {
    return this.shared.search(fits, this.spec, options);
  }
  /** {@link Collection.all} */
  all(options: RequestOptions): Promise<unknown[]> {
    return this.shared.all(this.spec, options);
  }
  /** {@link Collection.invalidate}, for every connection that reads the same collection. */
  invalidate(): void {
    for (const collection of this.readers.values()) collection.invalidate();
  }
}
