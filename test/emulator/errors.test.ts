import {
  ADA,
  asker,
  bench,
  type Bench,
  closeAll,
  denied,
  errorBody,
  KATHERINE,
  S3,
  validationError,
} from "./support";

afterEach(closeAll);

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

type Request = (
  bench: Bench,
) => [method: string, path: string, body?: unknown, headers?: Record<string, string>];
interface Case {
  readonly name: string;
  readonly request: Request;
  readonly status: number;
  readonly body: unknown;
}

const required = (attr: string) => validationError("required", "This field is required.", attr);
const nulled = (attr: string) => validationError("null", "This field may not be null.", attr);
const blank = (attr: string) => validationError("blank", "This field may not be blank.", attr);
const notString = (attr: string) => validationError("invalid_input", "Not a valid string.", attr);
const notBoolean = (attr: string) => validationError("invalid_input", "Must be a valid boolean.", attr);
const tooLong = (attr: string, most: number) =>
  validationError("max_length", `Ensure this field has no more than ${most} characters.`, attr);
const noChoice = (attr: string, value: string) =>
  validationError("invalid_choice", `"${value}" is not a valid choice.`, attr);
const notFound = (detail = "Not found.") => errorBody("invalid_request", "not_found", detail);

const dashboard =
  (body: unknown): Request =>
  ({ project }) => ["POST", `${project}/dashboards/`, body];
const organization =
  (body: unknown): Request =>
  () => ["POST", "/api/organizations/", body];
const below =
  (list: string, body: unknown): Request =>
  ({ organization: path }) => ["POST", `${path}/${list}/`, body];
const batchExport = (body: unknown) => below("batch_exports", body);
const invite = (body: unknown) => below("invites", body);
const domain = (body: unknown) => below("domains", body);
const plugin = (body: unknown) => below("pipeline_destinations", body);

const BAD_TIME =
  "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].";

