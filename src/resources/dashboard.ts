import { z } from "zod";
import { itemPath, collectionRemote, post, sendable, asObject } from "../engine/requests/collection-remote";
import { definition, defineResource } from "../engine/program/define";
import { difference, wantedChanges } from "../engine/state/diff";
import { InitFailedError, StateError } from "../engine/messages/errors";
import { freeForm, named, numericId, projectNumber, tagSet, text } from "../engine/values/fields";
import { at, isEmpty, isSame, toJson, type JsonObject, type Props } from "../engine/values/json";
import type { Call, Found } from "../engine/requests/remote";
import { HIDDEN, see } from "../engine/state/state";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { encodeArguments } from "../engine/values/wire";
import { NotFoundError } from "../client/errors";
import { moment, user } from "./user";

const inputs = {
  /** Id of the project. Default: `posthog:projectId`, `POSTHOG_PROJECT_ID`. A change replaces the dashboard. */
  projectId: projectNumber().optional(),
  /** Title in the list of dashboards, at most 400 characters. Default: none. Updated in place; taken out: emptied. */
  name: text({ max: 400 }).optional(),
  /** What the dashboard shows. Default: "". Updated in place; taken out: emptied. */
  description: text().optional(),
  /** Whether it stands at the top of the list. Default: false. Updated in place. */
  pinned: z.boolean().optional(),
  /**
   * Labels: the service keeps them in lower case, each once, in no order; at most 255 characters each. They need
   * the plan's tagging feature: without it the service drops them, and a warning says so. Taken out: all removed.
   */
  tags: tagSet().optional(),
  /**
   * Who may edit: 21 or `everyone`, 37 or `collaborators` (those of `DashboardCollaborator`). Default: 21. Needs
   * the plan's permissions feature to have an effect. Updated in place by the creator or a project admin.
   */
  restrictionLevel: named({ everyone: 21, collaborators: 37 }).optional(),
  /**
   * Filters of all tiles, in the service's own form, sent verbatim. Updated in place; the service cannot empty
   * them again: taken out, they stay as they are and a warning says so.
   */
  filters: freeForm().optional(),
  /**
   * A template of your own, in the service's JSON form (`template_name`, `tiles` ...), sent verbatim to
   * `create_from_template_json`. That action is closed to scoped API keys. A change replaces the dashboard.
   */
  template: freeForm().optional(),
  /** Name of one of PostHog's templates to create from. Not with `useDashboard`. A change replaces the dashboard. */
  useTemplate: text({ min: 1 }).optional(),
  /** Number of a dashboard to create from, or the `id` of its `Dashboard`. Not with `useTemplate`. A change replaces the dashboard. */
  useDashboard: numericId().optional(),
  /**
   * Whether deleting the dashboard also deletes insights that are on no other dashboard. Default: false. A change
   * sends nothing until the dashboard is deleted.
   */
  deleteInsights: z.boolean().optional(),
};

const outputs = {
  /** When it was created. */
  createdAt: moment.optional(),
  /** Who created it; missing where that user is gone. */
  createdBy: user.optional(),
  /** Whether a public link to it is open. */
  isShared: z.boolean().optional(),
  /** How it came about: `default`, `template` or `duplicate`. */
  creationMode: z.string().optional(),
  /** The restriction that is in force under the organization's plan: 21 or 37. */
  effectiveRestrictionLevel: z.number().optional(),
  /** What the key's owner may do: 21 view, 37 edit. */
  effectivePrivilegeLevel: z.number().optional(),
};

const CREATION_ONLY = ["template", "useTemplate", "useDashboard"] as const;

