import { z } from "zod";
import { SharedAnswers } from "../client/shared-answers";
import { isRefused, NotFoundError, PermissionError, PostHogError } from "../client/errors";
import { asObject, collectionRemote, itemPath } from "../engine/requests/collection-remote";
import type { Judgement, Problem } from "../engine/definition";
import { at, isEmpty, isObject, textAt, toJson, type JsonObject, type Props } from "../engine/values/json";
import type { Call, Found, Remote } from "../engine/requests/remote";
import { makeNamed } from "../engine/once/settle";
import { HIDDEN, names, see } from "../engine/state/state";
import { isPlugin, pluginDefinition, sourceFiles } from "./plugin";

/** The tag that stands for the newest version, whatever it is called. */
const LATEST = "latest";
/** Arguments that a plugin.json among the code sets as well. */
const FROM_CODE = ["name", "configSchema"];
const COLLECTIONS = ["pipeline_destinations", "pipeline_frontend_apps", "pipeline_import_apps"];

/** Arguments of the plugin kinds whose code can be changed. */
export const codeInputs = {
  /**
   * Its code: text by file name (`plugin.json`, `index.ts` ...). Set by the update_source action and compared with what
   * the source action reads; PostHog closes both to API keys with scopes. What is not in the map is removed. Default:
   * the code stays as it is. Updated in place; taken out: all files are removed.
   */
  source: z.record(z.string().min(1), z.string()).optional(),
};

/** Outputs of the plugin kinds whose code can be changed. */
export const codeOutputs = {
  /** Version that is installed. */
  installedTag: z.string().optional(),
};

/** What the definitions of these kinds share. */
export const codeDefinition = {
  ...pluginDefinition,
  fields: {
    ...pluginDefinition.fields,
    tag: { settle: (live: unknown, stored: unknown) => (stored === LATEST ? stored : live) },
  },
  refine: (args: Props): Problem[] =>
    args["tag"] === LATEST && args["url"] === undefined
      ? [
          {
            argument: "tag",
            reason: `"${LATEST}" needs a url: only what has an address has a newest version`,
          },
        ]
      : [],
  judge: async (stored: Props, wanted: Props, ask: () => Call): Promise<Judgement> => ({
    ...pluginDefinition.judge(stored, wanted),
    ...(wanted["tag"] === LATEST ? await judgeLatest(stored, ask()) : {}),
  }),
  repeats: { installedTag: ["tag"] },
  remote: { create, find, update, delete: remove } satisfies Remote,
} as const;

async function create(call: Call, args: Props): Promise<Found> {
  const { source, ...sent } = args;
  const { tag: _, ...untagged } = sent;
  const found = await collectionRemote.create(call, args["tag"] === LATEST ? untagged : sent);
  // The code brings its own name and settings: what was declared is sent after it.
  const after = isObject(source) && "plugin.json" in source ? pick(args, FROM_CODE) : {};
  return { ...withVersion(found), rest: isEmpty(source) ? {} : { source, ...after } };
}

async function find(call: Call, id: string, stored: Props): Promise<Found | undefined> {
  const found = (await collectionRemote.find(call, id, stored)) ?? (await findElsewhere(call, id));
  if (found === undefined) return undefined;
  const files = stored["source"] === undefined ? undefined : await readSource(call, id);
  const known = withVersion(found);
  return files === undefined ? known : { id, object: { ...known.object, source: files } };
}

async function update(
  call: Call,
  id: string,
  changed: Props,
  stored: Props,
): Promise<JsonObject | undefined> {
  const object = await whereItIs(call, async (here) => {
    const { source, tag, ...fields } = changed;
    if ("source" in changed) await writeSource(here, id, source, stored["source"]);
    const overwritten = "source" in changed ? await overwrittenBy(here, id, source, stored) : {};
    const upgraded = "tag" in changed ? await upgrade(here, id, tag) : undefined;
    // What has no address has no versions: there a tag is a mere label.
    const label = "tag" in changed && upgraded === undefined && tag !== LATEST ? { tag } : {};
    const rest = { ...overwritten, ...fields, ...label };
    const patched = await collectionRemote.update(here, id, rest, stored);
    return patched ?? upgraded ?? asObject(await here.client.get(itemPath(here, id), here.reading));
  }).finally(() => {
    call.collection.invalidate();
  });
  return object && withVersion({ id, object }).object;
}

async function remove(call: Call, id: string, stored: Props): Promise<void> {
  await whereItIs(call, async (here) => {
    try {
      await collectionRemote.delete(here, id, stored);
    } catch (error) {
      // One that every organization sees has to be made local before it can go.
      const seen = isRefused(error) && (await collectionRemote.find(here, id, stored));
      if (!seen || seen.object["is_global"] !== true) throw error;
      await here.client.patch(itemPath(here, id), here.writing({ is_global: false }));
      await collectionRemote.delete(here, id, stored);
    }
  });
}

function withVersion(found: Found): Found {
  return { ...found, object: { ...found.object, installed_tag: found.object["tag"] ?? null } };
}

function pick(props: Props, names: readonly string[]): Props {
  return Object.fromEntries(
    names.filter((name) => props[name] !== undefined).map((name) => [name, props[name]]),
  );
}

/** The same plugin as the lists of the other kinds show it. */
function elsewhere(call: Call): Call[] {
  return COLLECTIONS.map((name) => call.path.replace(/[^/]+\/$/, `${name}/`))
    .filter((path) => path !== call.path)
    .map((path) => ({ ...call, path }));
}

