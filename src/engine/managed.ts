import type { ResourceDefinition } from "./definition";
import type { Props } from "./json";

/** Objects that this process has seen in the state of a resource, with the resource's name. */
const managed = new Map<string, string>();

/** Whose object it is, and where that stands. */
export interface Owner {
  definition: Pick<ResourceDefinition, "type">;
  scope: { projectId?: string; organizationId?: string };
  subject: { name?: string };
  /** Where the object lives: ids are counted anew on every host. */
  client: { host: string };
}

function key(owner: Owner, id: string): string {
  const { definition, client, scope } = owner;
  return [definition.type, client.host, scope.projectId, scope.organizationId, id].join("|");
}

/** Notes that a resource manages this object; the name of another resource that does so too, if there is one. */
export function noteManaged(owner: Owner, id: string): string | undefined {
  const name = owner.subject.name ?? "";
  const other = managed.get(key(owner, id));
  managed.set(key(owner, id), name);
  return other !== undefined && other !== name ? other : undefined;
}

/** Objects that resources were made of in this process, or have taken over, by the resource's name. */
const made = new Map<string, string>();

/** Notes what a resource was made of, or has taken over: whatever goes in this run, that object stays. */
export function noteMade(owner: Owner, id: string): void {
  made.set(key(owner, id), owner.subject.name ?? "");
}

/** Name of the resource that was made of this object in this process, or has taken it over. */
export function keeperOf(owner: Owner, id: string): string | undefined {
  return made.get(key(owner, id));
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
  if (before !== now) renamed.set(`${type} ${before}`, now);
}

/** Name of another resource of this run that manages this object as well, as far as one was seen. */
export function otherManager(owner: Owner, id: string): string | undefined {
  const { name = "" } = owner.subject;
  const manager = managed.get(key(owner, id)) ?? "";
  const isOwn = manager === name || renamed.get(`${owner.definition.type} ${name}`) === manager;
  return manager === "" || name === "" || isOwn ? undefined : manager;
}

/** Tells that two resources of a program manage one object, where they do. */
export function tellIfShared(type: string, name: string, id: string, other: string | undefined): void {
  if (other === undefined || other === "") return;
  console.log(
    `warning: ${type} "${name}" (${id}): "${other}" manages the same object; each will undo what the other sets. ` +
      `Remove one of them from the program: it is then released, and what the other manages stays.`,
  );
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

/** Whether some resource of this run manages this object. */
export function isManaged(owner: Owner, id: string): boolean {
  return managed.has(key(owner, id));
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
