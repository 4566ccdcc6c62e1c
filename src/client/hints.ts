import type { Circumstances } from "./explain";
import type { ServiceError } from "./errors";
import { settingName, waysToGiveKey } from "./naming";

const PLAN = "The organization's plan does not include this. Take the argument out, or change the plan.";

/**
 * How the engine finds its key and host: what stands behind most failures of refresh and destroy alone. Everything
 * else runs with the configuration of now: there it would only be in the way.
 */
export function storedConfigurationHint({ connection, subject }: Circumstances): string {
  const isStored = subject?.verb === "reading" || subject?.verb === "deleting";
  if (!isStored || subject.name === undefined) return "";
  const otherwise =
    connection === undefined ? ", or give POSTHOG_API_KEY and POSTHOG_HOST by environment" : "";
  return (
    " Refresh and destroy run with the configuration of the last pulumi up: after a change of key or host run " +
    `pulumi up or pulumi refresh --run-program${otherwise}.`
  );
}

/** What a person does about an answer with an error status. */
export function hintFor(
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
    case 400:
    case 422:
      return validationHint(said, where);
    case 401:
      if (said.code === "not_authenticated") {
        if (where.path.endsWith("/unpause/")) {
          return "PostHog answers so where the key's owner has no project open: let them open one in PostHog, then run pulumi again.";
        }
        return (
          `The key did not reach PostHog: does a proxy before ${where.host} drop the Authorization header? ` +
          `Give ${host} an address that passes it on, then run pulumi again.`
        );
      }
      return (
        `${where.host} does not accept the key. Make one under Settings, Personal API keys, and give it: ` +
        `${waysToGiveKey(where.connection)}.${storedConfigurationHint(where)}`
      );
    case 402:
      return PLAN;
    case 403:
      return permissionHint(said.detail ?? "", where);
    case 404:
    case 410:
      return missingHint(said.detail ?? "", where);
    case 405:
      return `${where.host} does not allow this. Is ${host} the address of a PostHog?`;
    case 409:
      return (
        "Something else is changing the object, or has its place. Run pulumi up again when that is done; what is there " +
        "for good is taken over with adoptId."
      );
    case 413:
      return "The request is too large. Make the argument smaller.";
    case 415:
      return (
        "PostHog did not recognise the request as JSON: does a proxy before it drop or change the Content-Type header? " +
        "Let it pass, then run pulumi again."
      );
    case 429:
      return limitHint(retryAfter);
    default:
      return status >= 500 ? serverHint(where) : undefined;
  }
}

/** What the service says of a value; where it names a field, that is the argument to correct. */
function validationHint({ code, detail = "", attr }: ServiceError, where: Circumstances): string {
  if (code === "parse_error") {
    return (
      "The request did not arrive as it was sent: does a proxy before PostHog change it? Let it pass, then run pulumi " +
      "again; where there is none, report this as an error of pulumi-posthog."
    );
  }
  if (code === "verification_required") {
    return "The domain is not verified yet. Let a DomainVerification set this argument: it sends it once the domain is.";
  }
  if (code === "feature_not_available" || /\badd-?on\b|\bplan\b|premium/i.test(detail)) return PLAN;
  if (code === "unique" || /\balready (exists|installed|is|belongs)\b/i.test(detail)) {
    return (
      "Something else has this value. Take it over with adoptId if it is in this organization; otherwise free it there, " +
      "or give another value."
    );
  }
  const argument = attr === undefined ? "the program as it says" : (where.argumentName?.(attr) ?? attr);
  return `Correct ${argument}, then run pulumi again.`;
}

function missingHint(detail: string, { connection, path }: Circumstances): string {
  const host = settingName("host", connection);
  if (/^(Project|Organization) not found/.test(detail)) {
    const key = detail.startsWith("P") ? "projectId" : "organizationId";
    return (
      `This PostHog has no such ${key.replace("Id", "")}, or hides it from the key. Correct ${key} ` +
      `(${settingName(key, connection)}), or ${host}.${projectIdHint(path)}`
    );
  }
  return `Check the id, ${host} and the project or organization; objects of others are hidden, too.`;
}

/** The interface leaves open what an id looks like; a name in its place is the likeliest slip. */
function projectIdHint(path: string): string {
  const given = /^\/api\/projects\/([^/]+)\//.exec(path)?.[1] ?? "";
  return given === "" || /^(?:\d+|@current)$/.test(given)
    ? ""
    : " PostHog's own ids of projects are numbers, as in the address of their pages (/project/1).";
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
  if (detail.includes("not enabled")) return PLAN;
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