/**
 * The service reads a plugin's code some time after it was posted, and until then lists it among the frontend apps,
 * whatever it is. It is the same plugin there, and every action works.
 */
async function whereItIs<T>(call: Call, act: (here: Call) => Promise<T>): Promise<T> {
  try {
    return await act(call);
  } catch (error) {
    if (!NotFoundError.isInstance(error)) throw error;
    for (const here of elsewhere(call)) {
      try {
        return await act(here);
      } catch (again) {
        if (!NotFoundError.isInstance(again)) throw again;
      }
    }
    throw error;
  }
}

async function findElsewhere(call: Call, id: string): Promise<Found | undefined> {
  for (const here of elsewhere(call)) {
    try {
      const object = asObject(await here.client.get(itemPath(here, id), here.reading));
      if (object !== undefined) return { id, object };
    } catch (error) {
      if (!NotFoundError.isInstance(error)) throw error;
    }
  }
  return undefined;
}

/** The plugin's files, or undefined where the service does not show them. */
async function readSource(call: Call, id: string): Promise<Record<string, string> | undefined> {
  try {
    const answer = await whereItIs(call, (here) =>
      here.client.get(`${itemPath(here, id)}source/`, here.reading),
    );
    // By the interface document the answer is the plugin itself, which has no field for its code.
    return isPlugin(answer) ? undefined : sourceFiles(answer);
  } catch (error) {
    if (!PermissionError.isInstance(error)) throw error;
    call.warn(`source was not compared: PostHog does not show it to this key`);
    return undefined;
  }
}

async function writeSource(call: Call, id: string, wanted: unknown, stored: unknown): Promise<void> {
  const files = sourceFiles(wanted);
  const answer = await call.client
    .get(`${itemPath(call, id)}source/`, call.reading)
    .catch((error: unknown) => {
      if (PermissionError.isInstance(error)) return undefined;
      throw error;
    });
  const shown = isObject(answer) && !isPlugin(answer);
  const live = shown ? sourceFiles(answer) : undefined;
  const changed = Object.entries(files).filter(([name, text]) => live?.[name] !== text);
  const removed = Object.keys(live ?? sourceFiles(stored)).filter((name) => !(name in files));
  const body = { ...Object.fromEntries(changed), ...Object.fromEntries(removed.map((name) => [name, null])) };
  if (Object.keys(body).length === 0) return;
  await call.client.patch(`${itemPath(call, id)}update_source/`, call.writing(body));
}

/** Declared arguments that a change of the code has set to what its plugin.json says. */
async function overwrittenBy(call: Call, id: string, source: unknown, stored: Props): Promise<Props> {
  const declared = pick(pick(stored, names(stored, HIDDEN.declared)), FROM_CODE);
  if (!isObject(source) || !("plugin.json" in source) || isEmpty(declared)) return {};
  const now = asObject(await call.client.get(itemPath(call, id), call.reading));
  return now === undefined ? {} : pick(declared, see(call.definition, now, declared).drifted);
}

/** Installs a version; undefined where the plugin has no address to get one from. */
async function upgrade(call: Call, id: string, tag: unknown): Promise<JsonObject | undefined> {
  const now = asObject(await call.client.get(itemPath(call, id), call.reading));
  const installed = isEmpty(now?.["url"]) ? false : !["source", "local"].includes(textAt(now, "plugin_type"));
  if (!installed) return undefined;
  const newest = tag === LATEST ? await newestTag(call, id) : undefined;
  if (newest !== undefined && newest === now?.["tag"]) return now;
  newestTags.forget(call.client, itemPath(call, id));
  const body = tag === LATEST ? {} : { tag: toJson(tag) };
  return await makeNamed(
    call,
    async () => asObject(await call.client.post(`${itemPath(call, id)}upgrade/`, call.writing(body))),
    async () => {
      const seen = asObject(await call.client.get(itemPath(call, id), call.reading));
      return seen?.["tag"] === (newest ?? tag) ? seen : undefined;
    },
  );
}

async function judgeLatest(stored: Props, call: Call): Promise<Judgement> {
  const newest = await newestTag(call, call.subject.id ?? "");
  const installed = stored["installedTag"];
  if (newest === undefined || newest === installed) return {};
  const plan = `${textAt(stored, "installedTag") || "no known version"} is installed and ${newest} is the newest: it is upgraded`;
  return { resends: ["tag"], plans: [plan] };
}

const newestTags = new SharedAnswers<string | undefined>();

/** The newest version, asked once in a run: what was previewed is what is done. Undefined where nobody says. */
function newestTag(call: Call, id: string): Promise<string | undefined> {
  return newestTags.to(call.client, itemPath(call, id), call.subject, () => askForUpdates(call, id));
}

async function askForUpdates(call: Call, id: string): Promise<string | undefined> {
  try {
    const answer = await whereItIs(call, (here) =>
      here.client.get(`${itemPath(here, id)}check_for_updates/`, here.reading),
    );
    const tag = at(answer, "plugin.latest_tag") ?? at(answer, "latest_tag");
    return typeof tag === "string" && tag !== "" ? tag : undefined;
  } catch (error) {
    if (!PostHogError.isInstance(error)) throw error;
    const why = PermissionError.isInstance(error)
      ? "PostHog does not say to this key which version is the newest"
      : error.message.split("\n")[0];
    call.warn(`tag was not compared with the newest version: ${why ?? ""}`);
    return undefined;
  }
}
