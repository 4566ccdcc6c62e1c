import { Collection, type DumpedCollection } from "./collection";
import type { Store } from "./store";

/** What a row of an own collection may belong to, by the name that the service has for it. */
export interface OwnRow {
  readonly id: number | string;
  readonly project_id?: number;
  readonly organization_id?: string;
}

/** A collection whose rows only the file of routes knows that declared it. */
export interface OwnCollection {
  deleteWhere(matches: (row: OwnRow) => boolean): OwnRow[];
  dump(): DumpedCollection<unknown>;
  load(dumped: DumpedCollection<unknown>): void;
}

interface Declared {
  readonly name: string;
  open(store: Store, changed: () => void): OwnCollection;
}

const declared: Declared[] = [];

/**
 * Declares a collection that one file of routes has for itself, and answers how to reach it in a store. Its rows are in
 * the data file under this name, and go with the project or organization that they name.
 */
export function collection<T extends OwnRow>(name: string): (store: Store) => Collection<T> {
  const opened = new WeakMap<Store, Collection<T>>();
  declared.push({
    name,
    open(store, changed) {
      const rows = new Collection<T>(changed);
      opened.set(store, rows);
      return rows;
    },
  });
  return (store) => {
    const rows = opened.get(store);
    if (!rows) throw new Error(`the store was made before its collection ${name} was declared`);
    return rows;
  };
}

/** Makes what was declared, for a store. */
export function openDeclared(store: Store, changed: () => void): Map<string, OwnCollection> {
  const made = new Map<string, OwnCollection>();
  for (const { name, open } of declared) {
    if (name in store || made.has(name)) throw new Error(`there are two collections ${name}`);
    made.set(name, open(store, changed));
  }
  return made;
}
