import type { ResourceDefinition } from "./definition";
import type { Props } from "./json";

/** Objects that this process has seen in the state of a resource, with the resource's name. */
const managed = new Map<string, string>();

interface Owner {
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
