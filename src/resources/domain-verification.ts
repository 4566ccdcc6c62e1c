import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import {
  ConnectionError,
  isAmbiguous,
  isRefused,
  PostHogError,
  ServerError,
  TimeoutError,
} from "../client/errors";
import { naming } from "../client/explain";
import { asObject, collectionRemote, itemPath } from "../engine/requests/collection-remote";
import { isClosedAction } from "../engine/requests/closed";
import { definition, defineResource } from "../engine/program/define";
import type { Problem } from "../engine/definition";
import { difference, wantedChanges } from "../engine/state/diff";
import { StateError } from "../engine/messages/errors";
import { text, uuid } from "../engine/values/fields";
import type { JsonObject, Props } from "../engine/values/json";
import type { Call, Found } from "../engine/requests/remote";
import { HIDDEN, see } from "../engine/state/state";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { hasUnknown } from "../engine/values/unknown";
import { LOGIN_ARGUMENTS, noteLogin } from "./domain-login";
import { moment } from "./user";

const DEFAULT_TIMEOUT_S = 300;
const FIRST_WAIT_MS = 1000;
const MOST_WAIT_MS = 30_000;

const inputs = {
  /** UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`. A change verifies again. */
  organizationId: text({ min: 1 }).optional(),
  /** UUID of the domain, the `id` of its `Domain`. A change verifies that one. */
  domainId: uuid(),
  /**
   * Seconds to go on asking until the service has found the DNS record, 0 to 86,400; 0 asks once. Default: 300. A
   * change sends nothing.
   */
  timeoutSeconds: z.number().min(0).max(86_400).optional(),
  /**
   * Whether people with an address of the domain get an account when they first log in. Default: false. Sent as soon
   * as the domain is verified; declare it here or on the `Domain`. Updated in place.
   */
  jitProvisioningEnabled: z.boolean().optional(),
  /**
   * The one way to log in: `saml`, `google-oauth2`, `github`, `gitlab`, or "" for any. Default: "". Sent as soon as the
   * domain is verified; declare it here or on the `Domain`. Updated in place.
   */
  ssoEnforcement: text({ max: 28 }).optional(),
};

const outputs = {
  /** The domain. */
  domain: z.string().optional(),
  /** Whether it is verified: always true. */
  isVerified: z.boolean().optional(),
  /** When it was verified. */
  verifiedAt: moment.optional(),
};

/** The kind `DomainVerification`: waits until the service has found the DNS record of a domain. */
export const domainVerification = definition({
  type: "DomainVerification",
  inputs,
  outputs,
  scope: "organization",
  path: "/api/organizations/{organizationId}/domains/",
  keyScope: "organization",
  replaceOnChanges: ["organizationId", "domainId"],
  clears: { jitProvisioningEnabled: false, ssoEnforcement: "" },
  local: ["timeoutSeconds"],
  inspect,
  argumentsOf: (id) => ({ domainId: id }),
  // The id of a secret domain can be given as a secret, too.
  repeats: { domain: ["domainId"] },
  remote: {
    create,
    async find(call, id) {
      const found = await collectionRemote.find(call, id, {});
      return found?.object["is_verified"] === true ? found : undefined;
    },
    // What was proven stays proven; the domain itself is the Domain's to delete.
    delete: () => Promise.resolve(),
  },
});

/** Two resources that set the same argument of a domain would undo each other's work for ever. */
async function inspect(call: Call, args: Props): Promise<Problem[]> {
  const { domainId } = args;
  if (hasUnknown(domainId) || LOGIN_ARGUMENTS.every((name) => args[name] === undefined)) return [];
  const found = await collectionRemote.find(call, String(domainId), {}).catch((error: unknown) => {
    if (PostHogError.isInstance(error)) return undefined;
    throw error;
  });
  return noteLogin(call.client.host, found?.object["domain"], call.subject, args);
}

async function create(call: Call, args: Props): Promise<Found> {
  const id = String(args["domainId"]);
  const object = await verified(call, id, args).finally(() => call.collection.invalidate());
  const declared = Object.fromEntries(
    LOGIN_ARGUMENTS.filter((name) => args[name] !== undefined).map((name) => [name, args[name]]),
  );
  const now = see(domainVerification, object, declared).values;
  const rest = difference(domainVerification, { ...now, [HIDDEN.declared]: Object.keys(declared) }, declared);
  return { id, object, rest: wantedChanges(rest) };
}

/** What was seen while waiting, for whoever has to find out why it took so long. */
interface Sight {
  asked: number;
  domain: JsonObject | undefined;
  /** Why the last request failed, where it did. */
  failure: string | undefined;
  /** Whether the key may not ask for verification, so that a person has to. */
  closed: boolean;
}

/** Asks until the service has found the record, less and less often; each question makes the service look anew. */
async function verified(call: Call, id: string, args: Props): Promise<JsonObject> {
  const seconds = typeof args["timeoutSeconds"] === "number" ? args["timeoutSeconds"] : DEFAULT_TIMEOUT_S;
  const deadline = Date.now() + seconds * 1000;
  const seen: Sight = { asked: 0, domain: undefined, failure: undefined, closed: false };
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, MOST_WAIT_MS)) {
    await look(call, id, seen);
    if (seen.domain?.["is_verified"] === true) return seen.domain;
    const left = deadline - Date.now();
    if (left <= 0) throw new StateError(await timedOut(call, id, seen, seconds));
    if (seen.asked === 1) tellToWait(call, seen, left);
    await sleep(Math.min(wait, left));
  }
}

