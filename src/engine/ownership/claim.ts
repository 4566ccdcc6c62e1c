import { homeOf } from "../requests/connection";
import type { ResourceDefinition } from "../definition";
import type { Props } from "../values/json";
import { isStored } from "../once/interrupted";
import {
  noteDeclared,
  noteLeaving,
  noteManaged,
  noteRenamed,
  noteUndecided,
  ownerAs,
  ownerOf,
  tellIfShared,
  type Owner,
} from "./managed";
import { resourceName } from "../state/state";

/** What the state has as a resource: its own object, and those of other kinds that it manages besides. */
export interface Claim {
  readonly owner: Owner;
  readonly objects: readonly { readonly as: Owner; readonly id: string }[];
}

/**
 * Notes what the state has as that resource. A refresh does so as well, and asks for differences, also of what is to be
 * removed: that says nothing of the program.
 */
export function claim(definition: ResourceDefinition, id: string, olds: Props, news: Props): Claim {
  const [name, before] = [resourceName(news), resourceName(olds)];
  const owner = ownerOf(definition, olds, name, homeOf(olds));
  const objects = [
    { as: owner, id },
    ...(definition.manages?.(olds) ?? []).map(({ type, id: besides }) => ({
      as: ownerAs(owner, type),
      id: besides,
    })),
  ];
  for (const { as, id: object } of objects) {
    if (name !== undefined && before !== undefined)
      noteRenamed(as.definition.type, nameAs(owner, before, as), as.subject.name ?? "");
    noteManaged(as, object, isStored(definition.type, name));
  }
  return { owner, objects };
}

/** Finds out what becomes of what the state has; whoever would remove one of these objects meanwhile waits for it. */
export async function deciding<T>({ objects }: Claim, find: () => Promise<T>): Promise<T> {
  const finding = find();
  for (const { as, id } of objects) noteUndecided(as, id, finding);
  return await finding;
}

/** Name of a resource as the manager of an object, if it were called by another name. */
function nameAs(owner: Owner, name: string, { definition: { type } }: Owner): string {
  const called = { ...owner, subject: { name } };
  return (type === owner.definition.type ? called : ownerAs(called, type)).subject.name ?? "";
}

/**
 * Notes what the program says of a resource of the state, and tells where another one manages its objects, too.
 *
 * @param stays false where it is to manage other objects instead
 */
export function declare({ owner, objects }: Claim, id: string, stays: boolean): void {
  if (!isStored(owner.definition.type, owner.subject.name)) return;
  noteDeclared(owner, id, stays);
  for (const { as, id: object } of objects) {
    if (stays) tellIfShared(as, object);
    else noteLeaving(as, object);
  }
}