const validation: [name: string, request: Request, body: unknown][] = [
  ["a dashboard's name of 401 characters", dashboard({ name: "x".repeat(401) }), tooLong("name", 400)],
  ["a dashboard's name that is an object", dashboard({ name: {} }), notString("name")],
  ["a dashboard's name that is a boolean", dashboard({ name: true }), notString("name")],
  ["a dashboard's description of null", dashboard({ description: null }), nulled("description")],
  ["a dashboard's pinned that is a word", dashboard({ pinned: "maybe" }), notBoolean("pinned")],
  ["a dashboard's pinned of null", dashboard({ pinned: null }), nulled("pinned")],
  [
    "a dashboard's restriction level of 22",
    dashboard({ restriction_level: 22 }),
    noChoice("restriction_level", "22"),
  ],
  [
    "a dashboard's tags that are no list",
    dashboard({ tags: "a" }),
    validationError("not_a_list", 'Expected a list of items but got type "str".', "tags"),
  ],
  [
    "a dashboard's filters that are a list",
    dashboard({ filters: [1] }),
    validationError("invalid_input", "Filters must be a dictionary"),
  ],
  [
    "a dashboard from a template and another one",
    dashboard({ use_template: "DEFAULT_APP", use_dashboard: 1 }),
    validationError("invalid_input", "`use_dashboard` and `use_template` cannot be used together"),
  ],
  [
    "a dashboard from an unknown template",
    dashboard({ use_template: "nope" }),
    validationError("invalid_input", "Invalid template provided: nope", "use_template"),
  ],
  [
    "a dashboard from an unknown dashboard",
    dashboard({ use_dashboard: 4711 }),
    validationError("invalid_input", "Invalid value provided", "use_dashboard"),
  ],
  [
    "a use_dashboard that is no number",
    dashboard({ use_dashboard: "first" }),
    validationError("invalid_input", "A valid integer is required.", "use_dashboard"),
  ],
  [
    "a list where an object belongs",
    dashboard([{ name: "a" }]),
    validationError("invalid_input", "Invalid data. Expected a dictionary, but got list."),
  ],
  ["an organization without a name", organization({}), required("name")],
  ["an organization's blank name", organization({ name: "  " }), blank("name")],
  ["an organization's name of 65 characters", organization({ name: "x".repeat(65) }), tooLong("name", 64)],
  [
    "an organization's logo that is no UUID",
    organization({ name: "a", logo_media_id: "logo" }),
    validationError("invalid_input", "“logo” is not a valid UUID.", "logo_media_id"),
  ],
  [
    "an organization's unknown logo",
    organization({ name: "a", logo_media_id: UNKNOWN }),
    validationError("does_not_exist", `Invalid pk "${UNKNOWN}" - object does not exist.`, "logo_media_id"),
  ],
  [
    "an organization's e-mail switch of null",
    organization({ name: "a", is_member_join_email_enabled: null }),
    nulled("is_member_join_email_enabled"),
  ],
  ["an export without a name", batchExport({ destination: S3, interval: "hour" }), required("name")],
  ["an export without a destination", batchExport({ name: "a", interval: "hour" }), required("destination")],
  ["an export without an interval", batchExport({ name: "a", destination: S3 }), required("interval")],
  [
    "an export's unknown interval",
    batchExport({ name: "a", destination: S3, interval: "month" }),
    noChoice("interval", "month"),
  ],
  [
    "an export's unknown model",
    batchExport({ name: "a", destination: S3, interval: "hour", model: "cohorts" }),
    noChoice("model", "cohorts"),
  ],
  [
    "an export's unknown destination type",
    batchExport({ name: "a", destination: { type: "Floppy" }, interval: "hour" }),
    noChoice("destination__type", "Floppy"),
  ],
  [
    "an export's destination without a type",
    batchExport({ name: "a", destination: { config: {} }, interval: "hour" }),
    required("destination__type"),
  ],
  [
    "an export's destination that is a text",
    batchExport({ name: "a", destination: "S3", interval: "hour" }),
    validationError(
      "invalid_input",
      "Invalid data. Expected a dictionary, but got str.",
      "destination__non_field_errors",
    ),
  ],
  [
    "an export's start that is no time",
    batchExport({ name: "a", destination: S3, interval: "hour", start_at: "soon" }),
    validationError("invalid_input", BAD_TIME, "start_at"),
  ],
  [
    "an export's query that is none",
    batchExport({ name: "a", destination: S3, interval: "hour", hogql_query: "events please" }),
    validationError("invalid_input", "Failed to parse query", "hogql_query"),
  ],
  [
    "an export's query of persons",
    batchExport({ name: "a", destination: S3, interval: "hour", hogql_query: "SELECT id FROM persons" }),
    validationError("invalid_input", "Query must only SELECT FROM events", "hogql_query"),
  ],
  [
    "an export's query with a join",
    batchExport({
      name: "a",
      destination: S3,
      interval: "hour",
      hogql_query: "SELECT event FROM events JOIN persons ON 1 = 1",
    }),
    validationError("invalid_input", "JOINs are not supported", "hogql_query"),
  ],
  [
    "an export's query with a union",
    batchExport({
      name: "a",
      destination: S3,
      interval: "hour",
      hogql_query: "SELECT event FROM events UNION ALL SELECT event FROM events",
    }),
    validationError("invalid_input", "UNIONs are not supported", "hogql_query"),
  ],
  [
    "an export's query of null",
    batchExport({ name: "a", destination: S3, interval: "hour", hogql_query: null }),
    nulled("hogql_query"),
  ],
  ["a domain without a name", domain({}), required("domain")],
  [
    "a domain in upper case",
    domain({ domain: "Example.org" }),
    validationError("invalid_input", "Please enter a valid domain or subdomain name.", "domain"),
  ],
  ["a domain of 129 characters", domain({ domain: `${"x".repeat(125)}.com` }), tooLong("domain", 128)],
  ["a domain's sso of null", domain({ domain: "a.org", sso_enforcement: null }), nulled("sso_enforcement")],
  [
    "a domain's sso of 29 characters",
    domain({ domain: "a.org", sso_enforcement: "x".repeat(29) }),
    tooLong("sso_enforcement", 28),
  ],
  ["an invite without an address", invite({}), required("target_email")],
  ["an invite to null", invite({ target_email: null }), nulled("target_email")],
  [
    "an invite to no address",
    invite({ target_email: "ada" }),
    validationError("invalid_input", "Enter a valid email address.", "target_email"),
  ],
  [
    "an invite's first name of 31 characters",
    invite({ target_email: "a@b.org", first_name: "x".repeat(31) }),
    tooLong("first_name", 30),
  ],
  ["an invite's level of 2", invite({ target_email: "a@b.org", level: 2 }), noChoice("level", "2")],
  ["an invite's level of null", invite({ target_email: "a@b.org", level: null }), nulled("level")],
  [
    "an invite's access to an unknown project",
    invite({ target_email: "a@b.org", private_project_access: [{ id: 4711, level: 1 }] }),
    validationError(
      "invalid_input",
      "Team does not exist on this organization, or it is private and you do not have access to it.",
      "private_project_access",
    ),
  ],
  [
    "an invite's access as an object",
    invite({ target_email: "a@b.org", private_project_access: { id: 1 } }),
    validationError("invalid_input", "The field must be a list of dictionaries.", "private_project_access"),
  ],
  [
    "an invite to a member",
    invite({ target_email: ADA }),
    validationError("invalid_input", "A user with this email address already belongs to the organization."),
  ],
  [
    "21 invites at once",
    below(
      "invites/bulk",
      Array.from({ length: 21 }, (_, index) => ({ target_email: `p${index}@b.org` })),
    ),
    validationError("max_length", "A maximum of 20 invites can be sent in a single request."),
  ],
  ["a plugin of an unknown type", plugin({ plugin_type: "wasm" }), noChoice("plugin_type", "wasm")],
  ["a plugin's name of 201 characters", plugin({ name: "x".repeat(201) }), tooLong("name", 200)],
  [
    "a plugin from nowhere known",
    plugin({ url: "https://example.org/plugin" }),
    validationError("invalid_input", "Must be a GitHub/GitLab repository or a npm package URL!"),
  ],
];