async function look(call: Call, id: string, seen: Sight): Promise<void> {
  seen.asked++;
  seen.failure = undefined;
  try {
    seen.domain = seen.closed ? await domainNow(call, id) : await askToVerify(call, id, seen);
  } catch (error) {
    if (isClosedAction(error)) {
      seen.closed = true;
      seen.domain = await domainNow(call, id);
    } else if (isPassing(error)) {
      // The service fails where the DNS fails it; that may be over at the next question.
      seen.failure = error.message;
    } else throw error;
  }
}

function isPassing(error: unknown): error is PostHogError {
  return ServerError.isInstance(error) || TimeoutError.isInstance(error) || ConnectionError.isInstance(error);
}

/**
 * The service answers 200 whether it found the record or not, and refuses what is verified already; others may refuse
 * until they have found it, and an answer can be lost. What the domain says counts.
 */
async function askToVerify(call: Call, id: string, seen: Sight): Promise<JsonObject | undefined> {
  try {
    const answer = asObject(await call.client.post(`${itemPath(call, id)}verify/`, call.writing()));
    if (answer !== undefined && "is_verified" in answer) return answer;
  } catch (error) {
    if (!isRefused(error) && !isAmbiguous(error)) throw error;
    const detail = isRefused(error) ? error.detail : undefined;
    seen.failure = detail ?? (error instanceof Error ? error.message : String(error));
  }
  return await domainNow(call, id);
}

async function domainNow(call: Call, id: string): Promise<JsonObject | undefined> {
  return asObject(await call.client.get(itemPath(call, id), call.reading));
}

function recordOf(domain: JsonObject | undefined): string {
  if (typeof domain?.["domain"] !== "string") return "the TXT record of the domain";
  return `the TXT record _posthog-challenge.${domain["domain"]} with the value ${JSON.stringify(domain["verification_challenge"])}`;
}

function whereToPress(call: Call): string {
  return (
    `PostHog closes verification to API keys with scopes: press Verify beside the domain at ${call.client.host} under ` +
    `Settings, Organization, Authentication domains`
  );
}

function tellToWait(call: Call, seen: Sight, left: number): void {
  const until = `waiting up to ${String(Math.ceil(left / 1000))} s until PostHog finds ${recordOf(seen.domain)}`;
  call.warn(seen.closed ? `${whereToPress(call)}; ${until}` : until);
}

async function timedOut(call: Call, id: string, seen: Sight, seconds: number): Promise<string> {
  const domain = seen.domain ?? (await domainNow(call, id).catch(() => undefined));
  const name = typeof domain?.["domain"] === "string" ? domain["domain"] : id;
  const failure = seen.failure === undefined ? "" : ` The last question failed: ${seen.failure}.`;
  const next = seen.closed
    ? `${whereToPress(call)}, then run pulumi up again, or use a key without scopes.`
    : `See what the DNS says with: dig TXT _posthog-challenge.${name}. Changes of DNS can take hours to be seen; run ` +
      `pulumi up again then, or raise timeoutSeconds.`;
  return (
    `${call.subject.verb} ${naming(call.subject)}: ${name} is not verified after ` +
    `${String(seconds)} s. PostHog was asked ${String(seen.asked)} times and did not find ${recordOf(domain)}.${failure}\n${next}`
  );
}

/** Arguments of {@link DomainVerification}. */
export interface DomainVerificationArgs extends ArgsOf<typeof inputs>, CommonArgs {}

/** Outputs of {@link DomainVerification}. */
export interface DomainVerificationOutputs extends OutputsOf<typeof inputs>, OutputsOf<typeof outputs> {}

/**
 * Waits until the DNS record of a domain is found, then sends the login arguments. Let it depend on the resource that
 * makes the DNS record: what depends on the verification then finds a verified domain. Removing it from the program
 * changes nothing.
 *
 * PostHog closes verification to API keys with scopes: with such a key it says where to press Verify, and goes on once
 * someone did. Endpoint: `POST /api/organizations/:organization_id/domains/:id/verify/`; reading and the login
 * arguments need the scope `organization:write`. The id is the domain's.
 *
 * @remarks What is changed in the DNS can take hours to be seen: `timeoutSeconds` says how long to ask.
 * @destroy nothing
 *
 * @example
 * const config = new pulumi.Config();
 * const domain = new posthog.Domain("shop", { domain: "shop.example.com" });
 * const record = new cloudflare.DnsRecord("shop-proof", {
 *   type: "TXT",
 *   name: domain.dnsRecordName,
 *   content: domain.dnsRecordValue,
 *   ttl: 60,
 *   zoneId: config.require("zoneId"),
 * });
 * new posthog.DomainVerification(
 *   "shop",
 *   { domainId: domain.id, ssoEnforcement: "google-oauth2" },
 *   { dependsOn: record },
 * );
 */
export class DomainVerification extends defineResource<DomainVerificationArgs, DomainVerificationOutputs>(
  domainVerification,
) {}
