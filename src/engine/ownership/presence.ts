import { SharedAnswers } from "../../client/shared-answers";
import { PostHogError, ResponseError } from "../../client/errors";
import { parsePage } from "../../client/pages";
import { naming } from "../../client/explain";
import { StateError } from "../messages/errors";
import type { Props } from "../values/json";
import { remoteOf } from "../requests/call";
import type { Call } from "../requests/remote";
import { HIDDEN, visible } from "../state/state";

const parents = new SharedAnswers<void>();

/**
 * Makes sure that a missing object is gone and not merely out of sight: it must be missed on the host it was made
 * on, and its project or organization must answer there. Otherwise a mistyped host or project would empty the
 * state, and the next `pulumi up` would make everything a second time.
 */
export async function confirmGone(call: Call, id: string, stored: Props): Promise<void> {
  const home = stored[HIDDEN.host];
  const where = naming({ ...call.subject, id });
  if (typeof home === "string" && home !== call.client.host) {
    throw new StateError(
      `${where} was made on ${home} and is not on ${call.client.host}. If the service has moved, give ` +
        `${call.client.settingName("host")} its right address; if the object no longer matters, forget it with pulumi state delete.`,
    );
  }
  try {
    await parents.to(call.client, call.path, undefined, () => askParent(call));
  } catch (error) {
    throw unconfirmed(call, where, error);
  }
}

/** An id can name two objects on two hosts; what tells them apart is when they were made. */
export function refuseAnother(call: Call, object: Props, stored: Props): void {
  const [was, now] = [stored["createdAt"], object["created_at"]];
  if (!isMoved(call, stored) || typeof was !== "string" || typeof now !== "string") return;
  if (Date.parse(was) === Date.parse(now)) return;
  throw new StateError(
    `${naming(call.subject)} was made on ${String(stored[HIDDEN.host])} at ${was}; what has this id on ${call.client.host} was made at ${now} and is ` +
      `another object. Give ${call.client.settingName("host")} the address of the first, or use another stack.`,
  );
}

/** Looks before an object is changed on another host than it was made on: there its id may be another's. */
export async function confirmHome(call: Call, id: string, stored: Props): Promise<void> {
  if (!isMoved(call, stored)) return;
  const found = await remoteOf(call.definition).find(call, id, visible(stored));
  if (found === undefined) await confirmGone(call, id, stored);
  else refuseAnother(call, found.object, stored);
}

function isMoved(call: Call, stored: Props): boolean {
  const home = stored[HIDDEN.host];
  return typeof home === "string" && home !== call.client.host;
}

/** The list right below the project or organization: a list inside one of its objects is gone with that object. */
function parentPath(path: string): string {
  return /^\/api\/(?:projects|organizations)\/[^/]+\/[^/]+\//.exec(path)?.[0] ?? path;
}

/** Asked once for all that miss something there, so its failure tells of none of them. */
async function askParent({ client, path, reading }: Call): Promise<void> {
  const { subject: _, ...anybody } = reading;
  const answer = await client.get(parentPath(path), { ...anybody, query: { limit: 1 } });
  if (parsePage(answer) === undefined)
    throw new ResponseError(`${client.host} answered without a list`, "not a list");
}

function unconfirmed(call: Call, where: string, cause: unknown): StateError {
  const parent = call.scope.projectId
    ? `its project ${call.scope.projectId}`
    : call.scope.organizationId
      ? `its organization ${call.scope.organizationId}`
      : "the service";
  const settings = (["host", "projectId", "organizationId"] as const).map((key) =>
    call.client.settingName(key),
  );
  return new StateError(
    `${where} was not found, but neither does ${parent} answer, so it is not taken for deleted: ` +
      `${PostHogError.isInstance(cause) ? cause.message : String(cause)}\n` +
      `Check ${settings.join(", ")} and the key; if ${parent} is gone for good, ` +
      `forget what was in it with pulumi state delete.`,
    { cause },
  );
}
