import { clientOf } from "./connection";
import type { ResourceDefinition } from "./definition";
import type { Props } from "./json";
import { noteManaged, noteRenamed, ownerOf, tellIfShared, type Owner } from "./managed";
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
  tellIfShared(definition.type, name, id, other);
  return owner;
}
