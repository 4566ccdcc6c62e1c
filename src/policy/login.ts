import { z } from "zod";
import { domainOf, peopleOf } from "./people";
import { stackPolicy, type StackViolation } from "./policy";
import { type Subject, textOf, UNKNOWN } from "./subject";

const OWNER = 15;

/** A domain of the stack and how people of it log in. */
interface LoginDomain {
  /** The domain's own resource, or its verification where the domain is declared elsewhere. */
  readonly subject: Subject;
  /** Undefined where a preview cannot know it. */
  readonly domain: string | undefined;
  readonly isVerified: boolean;
  /** The provider that is enforced, "" for none. */
  readonly sso: string | typeof UNKNOWN;
}

/** People of a verified domain log in by single sign-on alone. */
export const singleSignOn = stackPolicy({
  name: "posthog-single-sign-on",
  displayName: "Single sign-on is enforced on verified domains",
  why: "Where a password still works, whoever has left the company keeps a way in, and the provider's own checks are not asked.",
  comply:
    "Set ssoEnforcement to a provider of `providers` on the DomainVerification (or on the Domain, once it is verified).",
  severity: "high",
  settings: {
    /** Providers that may be enforced. */
    providers: z.array(z.string()).default(["saml", "google-oauth2", "github", "gitlab"]),
  },
  check: (subjects, { providers }, { exempt }) =>
    domainsOf(subjects)
      .filter(({ subject, isVerified, sso }) => isVerified && sso !== UNKNOWN && !exempt(subject.name))
      .flatMap(({ subject: { urn, name }, domain, sso }): StackViolation[] => {
        if (sso === UNKNOWN || providers.includes(sso)) return [];
        const what = domain ?? `the domain of "${name}"`;
        return [
          sso === ""
            ? { urn, message: `${what} is verified, and ssoEnforcement is not set` }
            : { urn, message: `${what} enforces ${sso}, which is not among ${providers.join(", ")}` },
        ];
      }),
});

/** Where single sign-on is enforced, somebody can still get in when the provider is down. */
export const breakGlass = stackPolicy({
  name: "posthog-break-glass",
  displayName: "A break-glass owner is kept",
  why: "Where single sign-on is enforced, nobody of the domain gets in while the provider is down or misconfigured, not even to switch it off.",
  comply:
    "Declare a TeamMember (or Member, by email) at level owner with the option { protect: true } and an address outside of the enforced domains, name it in `members`, keep its password and second factor in a safe, and allow it in posthog-owners.",
  severity: "high",
  settings: {
    /** E-mail addresses of the break-glass owners, all of which have to be kept. None: any owner outside will do. */
    members: z.array(z.string()).default([]),
  },
  check(subjects, { members }): StackViolation[] {
    const enforced = domainsOf(subjects).filter(({ sso }) => sso !== "" && sso !== UNKNOWN);
    if (enforced.length === 0) return [];
    const domains = enforced.flatMap(({ domain }) => domain?.toLowerCase() ?? []);
    const isInside = (address: string): boolean => domains.includes(domainOf(address));
    const keepers = subjects
      .filter(({ kind }) => kind === "Member" || kind === "TeamMember")
      .flatMap((subject) => peopleOf(subject).map((person) => ({ ...person, subject })))
      .filter(({ who, level }) => who.includes("@") && (level === OWNER || level === "owner"));
    if (members.length === 0) {
      return keepers.some(({ who, subject }) => subject.isProtected && !isInside(who))
        ? []
        : [
            {
              message: `${domains.join(", ") || "a domain"} enforces single sign-on, and no protected owner has an address outside of it`,
            },
          ];
    }
    return members.flatMap((address): StackViolation[] => {
      if (isInside(address))
        return [{ message: `${address} is of an enforced domain, and cannot log in without its provider` }];
      const keeper = keepers.find(({ who }) => who.toLowerCase() === address.toLowerCase());
      if (keeper === undefined)
        return [{ message: `${address} is no owner of this program: declare it as TeamMember or Member` }];
      return keeper.subject.isProtected
        ? []
        : [{ urn: keeper.subject.urn, message: `${address} is not marked { protect: true }` }];
    });
  },
});

/** The domains of a stack; a verification says more of the domain that it verifies. */
function domainsOf(subjects: readonly Subject[]): LoginDomain[] {
  const verifications = subjects.filter(({ kind }) => kind === "DomainVerification");
  const domains = subjects.filter(({ kind }) => kind === "Domain");
  const claimed = new Set<Subject>();
  const own = domains.map((subject): LoginDomain => {
    const verification = verifications.find(
      ({ props, sources }) =>
        (sources["domainId"] ?? []).includes(subject.urn) ||
        (textOf(subject.props["id"]) !== undefined && props["domainId"] === subject.props["id"]),
    );
    if (verification) claimed.add(verification);
    const said = [subject, verification].map((one) => one?.props["ssoEnforcement"]);
    return {
      subject,
      domain: textOf(subject.props["domain"]),
      isVerified: verification !== undefined || subject.props["isVerified"] === true,
      sso:
        said.find((value) => textOf(value)) === undefined && said.includes(UNKNOWN)
          ? UNKNOWN
          : firstText(said),
    };
  });
  const others = verifications
    .filter((verification) => !claimed.has(verification))
    .map((subject): LoginDomain => {
      const { domain, ssoEnforcement } = subject.props;
      const sso = ssoEnforcement === UNKNOWN ? UNKNOWN : firstText([ssoEnforcement]);
      return { subject, domain: textOf(domain), isVerified: true, sso };
    });
  return [...own, ...others];
}

function firstText(values: readonly unknown[]): string {
  return values.map(textOf).find((value) => value !== undefined && value !== "") ?? "";
}
