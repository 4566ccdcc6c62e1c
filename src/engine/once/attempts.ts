import { isRefused } from "../../client/errors";
import { isOf, outlive } from "./interrupted";
import type { Intent } from "./intent";
import { intentsHere } from "./intents";
import type { Call } from "../requests/remote";
import { latestEffect } from "./settle";

/*
 * Requests that make something which no list shows as one object: a batch of invites, a backfill. Their kinds write
 * down what they are about to send, and find out themselves what an interrupted run has made of it.
 */

/** What is about to be sent, so that a later run can recognise what came of it. */
export interface Plan {
  /** Path of the request. */
  readonly path: string;
  /** Keyed hash of all that is asked for. */
  readonly hash: string;
  /** Keyed hashes by which what was made can be recognised. */
  readonly traits: Readonly<Record<string, string>>;
  /** What was there before and is not to be taken for what was made. */
  readonly besides?: readonly string[];
  /** Whether nothing was made where the service refuses: then there is nothing to remember. */
  readonly isWhole?: boolean;
}

/** What earlier runs began for this very resource and the state may not know of. */
export async function earlierAttempts(call: Call): Promise<Intent[]> {
  const earlier = await intentsHere().all(
    (intent) =>
      isOf(call, intent) && intent.plan.path.startsWith(call.path) && intent.plan.path !== call.path,
  );
  for (const intent of earlier) await outlive(call, intent);
  return earlier;
}

/** Writes the plan down before anything is sent, and the id of what came of it afterwards. */
export async function attempt<T>(
  call: Call,
  plan: Plan,
  send: () => Promise<T>,
  idOf: (made: T) => string,
): Promise<T> {
  const intents = intentsHere();
  const intent = await intents.add(
    {
      stack: call.stack ?? "",
      kind: call.definition.type,
      name: call.subject.name ?? "",
      host: call.client.host,
      begun: Date.now(),
      until: latestEffect(call),
      path: plan.path,
      hash: plan.hash,
      traits: { ...plan.traits },
      besides: [...(plan.besides ?? [])],
    },
    call.stack !== undefined,
  );
  try {
    const made = await send();
    await intents.learn(intent, idOf(made));
    return made;
  } catch (error) {
    if (plan.isWhole === true && isRefused(error)) intents.drop(intent);
    else await intents.giveUp(intent);
    throw error;
  }
}

/** Forgets attempts that came to nothing, or writes down which object they were until the state has it. */
export async function settleAttempts(earlier: readonly Intent[], id: string | undefined): Promise<void> {
  for (const intent of earlier) {
    if (id === undefined || (intent.id ?? id) !== id) intentsHere().drop(intent);
    else if (intent.id === undefined) await intentsHere().learn(intent, id);
  }
}
