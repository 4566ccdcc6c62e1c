import { collectionFor } from "../../client/collection";
import type { ResourceDefinition } from "../definition";
import type { Call } from "./remote";
import { idOf } from "../values/wire";

/**
 * The same call on another kind's collection: its messages go on being about what the call is about. What it makes
 * there is not written down: the state will not know it by its own id, and the kind that makes it looks for it itself.
 */
export function callOn(call: Call, definition: ResourceDefinition, path: string): Call {
  const collection = collectionFor(call.client, {
    path,
    single: definition.read !== "list",
    idOf: (item) => idOf(definition, item) ?? "",
  });
  return { ...call, stack: undefined, definition, path, collection };
}
