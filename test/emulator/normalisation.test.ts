import { bench, closeAll, type Bench, type Loose, S3 } from "./support";

/** What was sent, and as what it comes back: in the answer and in the read after it. */

afterEach(closeAll);

interface Made {
  readonly answer: Loose;
  readonly read: Loose;
}

async function makeDashboard({ ask, project }: Bench, body: object): Promise<Made> {
  const { json } = await ask("POST", `${project}/dashboards/`, body);
  return { answer: json, read: (await ask("GET", `${project}/dashboards/${json.id}/`)).json };
}

async function makeOrganization({ ask }: Bench, body: object): Promise<Made> {
  const { json } = await ask("POST", "/api/organizations/", { name: "a", ...body });
  return { answer: json, read: (await ask("GET", `/api/organizations/${json.id}/`)).json };
}

async function makeExport({ ask, organization }: Bench, body: object): Promise<Made> {
  const fields = { name: "a", destination: S3, interval: "hour", ...body };
  const { json } = await ask("POST", `${organization}/batch_exports/`, fields);
  return { answer: json, read: (await ask("GET", `${organization}/batch_exports/${json.id}/`)).json };
}

async function makeDomain({ ask, organization }: Bench, body: object): Promise<Made> {
  const { json } = await ask("POST", `${organization}/domains/`, { domain: "example.org", ...body });
  return { answer: json, read: (await ask("GET", `${organization}/domains/${json.id}/`)).json };
}

async function makeInvite({ ask, organization }: Bench, body: object): Promise<Made> {
  const { json } = await ask("POST", `${organization}/invites/`, { target_email: "x@example.org", ...body });
  return { answer: json, read: (await ask("GET", `${organization}/invites/`)).json.results[0] };
}

async function makePlugin({ ask, organization }: Bench, body: object): Promise<Made> {
  const { json } = await ask("POST", `${organization}/pipeline_destinations/`, body);
  return { answer: json, read: (await ask("GET", `${organization}/pipeline_destinations/${json.id}/`)).json };
}

