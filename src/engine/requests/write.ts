import { itemPath, sendable } from "./collection-remote";
import type { ResourceDefinition } from "../definition";
import { InitFailedError } from "../messages/errors";
import { isShowable } from "../messages/hush";
import { isSame, toJsonObject, type JsonObject, type Props } from "../values/json";
import { makeNamed } from "../once/settle";
import type { Call, Found, Remote } from "./remote";
import {
  HIDDEN,
  carried,
  dropped,
  isSameArgument,
  isWaiting,
  names,
  outputsOf,
  see,
  visible,
} from "../state/state";
import { decodeOutputs, liveArgument } from "../values/wire";
import { PostHogError } from "../../client/errors";
import { naming } from "../../client/explain";

/** The object that a write is about; its present form where it was just read. */
interface Target {
  id: string;
  object: JsonObject | undefined;
}

/** What is left to do once a new object exists; a failure leaves it half done, for the next run to finish. */
export async function finish(call: Call, remote: Remote, made: Found, news: Props): Promise<JsonObject> {
  const { definition } = call;
  const found = await shownWhole(call, remote, made, news);
  const args = visible(news);
  const rest: Props = { ...found.rest };
  for (const name of Object.keys(definition.transitions ?? {})) {
    // What a new object is anyway needs no action of its own.
    if (args[name] !== undefined && !isSame(args[name], definition.clears[name])) rest[name] = args[name];
  }
  const now = decodeOutputs(definition.outputs, found.object);
  // What does not have to wait after all could not be known when the object was asked for.
  for (const name of definition.waitsFor?.arguments ?? []) {
    const live = liveArgument(definition, found.object, name);
    if (
      name in args &&
      !isWaiting(definition, name, now) &&
      !isSameArgument(definition, name, live, args[name])
    )
      rest[name] = args[name];
  }
  sayWhatWaits(call, args, found.object);
  return await apply(call, remote, found, news, {
    changes: rest,
    sent: Object.keys(args),
    olds: {},
    isNew: true,
  });
}

/** Sends the changes of an existing object and nothing else; nothing at all where nothing changed. */
export async function reconcile(
  call: Call,
  remote: Remote,
  target: Target,
  news: Props,
  changes: Props,
  olds: Props = {},
): Promise<JsonObject> {
  // What was taken out of the program before it was done is brought back to its empty value.
  const unfinished = Object.fromEntries(
    names(olds, HIDDEN.todo)
      .map((name) => [name, news[name] ?? call.definition.clears[name]] as const)
      .filter(([, wanted]) => wanted !== undefined),
  );
  const all = { ...unfinished, ...changes };
  return await apply(call, remote, target, news, {
    changes: all,
    sent: Object.keys(all),
    olds,
    isNew: false,
  });
}

interface Write {
  changes: Props;
  /** Arguments that some request carried; if the answer has another value, the service dropped ours. */
  sent: readonly string[];
  olds: Props;
  isNew: boolean;
}

async function apply(
  call: Call,
  remote: Remote,
  target: Target,
  news: Props,
  write: Write,
): Promise<JsonObject> {
  const { definition } = call;
  const { id } = target;
  const actions = actionsFor(definition, write.changes);
  const fields = Object.fromEntries(Object.entries(write.changes).filter(([name]) => !(name in actions)));
  let object = target.object;
  const known = { ...decodeOutputs(definition.outputs, object ?? {}), ...write.olds };
  try {
    if (Object.keys(sendable(call, fields, known)).length > 0) {
      const answer = await remote.update(call, id, fields, known);
      object = isWhole(definition, answer, news, known)
        ? answer
        : await reread(call, remote, id, news, answer);
    }
  } catch (error) {
    if (!write.isNew || object === undefined) throw error;
    // An answer need not show what was not sent: a plugin's code, for one.
    const todo = Object.keys(write.changes);
    throw halfDone(call, id, outputs(call, object, news, { ...write, sent: [] }, {}), news, todo, error);
  }
  const pending = Object.entries(actions);
  for (const [index, [name, action]] of pending.entries()) {
    try {
      await act(call, remote, { id, object }, news, { name, action, wanted: write.changes[name] });
    } catch (error) {
      const seen = object ?? (await reread(call, remote, id, news).catch(() => undefined));
      if (seen === undefined) throw error;
      const todo = pending.slice(index).map(([name]) => name);
      const others = write.sent.filter((name) => !todo.includes(name));
      throw halfDone(call, id, outputs(call, seen, news, { ...write, sent: others }, {}), news, todo, error);
    } finally {
      call.collection.invalidate();
    }
  }
  // The actions answer with other shapes than the object's, so it is read again.
  if (pending.length > 0) object = await reread(call, remote, id, news);
  return object === undefined
    ? unsent(news, write.olds)
    : outputs(call, object, news, write, dropped(write.olds));
}

/**
 * Sends an action. Where its answer was lost, the object tells whether it was done, unless it said so before, as a new
 * one may; then it is asked for again, since an action that was done already does nothing.
 */