const other: Case[] = [
  {
    name: "malformed JSON",
    request: dashboard("{broken"),
    status: 400,
    body: errorBody("invalid_request", "parse_error", expect.stringContaining("JSON parse error")),
  },
  {
    name: "another media type",
    request: ({ project }) => ["POST", `${project}/dashboards/`, "name=a", { "Content-Type": "text/plain" }],
    status: 415,
    body: errorBody(
      "invalid_request",
      "unsupported_media_type",
      'Unsupported media type "text/plain" in request.',
    ),
  },
  {
    name: "an unknown dashboard",
    request: ({ project }) => ["GET", `${project}/dashboards/4711/`],
    status: 404,
    body: notFound(),
  },
  {
    name: "a dashboard id in letters",
    request: ({ project }) => ["GET", `${project}/dashboards/first/`],
    status: 404,
    body: notFound(),
  },
  {
    name: "collaborators of an unknown dashboard",
    request: ({ project }) => ["GET", `${project}/dashboards/4711/collaborators/`],
    status: 404,
    body: notFound("Dashboard not found."),
  },
  {
    name: "sharing of an unknown dashboard",
    request: ({ project }) => ["GET", `${project}/dashboards/4711/sharing/`],
    status: 404,
    body: notFound("Dashboard not found."),
  },
  ...["batch_exports", "domains"].map((list) => ({
    name: `an unknown object of ${list}`,
    request: (({ organization: path }) => ["GET", `${path}/${list}/${UNKNOWN}/`]) satisfies Request,
    status: 404,
    body: notFound(),
  })),
  {
    name: "an id that is no UUID",
    request: ({ organization: path }) => ["GET", `${path}/domains/first/`],
    status: 404,
    body: notFound(),
  },
  {
    name: "an unknown plugin",
    request: ({ organization: path }) => ["GET", `${path}/pipeline_destinations/4711/`],
    status: 404,
    body: notFound(),
  },
  {
    name: "an unknown invite",
    request: ({ organization: path }) => ["DELETE", `${path}/invites/${UNKNOWN}/`],
    status: 404,
    body: notFound(),
  },
  {
    name: "an unknown member",
    request: ({ organization: path }) => ["PATCH", `${path}/members/${UNKNOWN}/`, { level: 1 }],
    status: 404,
    body: notFound(),
  },
  ...(
    [
      ["GET", "invites/x", {}],
      ["PATCH", "invites/x", {}],
      ["GET", "members/x", {}],
      ["POST", "members", {}],
      ["POST", "", {}],
    ] as const
  ).map(([method, path]) => ({
    name: `${method} of ${path || "an organization"}, which does not exist`,
    request: (({ organization: base }) => [method, `${base}/${path}${path && "/"}`]) satisfies Request,
    status: 405,
    body: errorBody("invalid_request", "method_not_allowed", `Method "${method}" not allowed.`),
  })),
  {
    name: "a tag that is a number",
    request: dashboard({ tags: [1] }),
    status: 500,
    body: errorBody("server_error", "error", "A server error occurred."),
  },
];

