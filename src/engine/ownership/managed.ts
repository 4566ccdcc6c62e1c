import type { ResourceDefinition } from "../definition";
import type { Props } from "../values/json";

/**
 * Objects that this process has seen in the state of resources, with the resources' names; true for those that the
 * program of this run declares and that are to go on managing the object.
 */
const managed = new Map<string, Map<string, boolean>>();

/** Whose object it is, and where that stands. */
export interface Owner {
  definition: Pick<ResourceDefinition, "type"> & Partial<Pick<ResourceDefinition, "scope">>;
  scope: { projectId?: string; organizationId?: string };
  subject: { name?: string };
  /** Where the object lives: ids are counted anew on every host. */
  client: { host: string };
}

function key(owner: Owner, id: string): string {
  const { definition, client } = owner;
  // What can be reached by way of its project and of its organization is one object all the same.
  const scope = definition.scope === "projectOrOrganization" ? {} : owner.scope;
  return [definition.type, client.host, scope.projectId, scope.organizationId, id].join("|");
}

/** A resource, whatever its object is. */
export function resourceKey(type: string, name: unknown): string {
  return `${type} ${String(name)}`;
}

function keyOfResource({ definition, subject }: Owner): string {
  return resourceKey(definition.type, subject.name ?? "");
}

/**
 * Notes that a resource manages this object.
 *
 * @param stays false where the program may have the resource no longer: then no object is left to it
 */
export function noteManaged(owner: Owner, id: string, stays = true): void {
  const name = owner.subject.name ?? "";
  const names = managed.get(key(owner, id)) ?? new Map<string, boolean>();
  names.set(name, stays || names.get(name) === true);
  managed.set(key(owner, id), names);
}

/** Notes that a resource is about to manage another object instead of this one. */
export function noteLeaving(owner: Owner, id: string): void {
  managed.get(key(owner, id))?.set(owner.subject.name ?? "", false);
}

/** For objects of the state, until when it is being found out whether their resource goes on managing them. */
const undecided = new Map<string, Promise<void>>();

/** Notes that it is being found out whether the resource that the state has of this object goes on managing it. */
export function noteUndecided(owner: Owner, id: string, finding: Promise<unknown>): void {
  const of = key(owner, id);
  const all = Promise.allSettled([undecided.get(of), finding]).then(() => {
    if (undecided.get(of) === all) undecided.delete(of);
  });
  undecided.set(of, all);
}

/** Objects that resources were made of in this process, or have taken over, by the resource's name. */
const made = new Map<string, string>();

/** Notes what a resource was made of, or has taken over: whatever goes in this run, that object stays. */
export function noteMade(owner: Owner, id: string): void {
  made.set(key(owner, id), owner.subject.name ?? "");
}

/**
 * The owner of an object of another kind that a resource manages besides its own: it has a name that no resource of
 * that other kind has.
 */
export function ownerAs(owner: Owner, type: string): Owner {
  const name = `${owner.subject.name ?? ""} (${owner.definition.type})`;
  return { ...owner, definition: { type }, subject: { name } };
}

/** New names of resources that the program calls by another name than the state. */
const renamed = new Map<string, string>();

/** Notes that the program gives a resource of the state another name, by an alias. */
export function noteRenamed(type: string, before: string, now: string): void {
  if (before !== now) renamed.set(resourceKey(type, before), now);
}

/** Name of another resource of this run that manages this object as well and goes on to, as far as one was seen. */
function otherManager(owner: Owner, id: string): string | undefined {
  const { definition, subject } = owner;
  const { name = "" } = subject;
  const own = ["", name, renamed.get(resourceKey(definition.type, name))];
  const isOther = (other: string): boolean =>
    !own.includes(other) && renamed.get(resourceKey(definition.type, other)) !== name;
  const managers = managed.get(key(owner, id)) ?? new Map<string, boolean>();
  const others = [...managers].flatMap(([other, stays]) => (stays && isOther(other) ? [other] : []));
  return name === "" ? undefined : others.at(-1);
}

/**
 * Name of the resource that this object has to stay for: the one that was made of it in this process or has taken it
 * over, which may be this very resource, or else another one that manages it as well.
 */
export function keeperOf(owner: Owner, id: string): string | undefined {
  return made.get(key(owner, id)) ?? otherManager(owner, id);
}