type Make = (bench: Bench, body: object) => Promise<Made>;
const cases: [name: string, make: Make, sent: object, back: object][] = [
  ["a padded name", makeDashboard, { name: "  Growth \n" }, { name: "Growth" }],
  ["a name of blanks", makeDashboard, { name: "   " }, { name: "" }],
  ["a name of null", makeDashboard, { name: null }, { name: null }],
  ["a name that is a number", makeDashboard, { name: 2024 }, { name: "2024" }],
  [
    "nothing at all",
    makeDashboard,
    {},
    { name: null, description: "", pinned: false, tags: [], filters: {}, restriction_level: 21 },
  ],
  ["a padded description", makeDashboard, { description: " d " }, { description: "d" }],
  ["pinned as a word", makeDashboard, { pinned: "true" }, { pinned: true }],
  ["pinned as yes", makeDashboard, { pinned: "Yes" }, { pinned: true }],
  ["pinned as a number", makeDashboard, { pinned: 1 }, { pinned: true }],
  ["not pinned as a word", makeDashboard, { pinned: "off" }, { pinned: false }],
  ["a level as text", makeDashboard, { restriction_level: "37" }, { restriction_level: 37 }],
  ["tags in capitals", makeDashboard, { tags: ["KPI"] }, { tags: ["kpi"] }],
  ["padded tags", makeDashboard, { tags: ["  kpi "] }, { tags: ["kpi"] }],
  ["tags twice, in any order", makeDashboard, { tags: ["b", "A", "a", "B "] }, { tags: ["a", "b"] }],
  ["an unknown key", makeDashboard, { name: "a", colour: "red" }, { name: "a" }],
  [
    "read-only keys",
    makeDashboard,
    { id: 99, creation_mode: "template", is_shared: true },
    { creation_mode: "default", is_shared: false },
  ],
  ["filters", makeDashboard, { filters: { date_from: "-7d" } }, { filters: { date_from: "-7d" } }],
  ["filters of null", makeDashboard, { filters: null }, { filters: {} }],
  ["filters that are falsy", makeDashboard, { filters: [] }, { filters: {} }],
  [
    "a padded organization name",
    makeOrganization,
    { name: " Acme Two " },
    { name: "Acme Two", slug: "acme-two" },
  ],
  ["a name with accents", makeOrganization, { name: "Café Zürich!" }, { slug: "cafe-zurich" }],
  ["2fa unset by text", makeOrganization, { enforce_2fa: "null" }, { enforce_2fa: null }],
  ["2fa unset by nothing", makeOrganization, { enforce_2fa: "" }, { enforce_2fa: null }],
  ["2fa as a word", makeOrganization, { enforce_2fa: "false" }, { enforce_2fa: false }],
  [
    "defaults",
    makeOrganization,
    {},
    { is_member_join_email_enabled: true, enforce_2fa: null, logo_media_id: null },
  ],
  [
    "a time with an offset",
    makeExport,
    { start_at: "2024-03-01T02:00:00+02:00" },
    { start_at: "2024-03-01T00:00:00Z" },
  ],
  [
    "a time before UTC",
    makeExport,
    { start_at: "2024-03-01T00:00:00-05:30" },
    { start_at: "2024-03-01T05:30:00Z" },
  ],
  [
    "a time without an offset",
    makeExport,
    { start_at: "2024-03-01T00:00:00" },
    { start_at: "2024-03-01T00:00:00Z" },
  ],
  [
    "a time without seconds",
    makeExport,
    { start_at: "2024-03-01T10:30Z" },
    { start_at: "2024-03-01T10:30:00Z" },
  ],
  ["a date", makeExport, { start_at: "2024-03-01" }, { start_at: "2024-03-01T00:00:00Z" }],
  [
    "milliseconds",
    makeExport,
    { end_at: "2024-03-01T00:00:00.120Z" },
    { end_at: "2024-03-01T00:00:00.120000Z" },
  ],
  [
    "microseconds",
    makeExport,
    { end_at: "2024-03-01T00:00:00.123456Z" },
    { end_at: "2024-03-01T00:00:00.123456Z" },
  ],
  [
    "nanoseconds",
    makeExport,
    { end_at: "2024-03-01T00:00:00.123456789Z" },
    { end_at: "2024-03-01T00:00:00.123456Z" },
  ],
  [
    "milliseconds of zero",
    makeExport,
    { end_at: "2024-03-01T00:00:00.000Z" },
    { end_at: "2024-03-01T00:00:00Z" },
  ],
  ["a time of null", makeExport, { end_at: null }, { end_at: null }],
  ["an export's defaults", makeExport, {}, { model: "events", paused: false, schema: null, latest_runs: [] }],
  ["a model of null", makeExport, { model: null }, { model: null }],
  ["paused as a word", makeExport, { paused: "True" }, { paused: true, last_paused_at: null }],
  [
    "a query",
    makeExport,
    { hogql_query: "select   event as e, 'a, from b' AS quoted\nfrom events where event = '$pageview'" },
    {
      schema: {
        fields: [
          { expression: "event", alias: "e" },
          { expression: "'a, from b'", alias: "quoted" },
        ],
        values: {},
        hogql_query: "SELECT event AS e, 'a, from b' AS quoted FROM events WHERE event = '$pageview'",
      },
    },
  ],
  [
    "secret keys",
    makeExport,
    {
      destination: {
        type: "S3",
        config: { ...S3.config, aws_access_key_id: "AK", aws_secret_access_key: "s3cret" },
      },
    },
    { destination: S3 },
  ],
  [
    "unknown configuration",
    makeExport,
    { destination: { type: "S3", config: { ...S3.config, colour: "red" } } },
    { destination: { type: "S3", config: { ...S3.config, colour: "red" } } },
  ],
  [
    "sso before verification",
    makeDomain,
    { jit_provisioning_enabled: true, sso_enforcement: "saml" },
    { jit_provisioning_enabled: false, sso_enforcement: "", is_verified: false, verified_at: null },
  ],
  [
    "saml",
    makeDomain,
    { saml_entity_id: "e", saml_acs_url: "u", saml_x509_cert: "c" },
    { has_saml: true, saml_x509_cert: "c" },
  ],
  [
    "half of saml",
    makeDomain,
    { saml_entity_id: "e", saml_acs_url: "" },
    { has_saml: false, saml_entity_id: "e", saml_acs_url: "", saml_x509_cert: null },
  ],
  [
    "an address in capitals",
    makeInvite,
    { target_email: "Ada.B@EXAMPLE.Org" },
    { target_email: "Ada.B@example.org" },
  ],
  ["a level as text", makeInvite, { level: "8" }, { level: 8 }],
  [
    "an invite's defaults",
    makeInvite,
    {},
    {
      first_name: "",
      level: 1,
      message: null,
      private_project_access: [],
      is_expired: false,
      emailing_attempt_made: true,
    },
  ],
  ["no projects", makeInvite, { private_project_access: [] }, { private_project_access: null }],
  ["projects of null", makeInvite, { private_project_access: null }, { private_project_access: null }],
  [
    "a project",
    makeInvite,
    { private_project_access: [{ id: 1, level: 8 }] },
    { private_project_access: [{ id: 1, level: 8 }] },
  ],
  ["no mail", makeInvite, { send_email: false }, { emailing_attempt_made: false }],
  ["a plugin's padded name", makePlugin, { name: " p " }, { name: "p" }],
  [
    "a plugin's url with a token",
    makePlugin,
    { url: "https://github.com/acme/hog?private_token=t0p" },
    { url: "https://github.com/acme/hog", plugin_type: "custom", name: "hog" },
  ],
];