test.each(validation)("%s is a 400", async (_, request, body) => {
  const at = await bench();
  const answer = await at.ask(...request(at));
  expect(answer.status).toBe(400);
  expect(answer.json).toEqual(body);
});

test.each(other)("$name is a $status", async ({ request, status, body }) => {
  const at = await bench();
  const answer = await at.ask(...request(at));
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual(body);
});

test("only the first error is told", async () => {
  const { ask, project } = await bench();
  const { json } = await ask("POST", `${project}/dashboards/`, { pinned: "x", description: null, name: {} });
  expect(json.attr).toBe("name");
});

test("a 500 of the service tells in a header what it stumbled over", async () => {
  const { ask, project } = await bench();
  const { headers } = await ask("POST", `${project}/dashboards/`, { tags: [1] });
  expect(headers.get("x-emulator-reason")).toBe("a tag is a text, not 1");
});

test("of unknown routes the latest are remembered", async () => {
  const { emulator, ask } = await bench();
  const stderr = jest.spyOn(process.stderr, "write").mockReturnValue(true);
  for (let n = 0; n <= 100; n++) await ask("GET", `/api/unknown/${n}/`);
  stderr.mockRestore();
  expect(emulator.unknownRoutes.length).toBeLessThanOrEqual(100);
  expect(emulator.unknownRoutes.at(-1)).toBe("GET /api/unknown/100/");
});

test("an unknown route is a loud 404", async () => {
  const { emulator, ask } = await bench();
  const stderr = jest.spyOn(process.stderr, "write").mockReturnValue(true);
  const answer = await ask("GET", "/api/projects/1/insights/");
  expect(answer.status).toBe(404);
  expect(answer.json.detail).toBe("The emulator has no route GET /api/projects/1/insights/");
  expect(emulator.unknownRoutes).toEqual(["GET /api/projects/1/insights/"]);
  expect(stderr).toHaveBeenCalledWith("the emulator has no route GET /api/projects/1/insights/\n");
  stderr.mockRestore();
});

describe("levels", () => {
  const INSUFFICIENT = denied("Your organization access level is insufficient.");
  const cases: [string, Request][] = [
    ["a new domain", domain({ domain: "a.org" })],
    ["a changed organization", ({ organization: path }) => ["PATCH", `${path}/`, { name: "Mine" }]],
    ["a deleted organization", ({ organization: path }) => ["DELETE", `${path}/`]],
  ];
  test.each(cases)("a member may not ask for %s", async (_, request) => {
    const at = await bench();
    const answer = await at.as(KATHERINE)(...request(at));
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual(INSUFFICIENT);
  });

  test("an admin may change an organization but not delete it", async () => {
    const { as, organization: path } = await bench();
    const ask = as(ADA);
    expect((await ask("PATCH", `${path}/`, { name: "Ours" })).status).toBe(200);
    expect((await ask("DELETE", `${path}/`)).json).toEqual(INSUFFICIENT);
  });
});

describe("throttling", () => {
  test("is by key, and says when to come again", async () => {
    const { emulator, ask, project } = await bench({ rateLimit: "3/min" });
    for (let index = 0; index < 3; index++)
      expect((await ask("GET", `${project}/dashboards/`)).status).toBe(200);
    const answer = await ask("GET", `${project}/dashboards/`);
    expect(answer.status).toBe(429);
    const seconds = Number(answer.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(answer.json).toEqual(
      errorBody(
        "throttled_error",
        "throttled",
        `Request was throttled. Expected available in ${seconds} seconds.`,
      ),
    );
    const another = asker(emulator, emulator.createKey());
    expect((await another("GET", `${project}/dashboards/`)).status).toBe(200);
  });

  test("does not count requests without a key", async () => {
    const { emulator, project } = await bench({ rateLimit: { perMinute: 1, perHour: 10 } });
    const nobody = asker(emulator, null);
    for (let index = 0; index < 3; index++)
      expect((await nobody("GET", `${project}/dashboards/`)).status).toBe(401);
  });
});