/** {@link keeperOf}, once it is known of every resource that is being compared whether it goes on managing the object. */
export async function decidedKeeper(owner: Owner, id: string): Promise<string | undefined> {
  const of = key(owner, id);
  for (let finding = undecided.get(of); finding !== undefined; finding = undecided.get(of)) await finding;
  // In the same step: whoever is compared from now on comes too late.
  return keeperOf(owner, id);
}

/** Tells that two resources of a program manage one object, where they do. */
export function tellIfShared(owner: Owner, id: string): void {
  const other = otherManager(owner, id);
  if (other === undefined) return;
  console.log(
    `warning: ${owner.definition.type} "${owner.subject.name ?? ""}" (${id}): "${other}" manages the same object; each ` +
      `will undo what the other sets. Remove one of them from the program: it is then released, and what the other manages stays.`,
  );
}

/** Entries of the state that the program of this run declares, by kind and name of the resource. */
const declared = new Map<string, { readonly object: string; readonly stays: boolean }>();

/**
 * Notes that the program declares this object as that resource. A replacement that was cut off leaves another entry of
 * the same resource in the state, which is removed at the end of the next run.
 *
 * @param stays false where a new object is to be made in its place
 */
export function noteDeclared(owner: Owner, id: string, stays: boolean): void {
  declared.set(keyOfResource(owner), { object: key(owner, id), stays });
}

/** What the program declares of the resource whose entry is to be removed; undefined where it declares nothing. */
export function declarationOf(owner: Owner, id: string): { isThis: boolean; stays: boolean } | undefined {
  const before = keyOfResource(owner);
  const now = renamed.get(before);
  const renamedOne = now === undefined ? undefined : declared.get(resourceKey(owner.definition.type, now));
  const found = renamedOne ?? declared.get(before);
  return found && { isThis: found.object === key(owner, id), stays: found.stays };
}

/** Resources that are about to take over an object, by the object. */
const adopting = new Map<string, string>();

/** Notes that a resource is about to take over this object. */
export function noteAdopting(owner: Owner, id: string): void {
  adopting.set(key(owner, id), owner.subject.name ?? "");
}

/** Name of another resource that is about to take over this object. */
export function otherAdopter(owner: Owner, id: string): string | undefined {
  const other = adopting.get(key(owner, id));
  return other === owner.subject.name ? undefined : other;
}

/** Name of the resource of this run that manages this object; empty where it is not known. */
export function managerOf(owner: Owner, id: string): string | undefined {
  const managers = managed.get(key(owner, id)) ?? new Map<string, boolean>();
  const names = [...managers.keys()];
  return names.findLast((name) => managers.get(name)) ?? names.at(-1);
}

/** Ids of this kind on this host that some resource of this run manages, in whichever project. */
export function managedIds(type: string, host: string): ReadonlySet<string> {
  const keys = [...managed.keys()].map((known) => known.split("|"));
  return new Set(keys.flatMap(([of, at, , , ...id]) => (of === type && at === host ? [id.join("|")] : [])));
}

/** Forgets an object that was removed. */
export function forgetManaged(owner: Owner, id: string): void {
  managed.delete(key(owner, id));
}

/** Resources of the state, and their objects, that a refresh of this run found to be deleted outside. */
const gone = new Set<string>();

/** Notes that what the state has as this resource was deleted outside. */
export function noteGone(owner: Owner, id: string): void {
  gone.add(keyOfResource(owner)).add(key(owner, id));
}

/** Whether this resource, or this object under another name, was in the state until a refresh of this run. */
export function wasGone(owner: Owner, id: string): boolean {
  return gone.has(keyOfResource(owner)) || gone.has(key(owner, id));
}

/** Who owns the object that these properties describe. */
export function ownerOf(
  definition: ResourceDefinition,
  props: Props,
  name: string | undefined,
  host: string,
): Owner {
  const scope: { projectId?: string; organizationId?: string } = {};
  if (typeof props["projectId"] === "string") scope.projectId = props["projectId"];
  if (typeof props["organizationId"] === "string") scope.organizationId = props["organizationId"];
  return { definition, scope, subject: name === undefined ? {} : { name }, client: { host } };
}
