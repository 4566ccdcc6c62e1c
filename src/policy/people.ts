import { z } from "zod";
import { resourcePolicy } from "./policy";
import { entriesOf, type Plain, type Subject, textOf } from "./subject";

const OWNER = 15;

/** Nobody becomes an owner who is not on a list. */
export const owners = resourcePolicy({
  name: "posthog-owners",
  displayName: "Owners are on a list",
  why: "An owner can delete the organization, take everyone else's access away and change billing; a line in a program makes one.",
  comply:
    "Use level: \"admin\", or add the person's e-mail address (or user UUID) to `allowed` of this policy, in a change that today's owners approve.",
  severity: "critical",
  kinds: ["Invite", "InviteBatch", "Member", "TeamMember"],
  settings: {
    /** E-mail addresses and user UUIDs of those who may be owners. */
    allowed: z.array(z.string()).default([]),
  },
  check(subject, { allowed }) {
    const listed = new Set(allowed.map((who) => who.toLowerCase()));
    return peopleOf(subject)
      .filter(({ level, who }) => (level === OWNER || level === "owner") && !listed.has(who.toLowerCase()))
      .map(({ who }) => `${who} would be an owner, and is not on the list`);
  },
});

/** Invites go only to addresses of listed domains. */
export const inviteDomains = resourcePolicy({
  name: "posthog-invite-domains",
  displayName: "Invites go to listed e-mail domains",
  why: "An invite is a key to all data of the organization, and a slip in the address sends it to a stranger or to a private mailbox that stays when its owner leaves the company.",
  comply: "Invite an address of a listed domain, or add the domain to `domains` of this policy.",
  severity: "high",
  kinds: ["Invite", "InviteBatch", "TeamMember"],
  settings: {
    /** Domains of the addresses that may be invited, exactly: `example.com` does not stand for `eu.example.com`. */
    domains: z.array(z.string()).default([]),
  },
  check(subject, { domains }) {
    const listed = new Set(domains.map((domain) => domain.toLowerCase()));
    return peopleOf(subject)
      .filter(({ who }) => who.includes("@") && !listed.has(domainOf(who)))
      .map(({ who }) => `${who} has an address of ${domainOf(who)}, which is not on the list`);
  },
});

/** The domain of an e-mail address, in lower case. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

interface Person {
  readonly who: string;
  readonly level: unknown;
}

/** The people whom a resource invites or keeps; whoever is not known yet is left out until they are. */
export function peopleOf({ kind, props }: Subject): Person[] {
  const entries: readonly Plain[] = kind === "InviteBatch" ? entriesOf(props["invites"]) : [props];
  return entries.flatMap(({ targetEmail, email, userUuid, level }) => {
    const who = textOf(targetEmail) ?? textOf(email) ?? textOf(userUuid);
    return who === undefined ? [] : [{ who: who.trim(), level }];
  });
}
