import { z } from "zod";
import { fits } from "./patterns";
import { resourcePolicy } from "./policy";
import { KINDS } from "./kinds";
import { textsOf, UNKNOWN } from "./subject";

/** Two-factor authentication is enforced in every organization. */
export const twoFactor = resourcePolicy({
  name: "posthog-two-factor",
  displayName: "Two-factor authentication is enforced",
  why: "Whoever gets hold of one member's password reads every customer's events, unless the organization asks for a second factor.",
  comply:
    "Set enforce2fa: true on the Organization; see first who would be locked out, with getMembers (is2faEnabled).",
  severity: "high",
  kinds: ["Organization"],
  settings: {},
  check: ({ props }) =>
    props["enforce2fa"] === true || props["enforce2fa"] === UNKNOWN ? [] : ["enforce2fa is not true"],
});

/** What people rely on carries the resource option `protect`. */
export const protectedResources = resourcePolicy({
  name: "posthog-protect",
  displayName: "What people rely on is protected",
  why: "Deleting an organization deletes its events, a deleted export leaves a hole in the warehouse, and a resource that was renamed in the program is deleted and made anew: the engine refuses all that for what is protected.",
  comply:
    "Give the resource the option { protect: true }. To delete it on purpose, take the option away in a change of its own that names it in this policy's `except`.",
  severity: "high",
  kinds: KINDS,
  settings: {
    /** Kinds of which every resource is to be protected. */
    kinds: z.array(z.enum(KINDS)).default(["Organization", "Domain", "BatchExport"]),
    /** Dashboards with one of these tags are to be protected; `*` stands for any characters. */
    dashboardTags: z.array(z.string()).default(["production"]),
    /** Whether pinned dashboards are to be protected. */
    pinnedDashboards: z.boolean().default(true),
  },
  check({ kind, props, isProtected }, { kinds, dashboardTags, pinnedDashboards }) {
    if (isProtected) return [];
    if (kinds.includes(kind)) return [`every ${kind} is to be protected, and this one is not`];
    if (kind !== "Dashboard") return [];
    const tag = textsOf(props["tags"]).find((one) => fits(one, dashboardTags));
    if (tag !== undefined) return [`a dashboard tagged "${tag}" is to be protected, and this one is not`];
    if (pinnedDashboards && props["pinned"] === true)
      return ["a pinned dashboard is to be protected, and this one is not"];
    return [];
  },
});