test.each(cases)("%s", async (_, make, sent, back) => {
  const { answer, read } = await make(await bench(), sent);
  expect(answer).toMatchObject(back);
  expect(read).toMatchObject(back);
});

describe("what is only written", () => {
  async function written(at: Bench): Promise<Loose[]> {
    const exports = `${at.project}/batch_exports/`;
    const made = [
      await at.ask("POST", `${at.project}/dashboards/`, {
        use_template: "DEFAULT_APP",
        delete_insights: true,
        use_dashboard: null,
      }),
      await at.ask("POST", exports, {
        name: "a",
        destination: S3,
        interval: "hour",
        hogql_query: "SELECT event FROM events",
      }),
      await at.ask("POST", `${at.organization}/invites/`, {
        target_email: "x@example.org",
        send_email: false,
      }),
    ];
    return made.map(({ json }) => json);
  }

  test("never comes back from the service", async () => {
    const [dashboard, batchExport, invite] = await written(await bench({ shapes: "upstream" }));
    for (const name of ["use_template", "use_dashboard", "delete_insights"])
      expect(dashboard).not.toHaveProperty(name);
    expect(batchExport).not.toHaveProperty("hogql_query");
    expect(invite).not.toHaveProperty("send_email");
  });

  test("comes back where the document shows it", async () => {
    const [dashboard, batchExport, invite] = await written(await bench());
    expect(dashboard).toMatchObject({
      use_template: "DEFAULT_APP",
      use_dashboard: null,
      delete_insights: false,
    });
    expect(batchExport.hogql_query).toBe("SELECT event FROM events");
    expect(invite.send_email).toBe(false);
  });
});

test("a path without its last slash is the same path", async () => {
  const { ask, project } = await bench();
  expect((await ask("POST", `${project}/dashboards`, { name: "a" })).status).toBe(201);
  expect((await ask("GET", `${project}/dashboards/1`)).json.name).toBe("a");
});

test("times are in UTC, with microseconds only where there are any", async () => {
  const at = await bench({ now: () => new Date("2024-05-01T12:00:00.000Z") });
  expect((await makeDashboard(at, {})).answer.created_at).toBe("2024-05-01T12:00:00Z");
  const later = await bench({ now: () => new Date("2024-05-01T12:00:00.120Z") });
  expect((await makeDashboard(later, {})).answer.created_at).toBe("2024-05-01T12:00:00.120000Z");
});