export const dashboard = definition({
  type: "Dashboard",
  inputs,
  outputs,
  scope: "project",
  path: "/api/projects/{projectId}/dashboards/",
  keyScope: "dashboard",
  listLacks: ["filters"],
  replaceOnChanges: ["projectId", ...CREATION_ONLY],
  clears: { name: "", description: "", pinned: false, tags: [], restrictionLevel: 21 },
  writeOnly: [...CREATION_ONLY],
  local: ["deleteInsights"],
  fields: { filters: { same: (stored, wanted) => isEmpty(wanted) || isSame(stored, wanted) } },
  refine: (args) =>
    CREATION_ONLY.filter((name) => args[name] !== undefined).length > 1
      ? [
          {
            argument: "useTemplate",
            reason: "only one of template, useTemplate and useDashboard can be given",
          },
        ]
      : [],
  restore,
  repeats: {
    name: ["template"],
    description: ["template"],
    tags: ["template"],
    filters: ["template"],
    effectiveRestrictionLevel: ["restrictionLevel"],
  },
  remote: {
    create,
    async find(call, id, stored) {
      const found = await collectionRemote.find(call, id, stored);
      return found?.object["deleted"] === true ? undefined : found;
    },
    async delete(call, id, stored) {
      // DELETE is always refused (405): a dashboard is put away, with its insights where that was asked for.
      const body = { deleted: true, ...(stored["deleteInsights"] === true ? { delete_insights: true } : {}) };
      await call.client
        .patch(itemPath(call, id), call.writing(body))
        .finally(() => call.collection.invalidate());
    },
  },
});

async function create(call: Call, args: Props): Promise<Found> {
  const template = args["template"];
  const others = Object.fromEntries(
    Object.entries(sendable(call, args, {})).filter(([name]) => name !== "template"),
  );
  const body = encodeArguments(dashboard, others);
  const isPlain = args["useTemplate"] === undefined && args["useDashboard"] === undefined;
  const found =
    template === undefined
      ? await post(call, call.path, body, isPlain ? body : pick(body, "name"))
      : await post(
          call,
          `${call.path}create_from_template_json/`,
          { template: toJson(template) },
          { name: toJson(at(template, "template_name")) },
        );
  if (template === undefined && args["useTemplate"] === undefined) return found;
  // A template brings its own name, description, tags and filters: what was declared is sent after it.
  const now = see(dashboard, found.object, others);
  const rest = wantedChanges(
    difference(dashboard, { ...now.values, [HIDDEN.declared]: Object.keys(others) }, others),
  );
  return { ...found, rest };
}

/** A template or another dashboard decides what the new one says, except for a name that is given. */
function pick(body: JsonObject, name: string): JsonObject {
  return body[name] === undefined ? {} : { [name]: body[name] };
}

/**
 * Brings back a dashboard that someone deleted: a new one would lose its tiles, links and subscriptions. The body
 * holds nothing else, or the service does not find it.
 */
async function restore(call: Call, id: string, stored: Props): Promise<Found> {
  try {
    const answer = asObject(await call.client.patch(itemPath(call, id), call.writing({ deleted: false })));
    call.collection.invalidate();
    // Much can have changed before it was deleted, and a service may answer with little more than what was sent.
    const object = (await dashboard.remote?.find?.(call, id, {}))?.object ?? answer;
    if (object === undefined)
      throw new StateError(
        `restoring dashboard ${id}: the service answers, and does not have it all the same.`,
      );
    return { id, object };
  } catch (error) {
    if (!NotFoundError.isInstance(error)) throw error;
    throw new InitFailedError(
      id,
      { ...stored, deleted: true, [HIDDEN.lost]: true },
      `Dashboard "${call.subject.name ?? ""}" (${id}) was deleted outside and cannot be restored: the service no ` +
        `longer has it. Run pulumi up again, which makes a new one.`,
      { cause: error },
    );
  } finally {
    call.collection.invalidate();
  }
}

/** Arguments of {@link Dashboard}. */
export interface DashboardArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link Dashboard}. */
export interface DashboardOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * A dashboard of a project; one that was deleted outside is restored with its tiles, not made anew.
 *
 * Deleting it puts it away by `PATCH {"deleted": true}`, since the service refuses to delete. Endpoint:
 * `/api/projects/:project_id/dashboards/`; scope `dashboard:write`.
 *
 * @remarks Tiles are not managed: what stands on a dashboard is left to the people who edit it, or made once by
 * `template`, `useTemplate` or `useDashboard`.
 * @remarks Without the plan's tagging feature PostHog drops `tags` without a word: a warning says so, once, and nothing
 * is sent again.
 * @destroy put away (`deleted: true`); PostHog deletes no dashboard
 *
 * @example
 * new posthog.Dashboard("growth", { name: "Growth", tags: ["team:growth"], pinned: true });
 */
export class Dashboard extends defineResource<DashboardArgs, DashboardOutputs>(dashboard) {}
