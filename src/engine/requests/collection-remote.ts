import { isObject, toJsonObject, type JsonObject, type Props } from "../values/json";
import type { Call, Found, Remote } from "./remote";
import { makeOnce } from "../once/settle";
import { encodeArguments, idOf } from "../values/wire";
import { ResponseError } from "../../client/errors";
import { naming } from "../../client/explain";
import { isWaiting } from "../state/state";

/** Path of one object of the collection. */
export function itemPath(call: Call, id: string): string {
  return `${call.path}${encodeURIComponent(id)}/`;
}

/** An answer that should be an object of the kind; anything else is named. */
export function asObject(answer: unknown): JsonObject | undefined {
  return isObject(answer) ? toJsonObject(answer) : undefined;
}

/** The object of an answer with its id; without an id the answer is of no use. */
export function asFound(call: Call, answer: unknown): Found {
  const object = asObject(answer);
  const id = object && idOf(call.definition, object);
  if (object === undefined || id === undefined) {
    throw new ResponseError(
      `${call.subject.verb} ${naming(call.subject)}: ${call.client.host} answered without ` +
        `the ${[call.definition.idField ?? "id"].flat().join(" or ")} of the object. Is ${call.client.settingName("host")} the address of a PostHog?`,
      "empty",
    );
  }
  return { id, object };
}

/** The arguments that travel in a body: not those kept for ourselves, in the path, or still waiting. */
export function sendable(call: Call, args: Props, stored: Props): Props {
  const { definition } = call;
  const here: readonly string[] = ["connection", "adoptId", "projectId", "organizationId"];
  return Object.fromEntries(
    Object.entries(args).filter(
      ([name]) =>
        !here.includes(name) && !definition.local?.includes(name) && !isWaiting(definition, name, stored),
    ),
  );
}

/**
 * POSTs a new object; an answer that was lost is settled before anything is made again.
 *
 * @param shown what of the body the new object will show; all of it unless given
 */
export async function post(call: Call, path: string, body: JsonObject, shown = body): Promise<Found> {
  const make = async (): Promise<Found> => asFound(call, await call.client.post(path, call.writing(body)));
  try {
    return await makeOnce(call, shown, make);
  } finally {
    call.collection.invalidate();
  }
}

/** What every kind does that does not do it its own way. */
export const collectionRemote: Remote = {
  create(call, args) {
    return post(call, call.path, encodeArguments(call.definition, sendable(call, args, {})));
  },

  async find(call, id) {
    const item = await call.collection.read(id, call.reading);
    if (item === undefined) return undefined;
    const object = asObject(item);
    if (object !== undefined) return { id, object };
    // Whatever answers everything with the same word must not make anybody believe that the object is gone.
    throw new ResponseError(
      `${call.subject.verb} ${naming({ ...call.subject, id })}: ${call.client.host} answered ` +
        `with something other than the object. Is ${call.client.settingName("host")} the address of a PostHog?`,
      "not an object",
    );
  },

  async update(call, id, changed, stored) {
    const body = encodeArguments(call.definition, sendable(call, changed, stored));
    if (Object.keys(body).length === 0) return undefined;
    try {
      return asObject(await call.client.patch(itemPath(call, id), call.writing(body)));
    } finally {
      call.collection.invalidate();
    }
  },

  async delete(call, id) {
    try {
      await call.client.delete(itemPath(call, id), call.writing());
    } finally {
      call.collection.invalidate();
    }
  },
};
