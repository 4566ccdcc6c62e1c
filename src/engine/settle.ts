import { isObject, toJsonObject, type JsonObject } from "./json";
import { isManaged } from "./managed";
import type { Call, Found } from "./remote";
import { liveArgument, idOf, says } from "./wire";
import { isKept, isSameArgument } from "./state";
import { StateError } from "./errors";
import { isAmbiguous } from "../client/errors";

/** A POST whose answer never came. */
interface Attempt {
  path: string;
  body: JsonObject;
  began: Date;
}

/** Clocks of two machines differ; an object made this long before we began may still be ours. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Finds out whether a POST whose answer was lost has made its object. It is ours where it says everything that
 * we sent, was made after we began and is managed by no other resource of this run: exactly one such object is
 * taken over, none means that the request can be made again, several are named and left to the person.
 */
export async function settleLostAnswer(call: Call, attempt: Attempt, cause: unknown): Promise<Found> {
  call.collection.invalidate();
  const candidates = (await call.client.list(call.path, call.reading))
    .filter(isObject)
    .map(toJsonObject)
    .flatMap((object): Found[] => {
      const id = idOf(call.definition, object);
      return id !== undefined && isOurs(call, object, attempt) && !isManaged(call, id)
        ? [{ id, object }]
        : [];
    });
  const [only, ...others] = candidates;
  if (only === undefined) return makeAgain(call, attempt);
  if (others.length === 0) {
    call.warn(
      `the answer to its creation was lost (${reason(cause)}); took over ${only.id}, which it had made`,
    );
    return only;
  }
  throw new StateError(
    `${call.subject.verb} ${call.subject.kind} "${call.subject.name ?? ""}": the answer was lost (${reason(cause)}) ` +
      `and several objects fit: ${candidates.map((found) => found.id).join(", ")}. Delete the ones you do not ` +
      `want, or take one over with adoptId: "${only.id}", then run pulumi up again.`,
  );
}

/** One more try; a second lost answer is left to the next run, which settles it the same way. */
async function makeAgain(call: Call, attempt: Attempt): Promise<Found> {
  const object = await call.client.post(attempt.path, call.writing(attempt.body));
  const id = isObject(object) ? idOf(call.definition, toJsonObject(object)) : undefined;
  if (id === undefined || !isObject(object)) {
    throw new StateError(`${call.subject.verb} ${call.subject.kind}: the service answered without an id.`);
  }
  return { id, object: toJsonObject(object) };
}

/**
 * Makes what stands under a name of its own, such as a person in a list. Where the answer was lost, what stands
 * there now tells whether it has to be made again.
 */
export async function makeNamed<T>(
  call: Call,
  make: () => Promise<T>,
  look: () => Promise<T | undefined>,
): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!isAmbiguous(error)) throw error;
    call.collection.invalidate();
    const made = await look();
    if (made === undefined) return await make();
    call.warn(`the answer was lost (${reason(error)}), and what it asked for is there`);
    return made;
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split("\n")[0] ?? cause.name) : String(cause);
}

function isOurs(call: Call, object: JsonObject, attempt: Attempt): boolean {
  const { definition } = call;
  const created = object["created_at"];
  if (typeof created === "string" && Date.parse(created) < attempt.began.getTime() - CLOCK_SKEW_MS)
    return false;
  return Object.keys(definition.inputs).every((name) => {
    if (isKept(definition, name) || !says(attempt.body, name) || !says(object, name)) return true;
    const sent = liveArgument(definition, attempt.body, name);
    const live = liveArgument(definition, object, name);
    const seen = definition.fields?.[name]?.settle?.(live, sent) ?? live;
    return isSameArgument(definition, name, seen, sent);
  });
}
