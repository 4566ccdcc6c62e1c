import type { ApiClient } from "../client/client";
import { ConnectionError, NotFoundError, PermissionError } from "../client/errors";
import { personalKey, type Settings } from "../client/settings";
import { at, isObject } from "../engine/values/json";
import { failed, failure, ok, warning, type Finding } from "./finding";
import { covers, type Needs } from "./needs";

const MAKE = "Make a personal API key under Settings, Personal API keys";

/** What a key may do, as far as the service tells. */
export interface KeyRights {
  /** Undefined where the service does not tell. */
  readonly scopes: readonly string[] | undefined;
  readonly projects: readonly string[];
  readonly organizations: readonly string[];
}

/** Whether a key looks like a personal one; its text is in no finding. */
export function checkKeyShape(settings: Settings): Finding {
  try {
    const key = personalKey(settings);
    if (key.startsWith("phx_")) return ok("key", "a personal API key is given (phx_...)");
    return warning(
      "key",
      "the key does not begin with phx_, as personal API keys do",
      `If PostHog refuses it: ${MAKE}.`,
    );
  } catch (error) {
    return failure("key", error);
  }
}

/** Whether the service answers, and takes the key. Undefined rights: it does not, and nothing else can be asked. */
export async function checkAccess(
  client: ApiClient,
): Promise<{ findings: Finding[]; rights: KeyRights | undefined }> {
  try {
    const answer = await client.get("/api/personal_api_keys/@current/", {
      subject: { kind: "key", verb: "asking for the" },
    });
    const texts = (name: string): string[] => {
      const value = isObject(answer) ? answer[name] : undefined;
      return Array.isArray(value) ? value.map(String) : [];
    };
    const scopes = Array.isArray(at(answer, "scopes")) ? texts("scopes") : undefined;
    const rights = { scopes, projects: texts("scoped_teams"), organizations: texts("scoped_organizations") };
    return { findings: accepted(client), rights };
  } catch (error) {
    if ((PermissionError.isInstance(error) || NotFoundError.isInstance(error)) && !error.webPage) {
      // An older PostHog says nothing about a key, but it has taken it: a wrong one is a 401 first.
      return { findings: accepted(client), rights: { scopes: undefined, projects: [], organizations: [] } };
    }
    if (!ConnectionError.isInstance(error))
      return { findings: [failure("access", error)], rights: undefined };
    const said = `${client.host} cannot be reached (${error.code || "the connection broke"})`;
    const remedy = "Is it up, is it the right posthog:host (POSTHOG_HOST), and may this machine reach it?";
    return { findings: [failed("access", said, remedy)], rights: undefined };
  }
}

function accepted(client: ApiClient): Finding[] {
  return [ok("access", `${client.host} answers and takes the key`)];
}

/** Whether the key has the scopes that the program's resources need; without asking anything that writes. */
export function checkScopes(rights: KeyRights, needs: Needs): Finding[] {
  const { scopes } = rights;
  if (scopes === undefined) return [unknownScopes(needs)];
  const findings: Finding[] = [];
  for (const [scope, kinds] of [...needs.reads, ...needs.writes]) {
    if (covers(scopes, scope)) continue;
    // Whoever gets the right to change gets the right to read with it.
    const write = scope.replace(/:read$/, ":write");
    if (write !== scope && !covers(scopes, write) && needs.writes.has(write)) continue;
    const names = kinds.join(", ");
    const remedy = `Add the scope ${scope} to the key under Settings, Personal API keys.`;
    findings.push(
      failed(
        "scopes",
        `the key lacks the scope ${scope}, which ${names} need${kinds.length === 1 ? "s" : ""}`,
        remedy,
      ),
    );
  }
  const all = [...needs.writes.keys()].join(", ");
  if (findings.length === 0 && all !== "")
    findings.push(ok("scopes", `the key has every scope that is needed: ${all}`));
  for (const [type, action] of scopes.includes("*") ? [] : needs.closed) {
    findings.push(
      warning(
        "scopes",
        `${type} uses the action ${action}, which PostHog closes to every key with scopes`,
        "Use a key without scopes for it, or do this step in PostHog.",
      ),
    );
  }
  return findings;
}

function unknownScopes({ writes }: Needs): Finding {
  const names = [...writes.keys()].join(", ");
  return warning(
    "scopes",
    "this PostHog does not tell which scopes a key has, and what it may change is not tried out",
    `See under Settings, Personal API keys, that it has ${names}.`,
  );
}
