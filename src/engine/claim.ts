import { clientOf } from "./connection";
import type { ResourceDefinition } from "./definition";
import type { Props } from "./json";
import { noteManaged, noteRenamed, ownerAs, ownerOf, tellIfShared, type Owner } from "./managed";
import { HIDDEN } from "./state";

/** Notes that the program manages this object as that resource, and tells where another resource does so, too. */
export function claim(definition: ResourceDefinition, id: string, olds: Props, news: Props): Owner {
  const [name, before, host] = [news[HIDDEN.name], olds[HIDDEN.name], olds[HIDDEN.host]];
  const owner = ownerOf(
    definition,
    olds,
    typeof name === "string" ? name : undefined,
    typeof host === "string" ? host : clientOf(olds).host,
  );
  const other = noteManaged(owner, id);
  if (typeof name !== "string") return owner;
  if (typeof before === "string") noteRenamed(definition.type, before, name);
  for (const { type, id: besides } of definition.manages?.(olds) ?? []) {
    const as = ownerAs(owner, type);
    const nameAs = as.subject.name ?? "";
    if (typeof before === "string")
      noteRenamed(type, ownerAs({ ...owner, subject: { name: before } }, type).subject.name ?? "", nameAs);
    tellIfShared(type, nameAs, besides, noteManaged(as, besides));
  }
  tellIfShared(definition.type, name, id, other);
  return owner;
}
