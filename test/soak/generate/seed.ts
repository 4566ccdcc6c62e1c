import { fill, type Account } from "../../generate/account";

/** Requests at once while the account is filled. */
const AT_ONCE = 16;

const TEAMS = [
  "Growth",
  "Activation",
  "Checkout",
  "Billing",
  "Search",
  "Onboarding",
  "Mobile",
  "Platform",
  "Support",
  "Data",
  "Marketing",
  "Sales",
  "Partners",
  "Größe & Maß",
  "売上",
  "Docs 📚",
];
const TOPICS = [
  "weekly review",
  "sign-ups",
  "retention",
  "funnel",
  "latency",
  "errors by release",
  "revenue (EUR)",
  "experiments",
  "A/B: price page",
  "churn",
  "NPS",
  "crashes",
  "top 10 accounts",
  "web vitals",
  "e-mail campaigns",
  "feature adoption",
  "session length",
  "paid vs. organic",
  "2024 goals",
  "launch 🚀",
  "cohorts",
  "support load",
  "invoices",
  "API usage",
  "north star",
];

/** Fills an account with over 1,200 objects of all kinds, on top of the awkward ones of `fill`. */
export async function fillWithMany(account: Account): Promise<void> {
  await fill(account);
  await addDashboards(account);
  await addClosedDashboards(account);
  await addInvites(account);
  await addDomains(account);
  await addExports(account);
  await addPlugins(account);
  account.emulator.clearRequests();
}

/** Most teams have each topic; some names come twice, and a second project has many of the same. */
async function addDashboards({ project, ask }: Account): Promise<void> {
  const names = TEAMS.flatMap((team) => TOPICS.map((topic) => ({ team, name: `${team} ${topic}` })));
  const wanted = [
    ...names.map((one) => ({ ...one, path: project })),
    ...names.slice(0, 40).map((one) => ({ ...one, path: project })),
    ...names.slice(0, 380).map((one) => ({ ...one, path: "/api/projects/2/" })),
  ];
  await several(wanted.length, async (index) => {
    const { team, name, path } = wanted[index]!;
    await ask("POST", `${path}dashboards/`, {
      name,
      tags: [`team:${team}`, ...(index % 3 === 0 ? ["weekly"] : [])],
      ...(index % 2 === 0 ? { description: `What ${team} looks at before the meeting on Monday.` } : {}),
      ...(index % 10 === 0 ? { pinned: true } : {}),
      ...(index % 4 === 0 ? { filters: filtersOf(index) } : {}),
    });
  });
}

function filtersOf(index: number): Record<string, unknown> {
  const dates = { date_from: "-30d", date_to: null };
  if (index % 8 === 0) return dates;
  const properties = [{ key: "$host", type: "event", value: ["app.example.com"], operator: "exact" }];
  return { ...dates, properties, breakdown_filter: { breakdown: "$browser", breakdown_type: "event" } };
}

async function addClosedDashboards({ emulator, project, ask }: Account): Promise<void> {
  const isMember = (id: number): boolean =>
    emulator.store.memberships.find((row) => row.user_id === id)?.level === 1;
  const people = emulator.store.users.all().filter(({ id }) => isMember(id));
  await several(30, async (index) => {
    const board = await ask("POST", `${project}dashboards/`, {
      name: `Board meeting ${2000 + index}`,
      restriction_level: 37,
    });
    for (const person of [people[index * 2], people[index * 2 + 1]])
      await ask("POST", `${project}dashboards/${String(board["id"])}/collaborators/`, {
        user_uuid: person?.uuid,
        level: 37,
      });
  });
}

async function addInvites({ organization, ask }: Account): Promise<void> {
  await several(60, (index) =>
    ask("POST", `${organization}invites/`, {
      target_email: `new.colleague${index}@example.com`,
      ...(index % 2 === 0 ? { first_name: `Colleague ${index}`, level: 8 } : {}),
    }),
  );
}

async function addDomains({ emulator, organization, ask }: Account): Promise<void> {
  await several(30, async (index) => {
    const domain = `brand-${index}.example.com`;
    const made = await ask("POST", `${organization}domains/`, { domain });
    if (index % 3 !== 0) return;
    emulator.setDns(`_posthog-challenge.${domain}`, String(made["verification_challenge"]));
    await ask("POST", `${organization}domains/${String(made["id"])}/verify/`);
    await ask("PATCH", `${organization}domains/${String(made["id"])}/`, { sso_enforcement: "google-oauth2" });
  });
}

const DATABASE = {
  user: "hushed-user",
  password: "hushed-password",
  host: "db.example.com",
  database: "events",
};
const DESTINATIONS: readonly { readonly type: string; readonly config: Record<string, unknown> }[] = [
  {
    type: "S3",
    config: {
      bucket_name: "acme-lake",
      region: "eu-central-1",
      prefix: "posthog/{year}/{month}/",
      compression: "gzip",
      aws_access_key_id: "AKIA-hushed",
      aws_secret_access_key: "hushed-secret-key",
    },
  },
  {
    type: "Snowflake",
    config: {
      user: "hushed-user",
      password: "hushed-password",
      account: "ab12345.eu-west-1",
      database: "EVENTS",
      warehouse: "LOAD",
      schema: "POSTHOG",
    },
  },
  {
    type: "BigQuery",
    config: {
      project_id: "acme-analytics",
      dataset_id: "posthog",
      private_key: "hushed-secret-key",
      private_key_id: "hushed-user",
      token_uri: "https://hushed-user.example.com/token",
      client_email: "hushed-user@example.com",
    },
  },
  { type: "Postgres", config: { ...DATABASE, port: 5432, schema: "posthog" } },
  { type: "Redshift", config: { ...DATABASE, port: 5439, schema: "posthog" } },
  { type: "HTTP", config: { url: "https://eu.i.posthog.com/batch/", token: "phc_hushed" } },
  { type: "NoOp", config: {} },
];

async function addExports({ project, ask }: Account): Promise<void> {
  await several(56, (index) => {
    const destination = DESTINATIONS[index % DESTINATIONS.length]!;
    return ask("POST", `${project}batch_exports/`, {
      name: `${TEAMS[index % 13]} to ${destination.type}${index % 3 === 0 ? ", archive" : ""}`,
      interval: index % 2 === 0 ? "hour" : "day",
      ...(index % 5 === 0 ? { paused: true } : {}),
      ...(index % 4 === 0 ? { model: "persons" } : {}),
      destination,
    });
  });
}

async function addPlugins({ emulator, organization, ask }: Account): Promise<void> {
  await several(30, async (index) => {
    const url = `https://github.com/acme/destination-${index}`;
    emulator.publishPlugin(url, {
      name: `Destination ${index}`,
      tag: "1.0.0",
      capabilities: { methods: ["onEvent"] },
      config: [{ key: "endpoint", name: "Endpoint", type: "string", required: true }],
    });
    await ask("POST", `${organization}pipeline_destinations/`, { url });
  });
  await several(15, (index) =>
    ask("POST", `${organization}pipeline_frontend_apps/`, {
      plugin_type: "source",
      name: `Banner ${index}`,
      description: "Shown above every page.",
    }),
  );
  await several(10, (index) =>
    ask("POST", `${organization}pipeline_import_apps/`, {
      plugin_type: "source",
      name: `Importer ${index}`,
      capabilities: { scheduled_tasks: ["runEveryMinute"] },
    }),
  );
}

async function several(count: number, make: (index: number) => Promise<unknown>): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index).values();
  const work = async (): Promise<void> => {
    for (const index of indexes) await make(index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
