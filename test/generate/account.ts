import { adoptable } from "../conformance/cases";
import { startEmulator, type Emulator } from "../support/emulator";
import type { EmulatorOptions } from "../../src/emulator";

/** An organization that somebody has used for years, with all kinds in it and every awkward name. */
export interface Account {
  readonly emulator: Emulator;
  /** Path below which the organization's objects are. */
  readonly organization: string;
  /** Path below which the first project's objects are. */
  readonly project: string;
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

/** Secrets of the exports: none of them may appear in what is written or said. */
export const HUSHED = ["AKIA-hushed", "hushed-secret-key", "hushed-user", "hushed-password", "phc_hushed"];

export async function openAccount(options: EmulatorOptions = {}): Promise<Account> {
  const emulator = await startEmulator({ members: 6, ...options });
  const { POSTHOG_API_KEY, POSTHOG_ORGANIZATION_ID, POSTHOG_PROJECT_ID } = emulator.environment;
  return {
    emulator,
    organization: `/api/organizations/${POSTHOG_ORGANIZATION_ID}/`,
    project: `/api/projects/${POSTHOG_PROJECT_ID}/`,
    async ask(method, path, body) {
      const response = await fetch(new URL(path, emulator.url), {
        method,
        headers: { authorization: `Bearer ${POSTHOG_API_KEY}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === "" ? {} : JSON.parse(text);
    },
  };
}

/** Names that are no identifiers, that come twice, or that mean something to JavaScript. */
const NAMES = [
  "Growth",
  "Growth 🚀",
  "growth",
  "🚀🔥❤️1️⃣",
  "売上",
  "class",
  "2024 goals",
  "Größe & Ço",
  "",
  "__proto__",
  "*/ alert(1) `${x}` \\",
  "then",
  "config",
  "posthog",
  "constructor",
  "x".repeat(400),
];

/** Fills an account with objects of all kinds. */
export async function fill(account: Account): Promise<void> {
  const { emulator, organization, project, ask } = account;
  await ask("PATCH", organization, { enforce_2fa: true });
  const filters = { date_from: "-7d", properties: [{ key: "a b", value: null }], "with-hyphen": "x" };
  for (const name of NAMES)
    await ask("POST", `${project}dashboards/`, { name, tags: ["Team:Growth", "b"], filters });
  const board = await ask("POST", `${project}dashboards/`, {
    name: "Board",
    restriction_level: 37,
    pinned: true,
    description: 'one line\nand "another"\u2028one',
  });
  for (const email of ["alan@example.com", "katherine@example.com"])
    await ask("POST", `${project}dashboards/${String(board["id"])}/collaborators/`, {
      user_uuid: emulator.store.users.find((user) => user.email === email)?.uuid,
      level: 37,
    });
  await ask("POST", "/api/projects/2/dashboards/", { name: "Growth" });
  await addDomains(account);
  await addPeople(account);
  await addExports(account);
  await addPlugins(account);
  await addOthers(account);
  emulator.clearRequests();
}

async function addDomains({ emulator, organization, ask }: Account): Promise<void> {
  const made = await ask("POST", `${organization}domains/`, { domain: "example.com" });
  emulator.setDns("_posthog-challenge.example.com", String(made["verification_challenge"]));
  await ask("POST", `${organization}domains/${String(made["id"])}/verify/`);
  const login = { sso_enforcement: "saml", jit_provisioning_enabled: true };
  await ask("PATCH", `${organization}domains/${String(made["id"])}/`, login);
  await ask("POST", `${organization}domains/`, { domain: "unverified.example.org", saml_entity_id: "x" });
}

async function addPeople({ emulator, organization, ask }: Account): Promise<void> {
  await ask("POST", `${organization}invites/`, {
    target_email: "ada@elsewhere.example",
    first_name: "Ada",
    level: 8,
    message: "Welcome",
    private_project_access: [{ id: 1, level: 8 }],
  });
  await ask("POST", `${organization}invites/`, {
    target_email: "margaret@elsewhere.example",
    send_email: false,
  });
  const late = await ask("POST", `${organization}invites/`, { target_email: "late@elsewhere.example" });
  emulator.expireInvite(String(late["id"]));
}

async function addExports({ project, ask }: Account): Promise<void> {
  const exports: Record<string, unknown>[] = [
    {
      name: "Lake",
      interval: "hour",
      hogql_query: "SELECT event FROM events",
      start_at: "2024-01-01T00:00:00Z",
      destination: {
        type: "S3",
        config: {
          bucket_name: "b",
          region: "eu-central-1",
          prefix: "",
          aws_access_key_id: "AKIA-hushed",
          aws_secret_access_key: "hushed-secret-key",
          compression: "gzip",
          exclude_events: ["a"],
          a_key_of_tomorrow: 1,
        },
      },
    },
    {
      name: "Warehouse",
      interval: "day",
      paused: true,
      model: "persons",
      destination: {
        type: "Snowflake",
        config: {
          user: "hushed-user",
          password: "hushed-password",
          account: "a",
          database: "d",
          warehouse: "w",
          schema: "s",
        },
      },
    },
    {
      name: "Warehouse",
      interval: "day",
      destination: {
        type: "Postgres",
        config: { user: "hushed-user", password: "hushed-password", host: "h", database: "d", port: 5432 },
      },
    },
    {
      name: "Other project",
      interval: "hour",
      destination: { type: "HTTP", config: { url: "https://eu.i.posthog.com/batch/", token: "phc_hushed" } },
    },
    { name: "Nothing", interval: "hour", destination: { type: "NoOp", config: {} } },
  ];
  for (const one of exports) await ask("POST", `${project}batch_exports/`, one);
}

/** Something of every kind that nothing above makes, as its cases of conformance have it. */
async function addOthers({ emulator, ask }: Account): Promise<void> {
  const { POSTHOG_ORGANIZATION_ID: organization, POSTHOG_PROJECT_ID: project } = emulator.environment;
  for (const { path, existing } of adoptable) {
    const collection = path.replace("$organization", organization).replace("$project", project);
    const { count } = await ask("GET", collection);
    if (count === 0) await ask("POST", collection, existing.made("Other"));
  }
}

async function addPlugins({ emulator, organization, ask }: Account): Promise<void> {
  const url = "https://github.com/acme/bigquery";
  const capabilities = { methods: ["onEvent"] };
  emulator.publishPlugin(url, {
    name: "BigQuery",
    tag: "1.0",
    capabilities,
    config: [{ key: "a", type: "string" }],
  });
  await ask("POST", `${organization}pipeline_destinations/`, { url: `${url}?private_token=hushed-user` });
  await ask("POST", `${organization}pipeline_frontend_apps/`, { plugin_type: "source", name: "Banner" });
  await ask("POST", `${organization}pipeline_import_apps/`, {
    plugin_type: "source",
    name: "Stripe",
    capabilities: { scheduled_tasks: ["runEveryMinute"] },
  });
}
