import { asker, bench, type Bench, closeAll, denied, type Loose, S3, validationError } from "./support";

afterEach(closeAll);

const NOW = "2024-05-01T12:00:00Z";
const HOURLY = { name: "raw", destination: S3, interval: "hour" };

async function made(
  options: Parameters<typeof bench>[0] = {},
  below: "organization" | "project" = "organization",
) {
  const at = await bench({ now: () => new Date(NOW), ...options });
  const { json } = await at.ask("POST", `${at.project}/batch_exports/`, HOURLY);
  return { ...at, made: json, one: `${at[below]}/batch_exports/${json.id}/` };
}

describe("routes", () => {
  test.each(["organization", "project"] as const)("the one below the %s has them all", async (below) => {
    const at = await bench();
    const list = `${at[below]}/batch_exports/`;
    const { status, json } = await at.ask("POST", list, HOURLY);
    expect(status).toBe(201);
    expect(json).toMatchObject({ ...HOURLY, team_id: 1 });
    const one = `${list}${json.id}/`;
    expect((await at.ask("GET", one)).json).toEqual(json);
    expect((await at.ask("PATCH", one, { name: "renamed" })).json.name).toBe("renamed");
    expect((await at.ask("GET", list)).json.count).toBe(1);
    expect((await at.ask("DELETE", one)).status).toBe(204);
    for (const method of ["GET", "DELETE"]) expect((await at.ask(method, one)).status).toBe(404);
    expect((await at.ask("GET", list)).json.count).toBe(0);
  });

  test("the environment's is the project's", async () => {
    const {
      ask,
      made: { id },
    } = await made();
    expect((await ask("GET", `/api/environments/1/batch_exports/${id}/`)).status).toBe(200);
  });

  test("a project does not show those of another", async () => {
    const {
      ask,
      made: { id },
    } = await made();
    expect((await ask("GET", `/api/projects/2/batch_exports/${id}/`)).status).toBe(404);
    expect((await ask("GET", "/api/projects/2/batch_exports/")).json.count).toBe(0);
  });

  test("the organization's takes the project that the key's owner has open", async () => {
    const { ask, organization } = await bench();
    await ask("PATCH", "/api/users/@me/", { set_current_team: "2" });
    expect((await ask("POST", `${organization}/batch_exports/`, HOURLY)).json.team_id).toBe(2);
  });

  test("upstream, the organization's cannot create, backfill, read queries or logs", async () => {
    const { ask, organization, one } = await made({ shapes: "upstream" });
    expect((await ask("POST", `${organization}/batch_exports/`, HOURLY)).status).toBe(500);
    const range = { start_at: "2024-04-01T00:00:00Z", end_at: "2024-04-02T00:00:00Z" };
    expect((await ask("POST", `${one}backfill/`, range)).status).toBe(500);
    expect((await ask("GET", `${one}logs/`)).status).toBe(500);
    expect((await ask("PATCH", one, { hogql_query: "SELECT event FROM events" })).status).toBe(500);
    expect((await ask("PATCH", one, { name: "b" })).status).toBe(200);
    expect((await ask("POST", `${one}pause/`)).status).toBe(200);
  });
});

