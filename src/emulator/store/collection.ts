/** Rows of one kind by id, in the order in which they were made. Rows are live: a change to one is seen by all. */
export class Collection<T extends { readonly id: number | string }> {
  private readonly rows = new Map<T["id"], T>();
  private next = 1;

  constructor(private readonly changed: () => void = () => undefined) {}

  /** The id for the next row of a kind that is numbered. */
  nextId(): number {
    return this.next++;
  }

  insert(row: T): T {
    if (this.rows.has(row.id)) throw new Error(`there is a row with id ${row.id} already`);
    this.rows.set(row.id, row);
    if (typeof row.id === "number" && row.id >= this.next) this.next = row.id + 1;
    this.changed();
    return row;
  }

  get(id: T["id"]): T | undefined {
    return this.rows.get(id);
  }

  /** The row that another row points to; it must be there. */
  require(id: T["id"]): T {
    const row = this.rows.get(id);
    if (!row) throw new Error(`no row with id ${id}`);
    return row;
  }

  update(row: T, changes: Partial<T>): T {
    Object.assign(row, changes);
    this.changed();
    return row;
  }

  delete(id: T["id"]): boolean {
    const deleted = this.rows.delete(id);
    if (deleted) this.changed();
    return deleted;
  }

  deleteWhere(matches: (row: T) => boolean): T[] {
    const doomed = this.filter(matches);
    for (const row of doomed) this.delete(row.id);
    return doomed;
  }

  all(): T[] {
    return [...this.rows.values()];
  }

  filter(matches: (row: T) => boolean): T[] {
    const found: T[] = [];
    for (const row of this.rows.values()) if (matches(row)) found.push(row);
    return found;
  }

  find(matches: (row: T) => boolean): T | undefined {
    for (const row of this.rows.values()) if (matches(row)) return row;
    return undefined;
  }

  get size(): number {
    return this.rows.size;
  }

  dump(): DumpedCollection<T> {
    return { next: this.next, rows: this.all() };
  }

  load(dumped: DumpedCollection<T>): void {
    this.rows.clear();
    for (const row of dumped.rows) this.rows.set(row.id, row);
    this.next = dumped.next;
  }
}

export interface DumpedCollection<T> {
  next: number;
  rows: T[];
}