async function act(
  call: Call,
  remote: Remote,
  { id, object }: Target,
  news: Props,
  { name, action, wanted }: { name: string; action: string; wanted: unknown },
): Promise<void> {
  const isDone = (seen: JsonObject): boolean =>
    isSameArgument(call.definition, name, liveArgument(call.definition, seen, name), wanted);
  const saidSo = object !== undefined && isDone(object);
  await makeNamed(
    call,
    () => call.client.post(`${itemPath(call, id)}${action}/`, call.writing()),
    async () => {
      const seen = saidSo ? undefined : await remote.find(call, id, visible(news));
      return seen && isDone(seen.object) ? seen.object : undefined;
    },
  );
}

function actionsFor(definition: ResourceDefinition, changes: Props): Record<string, string> {
  const actions: Record<string, string> = {};
  for (const [name, table] of Object.entries<Readonly<Record<string, string>> | undefined>(
    definition.transitions ?? {},
  )) {
    const action = name in changes ? table?.[String(changes[name])] : undefined;
    if (action !== undefined) actions[name] = action;
  }
  return actions;
}

/** The object as a read says it, which may leave out what the answer to a write says. */
async function reread(
  call: Call,
  remote: Remote,
  id: string,
  news: Props,
  answer?: JsonObject,
): Promise<JsonObject | undefined> {
  const found = await remote.find(call, id, visible(news));
  return found === undefined ? answer : { ...answer, ...found.object };
}

/** A new object; read where the answer to its creation said no more of it than its id. */
async function shownWhole(call: Call, remote: Remote, made: Found, news: Props): Promise<Found> {
  const { outputs: shape } = call.definition;
  const isSilent =
    Object.keys(shape).length > 0 && Object.keys(decodeOutputs(shape, made.object)).length === 0;
  if (!isSilent) return made;
  // It exists, whatever becomes of this request: what it says is read by the next refresh as well.
  const object = await reread(call, remote, made.id, news, made.object).catch(() => undefined);
  return object === undefined ? made : { ...made, object };
}

/** Whether an answer says what was known before: a service may answer a change with no more than what changed. */
function isWhole(
  definition: ResourceDefinition,
  answer: JsonObject | undefined,
  news: Props,
  known: Props,
): boolean {
  if (answer === undefined) return false;
  const shown = outputsOf(definition, answer, visible(news), {});
  return Object.keys(definition.outputs).every((name) => known[name] === undefined || name in shown);
}

/** The outputs after a change that no request carried. */
function unsent(news: Props, olds: Props): JsonObject {
  const args = visible(news);
  const kept = Object.entries(olds).filter(
    ([name]) =>
      name !== HIDDEN.provider &&
      name !== HIDDEN.todo &&
      !(names(olds, HIDDEN.declared).includes(name) && !(name in args)),
  );
  const declared = Object.keys(args).sort();
  return toJsonObject({
    ...Object.fromEntries(kept),
    ...args,
    ...carried(news),
    [HIDDEN.declared]: declared,
  });
}

/** The outputs after a write; what the service dropped silently is kept as asked and as answered, and told once. */
function outputs(call: Call, object: JsonObject, news: Props, write: Write, before: Props): JsonObject {
  const { definition } = call;
  const args = visible(news);
  // What was dropped before counts as seen only where nothing new was asked for.
  const known = Object.fromEntries(Object.entries(before).filter(([name]) => !write.sent.includes(name)));
  const seen = see(definition, object, args, known);
  const values = { ...seen.values };
  const lost: Props = {};
  for (const [name, answered] of Object.entries(known)) {
    if (name in args && !seen.drifted.includes(name)) lost[name] = answered;
  }
  for (const name of seen.drifted.filter((drifted) => write.sent.includes(drifted))) {
    lost[name] = seen.values[name] ?? null;
    values[name] = args[name];
    const showable = isShowable(definition, name, news);
    call.warn(
      showable
        ? `${name} was sent as ${JSON.stringify(args[name])}, and the service keeps ${JSON.stringify(lost[name])}`
        : `${name} was sent, and the service keeps another value`,
    );
  }
  const hidden = {
    ...carried(news),
    [HIDDEN.host]: call.client.host,
    ...(Object.keys(lost).length > 0 ? { [HIDDEN.dropped]: lost } : {}),
  };
  return outputsOf(definition, object, values, hidden);
}

function halfDone(
  call: Call,
  id: string,
  outs: JsonObject,
  news: Props,
  todo: readonly string[],
  cause: unknown,
) {
  const why = PostHogError.isInstance(cause) ? cause.message : String(cause);
  const properties = {
    ...outs,
    ...(todo.length > 0 ? { [HIDDEN.todo]: [...todo] } : {}),
    [HIDDEN.provider]: news[HIDDEN.provider],
  };
  const reason = `${naming({ ...call.subject, id })} exists and is half done: ${why}\nThe next pulumi up finishes it.`;
  return new InitFailedError(id, properties, reason, { cause });
}

function sayWhatWaits(call: Call, args: Props, object: JsonObject): void {
  const { definition } = call;
  const now = decodeOutputs(definition.outputs, object);
  const waiting = (definition.waitsFor?.arguments ?? []).filter(
    (name) =>
      isWaiting(definition, name, now) &&
      args[name] !== undefined &&
      !isSame(args[name], definition.clears[name]),
  );
  if (waiting.length === 0) return;
  call.warn(
    `${waiting.join(" and ")} cannot be set yet and ${waiting.length === 1 ? "waits" : "wait"} until ` +
      `${definition.waitsFor?.output ?? ""} is true; the first pulumi up --refresh after that sends what waits`,
  );
}
