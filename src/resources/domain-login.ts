import type { Problem } from "../engine/definition";
import type { Props } from "../engine/values/json";
import { hasUnknown } from "../engine/values/unknown";

/** Arguments of a domain that the service refuses before it is verified; two kinds take them. */
export const LOGIN_ARGUMENTS = ["jitProvisioningEnabled", "ssoEnforcement"] as const;

interface Declarer {
  kind: string;
  name: string;
  declared: readonly string[];
}

/** Who declares them in this run, by host and domain: a domain belongs to one organization of a host. */
const declarers = new Map<string, Map<string, Declarer>>();

/** Notes who declares them, and says where the other kind does so for the same domain. */
export function noteLogin(
  host: string,
  domain: unknown,
  { kind, name }: { kind: string; name?: string | undefined },
  args: Props,
): Problem[] {
  if (typeof domain !== "string" || hasUnknown(domain)) return [];
  const key = `${host} ${domain}`;
  const known = declarers.get(key) ?? new Map<string, Declarer>();
  declarers.set(key, known);
  const declared = LOGIN_ARGUMENTS.filter((argument) => args[argument] !== undefined);
  known.set(kind, { kind, name: name ?? "", declared });
  return [...known.values()]
    .filter((other) => other.kind !== kind)
    .flatMap((other) =>
      declared
        .filter((argument) => other.declared.includes(argument))
        .map((argument) => ({
          argument,
          reason: `is declared by ${other.kind} "${other.name}" for ${domain}, too: keep it in one of the two`,
        })),
    );
}