describe("configuration", () => {
  const SECRETS = { aws_access_key_id: "AK", aws_secret_access_key: "s3cret" };

  test("is merged, so that left-out keys stay and secrets are kept unseen", async () => {
    const {
      emulator,
      ask,
      one,
      made: { id },
    } = await made();
    await ask("PATCH", one, { destination: { type: "S3", config: SECRETS } });
    const { json } = await ask("PATCH", one, { destination: { type: "S3", config: { prefix: "new/" } } });
    expect(json.destination).toEqual({ type: "S3", config: { ...S3.config, prefix: "new/" } });
    expect(JSON.stringify(json)).not.toContain("s3cret");
    expect(emulator.store.batchExports.get(id)?.destination.config).toMatchObject(SECRETS);
    const { json: put } = await ask("PUT", one, { ...HOURLY, destination: { type: "S3", config: {} } });
    expect(put.destination.config.prefix).toBe("new/");
  });

  const COMPLETE: [string, object, object][] = [
    ["S3", { ...S3.config, ...SECRETS }, S3.config],
    [
      "Snowflake",
      { user: "u", password: "p", account: "a", database: "d", warehouse: "w", schema: "s" },
      { account: "a", database: "d", warehouse: "w", schema: "s" },
    ],
    ["Postgres", { user: "u", password: "p", host: "h", database: "d" }, { host: "h", database: "d" }],
    ["Redshift", { user: "u", password: "p", host: "h", database: "d" }, { host: "h", database: "d" }],
    [
      "BigQuery",
      {
        project_id: "p",
        dataset_id: "d",
        private_key: "k",
        private_key_id: "i",
        token_uri: "t",
        client_email: "c",
      },
      { project_id: "p", dataset_id: "d" },
    ],
    [
      "HTTP",
      { url: "https://us.i.posthog.com/batch/", token: "phc_x" },
      { url: "https://us.i.posthog.com/batch/" },
    ],
    ["NoOp", {}, {}],
  ];
  test.each(COMPLETE)("of %s shows no secret", async (type, config, shown) => {
    const { ask, project } = await bench();
    const body = { ...HOURLY, destination: { type, config } };
    const { status, json } = await ask("POST", `${project}/batch_exports/`, body);
    expect(status).toBe(201);
    expect(json.destination).toEqual({ type, config: shown });
  });

  test("upstream shows the token of HTTP, by a slip", async () => {
    const { ask, project } = await bench({ shapes: "upstream" });
    const config = { url: "https://us.i.posthog.com/batch/", token: "phc_x" };
    const { json } = await ask("POST", `${project}/batch_exports/`, {
      ...HOURLY,
      destination: { type: "HTTP", config },
    });
    expect(json.destination.config).toEqual(config);
  });

  test.each([
    ["documented", 400],
    ["upstream", 500],
  ] as const)("that lacks a key is refused and stores nothing (%s)", async (shapes, status) => {
    const { ask, project } = await bench({ shapes });
    const destination = { type: "S3", config: { bucket_name: "b" } };
    expect((await ask("POST", `${project}/batch_exports/`, { ...HOURLY, destination })).status).toBe(status);
    expect((await ask("GET", `${project}/batch_exports/`)).json.count).toBe(0);
  });

  test("of null is refused upstream", async () => {
    const { ask, project } = await bench({ shapes: "upstream" });
    const { json } = await ask("POST", `${project}/batch_exports/`, {
      ...HOURLY,
      destination: { type: "NoOp", config: null },
    });
    expect(json).toEqual(validationError("null", "This field may not be null.", "destination__config"));
  });
});

test("an interval of minutes needs a feature", async () => {
  const { ask, project } = await bench({ features: [] });
  const answer = await ask("POST", `${project}/batch_exports/`, { ...HOURLY, interval: "every 5 minutes" });
  expect(answer.json).toEqual(denied("Higher frequency exports are not enabled for this team."));
});

describe("pause", () => {
  test("sets and keeps the time; unpause lifts it; both may be repeated", async () => {
    let clock = Date.parse(NOW);
    const { ask, one } = await made({ now: () => new Date(clock) });
    const paused = await ask("POST", `${one}pause/`, {});
    expect(paused.status).toBe(200);
    expect(paused.json).toMatchObject({ name: "raw", paused: true, last_paused_at: NOW });
    clock += 60_000;
    expect((await ask("POST", `${one}pause/`)).json).toMatchObject({ paused: true, last_paused_at: NOW });
    expect((await ask("POST", `${one}unpause/`)).json).toMatchObject({ paused: false, last_paused_at: NOW });
    expect((await ask("POST", `${one}unpause/`)).status).toBe(200);
    // By a PATCH it is paused too, but nobody notes the time.
    expect((await ask("PATCH", one, { paused: true })).json).toMatchObject({
      paused: true,
      last_paused_at: NOW,
    });
  });

  test("answers a word upstream", async () => {
    const { ask, one } = await made({ shapes: "upstream" });
    expect((await ask("POST", `${one}pause/`)).json).toEqual({ paused: true });
    expect((await ask("POST", `${one}unpause/`)).json).toEqual({ paused: false });
  });

  test("may be made up for", async () => {
    let clock = Date.parse(NOW);
    const { ask, one } = await made({ now: () => new Date(clock) });
    await ask("POST", `${one}pause/`);
    clock += 3 * 3_600_000;
    await ask("POST", `${one}unpause/`, { backfill: true });
    expect((await ask("GET", one)).json.latest_runs).toHaveLength(3);
  });

  test("needs the scope of writing", async () => {
    const { emulator, one } = await made();
    const ask = asker(emulator, emulator.createKey({ scopes: ["batch_export:write"] }));
    expect((await ask("POST", `${one}pause/`)).status).toBe(200);
    const reader = asker(emulator, emulator.createKey({ scopes: ["batch_export:read"] }));
    expect((await reader("POST", `${one}pause/`)).status).toBe(403);
  });
});

