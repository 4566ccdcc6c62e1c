import { asker, bench, closeAll, denied, errorBody, type Loose } from "./support";

/** What the service's framework answers around every route: methods, media types, encodings. */

afterEach(closeAll);

describe("Allow", () => {
  test.each([
    ["GET", "/dashboards/", "GET, POST, HEAD, OPTIONS"],
    ["PUT", "/dashboards/", "GET, POST, HEAD, OPTIONS"],
    ["DELETE", "/dashboards/1/", "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"],
    ["POST", "/dashboards/1/sharing/", "GET, PATCH, HEAD, OPTIONS"],
    ["GET", "/dashboards/4711/", "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"],
  ])("of %s %s", async (method, path, allow) => {
    const { ask, project } = await bench();
    expect((await ask(method, `${project}${path}`)).headers.get("allow")).toBe(allow);
  });

  test("names what an action takes", async () => {
    const { ask, organization } = await bench();
    const { status, headers } = await ask("GET", `${organization}/invites/bulk/`);
    expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });
});

describe("HEAD", () => {
  test.each([
    ["/dashboards/", 200],
    ["/dashboards/4711/", 404],
  ])("of %s is a GET without its body", async (path, status) => {
    const { ask, project } = await bench();
    const get = await ask("GET", `${project}${path}`);
    const head = await ask("HEAD", `${project}${path}`);
    expect([head.status, head.text]).toEqual([status, ""]);
    expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(get.text)));
  });
});

describe("OPTIONS", () => {
  test("describes a path to a key that may read it", async () => {
    const { emulator, project } = await bench();
    const ask = asker(emulator, emulator.createKey({ scopes: ["dashboard:read"] }));
    const { status, json } = await ask("OPTIONS", `${project}/dashboards/`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ name: "Dashboards List", renders: ["application/json"] });
  });

  test("is refused to any other key", async () => {
    const { emulator, project } = await bench();
    const scoped = asker(emulator, emulator.createKey({ scopes: ["plugin:read"] }));
    const answer = await scoped("OPTIONS", `${project}/dashboards/`);
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual(denied("API key missing required scope 'dashboard:read'"));
    expect((await asker(emulator, null)("OPTIONS", `${project}/dashboards/`)).status).toBe(401);
  });
});

describe("a method that a path lacks", () => {
  test("is told after who may see the path at all", async () => {
    const { emulator, ask, as } = await bench();
    const other = await ask("POST", "/api/organizations/", { name: "Other" });
    expect((await as("alan@example.com")("PUT", `/api/organizations/${other.json.id}/domains/`)).status).toBe(
      403,
    );
    expect((await asker(emulator)("PUT", "/api/projects/4711/dashboards/")).status).toBe(404);
  });
});

describe("Accept", () => {
  test.each([
    "application/json",
    "*/*",
    "application/*",
    "text/html, */*;q=0.1",
    "Application/JSON; indent=2",
  ])("%s is answered", async (accept) => {
    const { ask, project } = await bench();
    expect((await ask("GET", `${project}/dashboards/`, undefined, { Accept: accept })).status).toBe(200);
  });

  test.each(["text/html", "application/xml", "text/*"])("%s is a 406", async (accept) => {
    const { ask, project } = await bench();
    const answer = await ask("GET", `${project}/dashboards/`, undefined, { Accept: accept });
    expect(answer.status).toBe(406);
    expect(answer.json).toEqual(
      errorBody("invalid_request", "not_acceptable", "Could not satisfy the request Accept header."),
    );
  });

  test.each([
    ["json", 200],
    ["xml", 404],
  ])("?format=%s is %d", async (format, status) => {
    const { ask, project } = await bench();
    expect((await ask("GET", `${project}/dashboards/?format=${format}`)).status).toBe(status);
  });
});

describe("bodies", () => {
  async function sent(body: Uint8Array | string, type: string) {
    const { emulator, project } = await bench();
    const response = await fetch(`${emulator.url}${project}/dashboards/`, {
      method: "POST",
      headers: { Authorization: `Bearer ${emulator.environment.POSTHOG_API_KEY}`, "Content-Type": type },
      body,
    });
    const json: Loose = await response.json();
    return { status: response.status, json };
  }

  test("that are not UTF-8 are refused", async () => {
    const { status, json } = await sent(Buffer.from('{"name":"é"}', "latin1"), "application/json");
    expect(status).toBe(400);
    expect(json).toEqual(
      errorBody("invalid_request", "parse_error", expect.stringContaining("JSON parse error")),
    );
  });

  test("may name their character set", async () => {
    const { status, json } = await sent('{"name":"é 😀"}', "application/json; charset=utf-8");
    expect([status, json.name]).toEqual([201, "é 😀"]);
  });

  test.each([
    "text/plain;charset=UTF-8",
    "application/merge-patch+json",
    "application/x-www-form-urlencoded",
  ])("of type %s are refused by that name", async (type) => {
    const { status, json } = await sent('{"name":"a"}', type);
    expect(status).toBe(415);
    expect(json.detail).toBe(`Unsupported media type "${type}" in request.`);
  });
});
