import {
  ApiError,
  AuthenticationError,
  ConflictError,
  MethodNotAllowedError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
  type ApiFailure,
  type ServiceError,
} from "./errors";
import { settingName, waysToGiveKey } from "./naming";

/** What a request is about, for messages. */
export interface Subject {
  /** Class of the resource, such as `Dashboard`. */
  kind: string;
  /** Logical name of the resource. */
  name?: string;
  /** Id of the object. */
  id?: string;
  /** What is being done, such as `creating`. */
  verb: string;
}

/** Everything about a failed request that a message can use. */
export interface Circumstances {
  host: string;
  /** Name of the connection in `posthog:connections`, where it is not the default one. */
  connection?: string | undefined;
  method: string;
  path: string;
  subject?: Subject | undefined;
  /** Scope that the key needs for this request. */
  scope?: string | undefined;
  /** Turns the service's name of a field into the argument's. */
  argumentName?: ((attr: string) => string) | undefined;
}

/** "creating Dashboard "growth" (12)", or the bare request where nothing more is known. */
export function whatWasDone({ subject, method, path }: Circumstances): string {
  if (subject === undefined) return `${method} ${path}`;
  const name = subject.name === undefined ? "" : ` "${subject.name}"`;
  const id = subject.id === undefined ? "" : ` (${subject.id})`;
  return `${subject.verb} ${subject.kind}${name}${id}: ${method} ${path}`;
}

/** The typed error of an answer with an error status. */
export function apiError(
  status: number,
  said: ServiceError,
  retryAfter: number | undefined,
  where: Circumstances,
): ApiError {
  const hint = hintFor(status, said, retryAfter, where);
  const argument = said.attr === undefined ? undefined : (where.argumentName?.(said.attr) ?? said.attr);
  const detail = [
    argument === undefined ? "" : `${argument}: `,
    said.detail ?? "no further explanation",
  ].join("");
  const message = `${whatWasDone(where)} answered ${String(status)}: ${detail}${hint === undefined ? "" : `\n${hint}`}`;
  const failure: ApiFailure = { status, method: where.method, path: where.path, ...said, hint, retryAfter };
  return new (classOf(status))(message, failure);
}

function classOf(status: number): new (message: string, failure: ApiFailure) => ApiError {
  if (status >= 500) return ServerError;
  switch (status) {
    case 400:
      return ValidationError;
    case 401:
      return AuthenticationError;
    case 403:
      return PermissionError;
    case 404:
      return NotFoundError;
    case 405:
      return MethodNotAllowedError;
    case 409:
      return ConflictError;
    case 429:
      return RateLimitError;
    default:
      return ApiError;
  }
}

/** How the engine finds its key and host: what stands behind most failures of refresh and destroy alone. */
export function storedConfigurationHint(connection: string | undefined): string {
  const otherwise =
    connection === undefined ? ", or give POSTHOG_API_KEY and POSTHOG_HOST by environment" : "";
  return (
    "Refresh and destroy run with the configuration of the last pulumi up: after a change of key or host run " +
    `pulumi up or pulumi refresh --run-program${otherwise}.`
  );
}

function hintFor(
  status: number,
  said: ServiceError,
  retryAfter: number | undefined,
  where: Circumstances,
): string | undefined {
  const host = settingName("host", where.connection);
  if (said.webPage === true && status !== 429) {
    return (
      `This is a web page, so it is not PostHog that answers but a proxy or firewall before it, or ${host} is not ` +
      `the address of a PostHog (it is ${where.host}).`
    );
  }
  switch (status) {
    case 401:
      return (
        `${where.host} does not accept the key. Make one under Settings, Personal API keys, and give it: ` +
        `${waysToGiveKey(where.connection)}. ${storedConfigurationHint(where.connection)}`
      );
    case 402:
      return "The organization's plan does not include this. Take the argument out, or change the plan.";
    case 403:
      return permissionHint(said.detail ?? "", where);
    case 404:
      return `Check the id, ${host} and the project or organization; objects of others are hidden, too.`;
    case 405:
      return `${where.host} does not allow this. Is ${host} the address of a PostHog?`;
    case 409:
      return "Something else is changing the object. Run pulumi up again when that is done.";
    case 413:
      return "The request is too large. Make the argument smaller.";
    case 429:
      return limitHint(retryAfter);
    default:
      return status >= 500 ? serverHint(where) : undefined;
  }
}

function limitHint(retryAfter: number | undefined): string {
  const asked =
    retryAfter === undefined
      ? ""
      : ` PostHog asks to wait ${String(Math.ceil(retryAfter))} s, then run again.`;
  return (
    `The key's limit is used up.${asked} posthog:requestDeadline (seconds) says how long a request may wait, ` +
    "posthog:requestsPerMinute keeps below the limit."
  );
}

function permissionHint(detail: string, { scope, connection }: Circumstances): string {
  if (detail.includes("does not support Personal API Key access")) {
    return (
      "PostHog closes this action to every API key with scopes, whatever they are. Use a key without scopes, or do " +
      "this step in PostHog."
    );
  }
  if (detail.includes("scoped projects")) {
    return "The key is limited to projects. Make one that covers the organization.";
  }
  if (detail.includes("missing required scope") || detail === "") {
    const named = /scope '([^']+)'/.exec(detail)?.[1] ?? scope ?? "it names";
    return `Add the scope ${named} to the key under Settings, Personal API keys.`;
  }
  if (detail.includes("does not have access to the requested")) {
    return (
      "The key is limited to other organizations or projects. Widen it, or correct " +
      `${settingName("organizationId", connection)} and ${settingName("projectId", connection)}.`
    );
  }
  if (detail.includes("plugin access level")) {
    return "The organization may not change plugins. On PostHog Cloud only PostHog can open this.";
  }
  return `The key's owner may not do this${scope === undefined ? "" : ` (the key needs the scope ${scope})`}. Use a key of an admin or owner of the organization.`;
}

function serverHint({ method, path }: Circumstances): string {
  const atOrganization = /^\/api\/organizations\/[^/]+\/batch_exports\/(?:[^/]+\/(backfill)\/)?$/.exec(path);
  if (method === "POST" && atOrganization !== null) {
    const [does, kind] = atOrganization[1] ? ["backfill", "BatchExportBackfill"] : ["create", "BatchExport"];
    return (
      `PostHog may not ${does} exports at the organization's route: give the ${kind} a projectId, which uses the ` +
      "project's."
    );
  }
  return "The service failed. Run pulumi up again in a while; if it goes on, ask PostHog's support or your operators.";
}