describe("backfill", () => {
  const DAY = { start_at: "2024-04-30T00:00:00Z", end_at: "2024-05-01T00:00:00Z" };

  test("leaves a run for every interval, the newest ten with the export", async () => {
    const {
      ask,
      one,
      made: { id },
    } = await made();
    const answer = await ask("POST", `${one}backfill/`, DAY);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ id, name: "raw" });
    const { json } = await ask("GET", one);
    expect(json.latest_runs).toHaveLength(10);
    expect(json.latest_runs[0]).toEqual({
      id: expect.any(String),
      batch_export: id,
      status: "Completed",
      records_completed: 0,
      latest_error: null,
      data_interval_start: "2024-04-30T23:00:00Z",
      data_interval_end: "2024-05-01T00:00:00Z",
      cursor: null,
      created_at: NOW,
      finished_at: NOW,
      last_updated_at: NOW,
      records_total_count: 0,
    });
  });

  test("stays small over a long range", async () => {
    const { emulator, ask, one } = await made();
    const range = { start_at: "2000-01-01T00:00:00Z", end_at: "2024-05-01T00:00:00Z" };
    for (let index = 0; index < 12; index++)
      expect((await ask("POST", `${one}backfill/`, range)).status).toBe(200);
    expect(emulator.store.exportRuns.size).toBe(1000);
    expect(emulator.store.logEntries.size).toBe(1000);
  });

  test("answers its id upstream, in Python's notation", async () => {
    const {
      ask,
      one,
      made: { id },
    } = await made({ shapes: "upstream" }, "project");
    const { json } = await ask("POST", `${one}backfill/`, {
      ...DAY,
      start_at: "2024-04-30T02:00:00.5+02:00",
    });
    expect(json).toEqual({
      backfill_id: `${id}-Backfill-2024-04-30T00:00:00.500000+00:00-2024-05-01T00:00:00+00:00`,
    });
  });

  test.each<[object, string]>([
    [{}, "Both 'start_at' and 'end_at' must be specified"],
    [{ ...DAY, end_at: null }, "Both 'start_at' and 'end_at' must be specified"],
    [{ ...DAY, start_at: "yesterday" }, "Input yesterday is not a valid ISO formatted datetime."],
    [{ ...DAY, start_at: 5 }, "Input 5 is not a valid ISO formatted datetime."],
    [{ ...DAY, start_at: "2024-04-30T00:00:00" }, "Input 2024-04-30T00:00:00 is naive."],
    [{ ...DAY, start_at: DAY.end_at }, "The initial backfill datetime 'start_at' happens after 'end_at'"],
    [
      { ...DAY, end_at: "2024-05-01T13:00:01Z" },
      "The provided 'end_at' (2024-05-01T13:00:01+00:00) is too far into the future. Cannot backfill beyond 1 batch period into the future.",
    ],
  ])("%j is refused", async (body, detail) => {
    const { ask, one } = await made();
    const answer = await ask("POST", `${one}backfill/`, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(validationError("invalid_input", detail));
  });

  test("may reach one interval into the future", async () => {
    const { ask, one } = await made();
    expect((await ask("POST", `${one}backfill/`, { ...DAY, end_at: "2024-05-01T13:00:00Z" })).status).toBe(
      200,
    );
  });
});

describe("logs", () => {
  async function logged(shapes: "documented" | "upstream"): Promise<Bench & { one: string; made: Loose }> {
    const at = await made({ shapes }, "project");
    await at.ask("POST", `${at.one}backfill/`, {
      start_at: "2024-04-30T00:00:00Z",
      end_at: "2024-05-01T00:00:00Z",
    });
    return at;
  }

  test("are by the document shaped like the export", async () => {
    const {
      ask,
      one,
      made: { id },
    } = await logged("documented");
    expect((await ask("GET", `${one}logs/`)).json).toMatchObject({ id, name: "raw" });
  });

  test("are upstream a page of entries, newest first, that can be narrowed", async () => {
    const {
      ask,
      one,
      made: { id },
    } = await logged("upstream");
    const { json } = await ask("GET", `${one}logs/`);
    expect(json.count).toBe(24);
    expect(json.results[0]).toEqual({
      log_source_id: id,
      instance_id: expect.any(String),
      timestamp: NOW,
      level: "INFO",
      message: "Batch export for range 2024-04-30T23:00:00Z finished with 0 records",
    });
    const count = async (query: string): Promise<number> =>
      (await ask("GET", `${one}logs/?${query}`)).json.count;
    expect(await count("limit=3")).toBe(3);
    expect(await count("search=RANGE%202024-04-30T05")).toBe(1);
    expect(await count("level=error,warn")).toBe(0);
    expect(await count("level=info")).toBe(24);
    expect(await count(`instance_id=${json.results[0].instance_id}`)).toBe(1);
    expect(await count(`after=${NOW}`)).toBe(0);
    expect((await ask("GET", `${one}logs/?limit=501`)).json).toMatchObject({
      code: "max_value",
      attr: "limit",
    });
    expect((await ask("GET", `${one}logs/?limit=x`)).json).toMatchObject({
      code: "invalid_input",
      attr: "limit",
    });
  });
});
