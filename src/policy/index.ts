import type { Policies } from "@pulumi/policy";
import { dashboardOwner } from "./dashboards";
import { exportDestinations, exportPauses } from "./exports";
import { importAnnounced, importRehearsed } from "./imports";
import { noDeletion } from "./keeping";
import { breakGlass, singleSignOn } from "./login";
import { protectedResources, twoFactor } from "./organizations";
import { inviteDomains, owners } from "./people";
import { plainSecrets } from "./secrets";

export { dashboardOwner } from "./dashboards";
export { exportDestinations, exportPauses } from "./exports";
export { importAnnounced, importRehearsed } from "./imports";
export { noDeletion, STATE_VARIABLE } from "./keeping";
export { breakGlass, singleSignOn } from "./login";
export { protectedResources, twoFactor } from "./organizations";
export { inviteDomains, owners } from "./people";
export type { CommonOptions, PolicyOptions } from "./policy";
export { plainSecrets } from "./secrets";

type OptionsOf<Make extends (options?: never) => unknown> = Exclude<Parameters<Make>[0], undefined>;

/** Options of all policies of this package; `false` leaves a policy out. */
export interface PostHogPolicyOptions {
  /** Two-factor authentication is enforced in every organization. */
  twoFactor?: OptionsOf<typeof twoFactor> | false;
  /** Single sign-on is enforced on verified domains. */
  singleSignOn?: OptionsOf<typeof singleSignOn> | false;
  /** Where single sign-on is enforced, a break-glass owner is kept. */
  breakGlass?: OptionsOf<typeof breakGlass> | false;
  /** Organizations and what people rely on are marked `protect`. */
  protectedResources?: OptionsOf<typeof protectedResources> | false;
  /** Organizations and production dashboards are not deleted. */
  noDeletion?: OptionsOf<typeof noDeletion> | false;
  /** Nobody becomes an owner who is not on a list. */
  owners?: OptionsOf<typeof owners> | false;
  /** Invites go to listed e-mail domains. */
  inviteDomains?: OptionsOf<typeof inviteDomains> | false;
  /** No secret stands in plain text in an argument. */
  plainSecrets?: OptionsOf<typeof plainSecrets> | false;
  /** Exports go to allowed destinations and regions. */
  exportDestinations?: OptionsOf<typeof exportDestinations> | false;
  /** Exports are paused for a while, not for good. */
  exportPauses?: OptionsOf<typeof exportPauses> | false;
  /** Dashboards are tagged with the team that owns them. */
  dashboardOwner?: OptionsOf<typeof dashboardOwner> | false;
  /** Imports above the limits are announced. */
  importAnnounced?: OptionsOf<typeof importAnnounced> | false;
  /** Imports are rehearsed on a fresh project. */
  importRehearsed?: OptionsOf<typeof importRehearsed> | false;
}

/**
 * All policies of this package, as `PolicyPack` takes them. Lists of what is allowed start empty: nothing is allowed
 * until it is named.
 *
 * @example
 * new PolicyPack("posthog", {
 *   enforcementLevel: "mandatory",
 *   policies: posthogPolicies({ inviteDomains: { domains: ["example.com"] } }),
 * });
 */
export function posthogPolicies(options: PostHogPolicyOptions = {}): Policies {
  return [
    made(twoFactor, options.twoFactor),
    made(singleSignOn, options.singleSignOn),
    made(breakGlass, options.breakGlass),
    made(protectedResources, options.protectedResources),
    made(noDeletion, options.noDeletion),
    made(owners, options.owners),
    made(inviteDomains, options.inviteDomains),
    made(plainSecrets, options.plainSecrets),
    made(exportDestinations, options.exportDestinations),
    made(exportPauses, options.exportPauses),
    made(dashboardOwner, options.dashboardOwner),
    made(importAnnounced, options.importAnnounced),
    made(importRehearsed, options.importRehearsed),
  ].flat();
}

function made<O, P>(make: (options?: O) => P, options: O | false | undefined): P[] {
  return options === false ? [] : [make(options)];
}
