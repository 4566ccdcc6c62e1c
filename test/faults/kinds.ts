import type { Emulator } from "../support/emulator";

/** A kind that can be created: how it is declared, where its POST goes, and its objects at the service. */
export interface Creatable {
  readonly kind: string;
  readonly class: string;
  /** Arguments of a resource of this kind; another number, another object. */
  args(n: number, emulator: Emulator): Record<string, unknown>;
  /** Path of the POST, in the notation of faults. */
  readonly post: string;
  /** What exists at the service that this package may have made. */
  existing(emulator: Emulator): readonly unknown[];
  /** What stays although it was destroyed. */
  readonly stays?: boolean;
}

const tile = { type: "TEXT", body: "hello", layouts: {} };

const dashboards = (emulator: Emulator) => emulator.store.dashboards.filter(({ deleted }) => !deleted);
const exports = (emulator: Emulator) => emulator.store.batchExports.filter(({ deleted }) => !deleted);

/** Number of a dashboard that is closed to others, of somebody else's making. */
function closed(emulator: Emulator): number {
  const found = dashboards(emulator).find(({ restriction_level: level }) => level === 37);
  if (!found) throw new Error("nobody made a closed dashboard");
  return found.id;
}

/** Makes what the declared objects need and nobody declares. */
export async function prepare(emulator: Emulator): Promise<void> {
  const { POSTHOG_API_KEY: key, POSTHOG_PROJECT_ID: project } = emulator.environment;
  const answer = await fetch(new URL(`/api/projects/${project}/dashboards/`, emulator.url), {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Closed", restriction_level: 37 }),
  });
  if (!answer.ok) throw new Error(`POST dashboards: ${answer.status}`);
}

/** Secrets that the declared objects hold; none may be found in any file or output. */
export const SECRETS = ["hush-s3-key", "hush-plugin-token"];

const s3 = {
  type: "S3",
  config: {
    bucketName: "lake",
    region: "eu-central-1",
    prefix: "events/",
    awsAccessKeyId: "AKIA-test",
    awsSecretAccessKey: { $secret: SECRETS[0] },
  },
};

export const CREATABLE: readonly Creatable[] = [
  {
    kind: "Dashboard",
    class: "Dashboard",
    args: (n) => ({ name: `Board ${n}`, description: "d", tags: ["b", "a"], filters: { date_from: "-7d" } }),
    post: "/dashboards/$",
    existing: dashboards,
  },
  {
    kind: "Dashboard from a template of one's own",
    class: "Dashboard",
    args: (n) => ({
      name: `Renamed ${n}`,
      template: {
        template_name: `Template ${n}`,
        dashboard_description: "from a template",
        dashboard_filters: {},
        tags: [],
        tiles: [tile],
      },
    }),
    post: "/create_from_template_json/",
    existing: dashboards,
  },
  {
    kind: "Dashboard from one of PostHog's templates",
    class: "Dashboard",
    args: (n) => ({ name: `Product ${n}`, description: "mine", useTemplate: "DEFAULT_APP" }),
    post: "/dashboards/$",
    existing: dashboards,
  },
  {
    kind: "Organization",
    class: "Organization",
    args: (n) => ({ name: `Organization ${n}` }),
    post: "/api/organizations/",
    existing: ({ store }) => store.organizations.all(),
  },
  {
    kind: "BatchExport at the organization's route",
    class: "BatchExport",
    args: (n) => ({ name: `Export ${n}`, interval: "hour", destination: s3 }),
    post: "/batch_exports/$",
    existing: exports,
  },
  {
    kind: "BatchExport at the project's route",
    class: "BatchExport",
    args: (n, { environment }) => ({
      projectId: environment.POSTHOG_PROJECT_ID,
      name: `Paused export ${n}`,
      interval: "day",
      paused: true,
      destination: s3,
    }),
    post: "/batch_exports/$",
    existing: exports,
  },
  {
    kind: "Domain",
    class: "Domain",
    args: (n) => ({ domain: `n${n}.example.org` }),
    post: "/domains/$",
    existing: ({ store }) => store.domains.all(),
  },
  {
    kind: "Invite",
    class: "Invite",
    args: (n) => ({ targetEmail: `new-${n}@people.example`, level: "admin" }),
    post: "/invites/$",
    existing: ({ store }) => store.invites.all(),
  },
  ...(["PipelineDestination", "FrontendApp", "ImportApp"] as const).map((name): Creatable => ({
    kind: name,
    class: name,
    args: (n) => ({
      url: { $secret: `https://github.com/acme/${name.toLowerCase()}-${n}?private_token=${SECRETS[1]}` },
    }),
    post: "/pipeline_",
    existing: ({ store }) => store.plugins.all(),
    stays: name === "ImportApp",
  })),
  {
    kind: "FrontendApp without an address",
    class: "FrontendApp",
    args: (n) => ({ pluginType: "source", name: `Source ${n}` }),
    post: "/pipeline_",
    existing: ({ store }) => store.plugins.all(),
  },
  {
    kind: "InviteBatch",
    class: "InviteBatch",
    args: (n) => ({ invites: [{ targetEmail: `batch-${n}@people.example`, firstName: "Ada" }] }),
    post: "/invites/bulk/",
    existing: ({ store }) => store.invites.all(),
  },
  {
    kind: "TeamMember",
    class: "TeamMember",
    args: (n) => ({ email: `team-${n}@people.example`, level: "member" }),
    post: "/invites/$",
    existing: ({ store }) => store.invites.all(),
  },
  {
    kind: "DashboardCollaborator",
    class: "DashboardCollaborator",
    args: (n, emulator) => {
      const member = emulator.addMember({ email: `c${n}@people.example` });
      return { dashboardId: closed(emulator), userUuid: member.user.uuid };
    },
    post: "/collaborators/$",
    existing: ({ store }) => store.collaborators.all(),
  },
];
