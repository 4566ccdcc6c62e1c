import { ConnectionError, PostHogError } from "../../client/errors";
import { SharedAnswers } from "../../client/shared-answers";
import type { Call } from "../requests/remote";
import { isObject, toJsonObject, type JsonObject } from "../values/json";
import { idOf } from "../values/wire";
import { hasTraits, traitsOf, type Traits } from "./traits";

interface Listed {
  readonly object: JsonObject;
  readonly traits: Traits;
}

const firstLists = new SharedAnswers<readonly Listed[] | undefined>();

/**
 * Objects that have these traits already; undefined where that was not found out. The list is read once, before the
 * process makes its first object there; what the process makes itself, it knows.
 */
export async function alike(call: Call, traits: Traits): Promise<string[] | undefined> {
  const objects = await firstLists.to(call.client, call.path, call.subject, () => firstList(call));
  return objects
    ?.filter((listed) => hasTraits(listed.object, listed.traits, traits))
    .flatMap(({ object }) => idOf(call.definition, object) ?? []);
}

async function firstList(call: Call): Promise<readonly Listed[] | undefined> {
  const objects = (await itemsOf(call))?.filter(isObject).map(toJsonObject);
  return objects?.map((object) => ({ object, traits: traitsOf(call, object) }));
}

/** What says when it was made can be told by that as well: there the list must not cost much, nor be a hindrance. */
async function itemsOf({ client, definition, path, reading }: Call): Promise<unknown[] | undefined> {
  if (!("createdAt" in definition.outputs)) return await client.list(path, reading);
  try {
    return await client.listOfOnePage(path, reading);
  } catch (error) {
    // Where nobody can be reached, the creation itself would only find out the same, as slowly.
    const isReached = !ConnectionError.isInstance(error) || error.sent;
    if (PostHogError.isInstance(error) && isReached) return undefined;
    throw error;
  }
}
