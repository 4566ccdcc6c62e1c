import type { Emulator } from "../support/emulator";
import type { Refusal } from "./relay";

/*
 * Each error that the service is known to answer, as a resource that meets it: by the emulator itself, or, where it has
 * no reason to answer so, by a relay before it, in the service's own words.
 */

export interface Row {
  /** The failure, in the words of the list of the service's errors. */
  readonly title: string;
  readonly kind?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** Which key it is tried with. */
  readonly connection?: keyof typeof KEYS;
  /** Answered to the request that holds the resource's name, where the emulator has no reason to. */
  readonly refusal?: Refusal;
  /** Status, the service's words, and what to do next. */
  readonly says: readonly [request: RegExp, status: number, cause: string, next: RegExp];
}

/** Keys that may not do everything. */
export const KEYS = {
  invalid: () => "phx_that_nobody_made",
  reading: (emulator: Emulator) => emulator.createKey({ scopes: ["dashboard:read", "organization:read"] }),
  scoped: (emulator: Emulator) => emulator.createKey({ scopes: ["*"] }),
  elsewhere: (emulator: Emulator) =>
    emulator.createKey({ scopes: ["*"], organizations: ["00000000-0000-4000-8000-000000000000"] }),
  project: (emulator: Emulator) => emulator.createKey({ scopes: ["*"], projects: [1] }),
  stranger: (emulator: Emulator) => emulator.createKey({ user: "stranger@example.org" }),
  // All who use a key wait where the service asks it to.
  throttled: (emulator: Emulator) => emulator.createKey(),
  member: (emulator: Emulator) => emulator.createKey({ user: "alan@example.com" }),
} as const;

/** An export to somewhere. */
export const exporting = (args: object) => ({
  interval: "hour",
  destination: { type: "S3", config: { bucketName: "b", region: "r", prefix: "" } },
  ...args,
});
/** The request that makes a dashboard. */
export const POST = /POST \/api\/projects\/1\/dashboards\/ answered/;
const ADMIN = /Use a key of an admin or owner/;

/** Errors that the emulator has a reason to answer. */
export const answered: readonly Row[] = [
  {
    title: "bad key",
    connection: "invalid",
    says: [
      POST,
      401,
      "Personal API key found in request Authorization header is invalid.",
      /Make one under Settings, Personal API keys, .* posthog:connections\.invalid\.apiKey/,
    ],
  },
  {
    title: "key lacks scope",
    connection: "reading",
    says: [POST, 403, "missing required scope 'dashboard:write'", /Add the scope dashboard:write to the key/],
  },
  {
    title: "action closed to keys",
    kind: "Dashboard",
    connection: "scoped",
    args: {
      template: {
        template_name: "x",
        dashboard_description: "",
        dashboard_filters: {},
        tiles: [{ type: "TEXT", body: "x", layouts: {} }],
      },
    },
    says: [
      /POST .*\/create_from_template_json\/ answered/,
      403,
      "This action does not support Personal API Key access",
      /Use a key without scopes, or do this step in PostHog/,
    ],
  },
  {
    title: "key not scoped to the organization",
    connection: "elsewhere",
    says: [
      POST,
      403,
      "API key does not have access to the requested organization",
      /Widen it, or correct posthog:connections\.elsewhere\.organizationId/,
    ],
  },
  {
    title: "project key on an organization's endpoint",
    kind: "Domain",
    args: { domain: "project-key.example" },
    connection: "project",
    says: [
      /\/domains\/ answered/,
      403,
      "API keys with scoped projects are only supported on project-based endpoints.",
      /Make one that covers the organization/,
    ],
  },
  {
    title: "not a member",
    connection: "stranger",
    says: [POST, 403, "You don't have access to the project.", ADMIN],
  },
  {
    title: "level too low",
    kind: "Domain",
    args: { domain: "level.example" },
    connection: "member",
    says: [/\/domains\/ answered/, 403, "Your organization access level is insufficient.", ADMIN],
  },
  {
    title: "validation: unique",
    kind: "Domain",
    args: { domain: "taken.example" },
    says: [
      /POST .*\/domains\/ answered/,
      400,
      "domain with this domain already exists.",
      /Take it over with adoptId .* or give another value/,
    ],
  },
  {
    title: "validation: does not exist",
    kind: "Organization",
    args: { logoMediaId: "11111111-2222-4333-8444-555555555555" },
    says: [
      /POST \/api\/organizations\/ answered/,
      400,
      "logoMediaId: Invalid pk",
      /Correct logoMediaId, then run pulumi again/,
    ],
  },
  {
    title: "validation of no field",
    kind: "DashboardCollaborator",
    args: { dashboardId: { $ref: "open.id" }, userUuid: "11111111-2222-4333-8444-555555555555" },
    says: [
      /\/collaborators\/ answered/,
      400,
      "Cannot add collaborators to a dashboard on the lowest restriction level.",
      /Correct the program as it says, then run pulumi again/,
    ],
  },
  {
    title: "unknown project",
    args: { projectId: "4711" },
    says: [
      /POST .*\/4711\/dashboards\/ answered/,
      404,
      "Project not found.",
      /Correct projectId \(posthog:projectId/,
    ],
  },
  {
    title: "unknown organization",
    kind: "Invite",
    args: { targetEmail: "x@example.org", organizationId: "11111111-2222-4333-8444-555555555555" },
    says: [
      /POST .*\/invites\/ answered/,
      404,
      "Organization not found.",
      /Correct organizationId \(posthog:organizationId/,
    ],
  },
  {
    title: "unknown dashboard",
    kind: "DashboardCollaborator",
    args: { dashboardId: 4711, userUuid: "11111111-2222-4333-8444-555555555555" },
    says: [/\/4711\/collaborators\/ answered/, 404, "Dashboard not found.", /Check the id, posthog:host/],
  },
  {
    title: "higher frequency",
    kind: "BatchExport",
    args: exporting({ interval: "every 5 minutes" }),
    says: [
      /\/batch_exports\/ answered/,
      403,
      "Higher frequency exports are not enabled for this team.",
      /The organization's plan does not include this/,
    ],
  },
];
