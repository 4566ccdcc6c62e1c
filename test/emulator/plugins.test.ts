import { asker, bench, closeAll, denied, validationError } from "./support";

afterEach(closeAll);

const DESTINATIONS = "pipeline_destinations";
const FRONTEND = "pipeline_frontend_apps";
const IMPORTS = "pipeline_import_apps";
const KINDS = [DESTINATIONS, FRONTEND, IMPORTS];

async function shownUnder(at: Awaited<ReturnType<typeof bench>>, id: number): Promise<string[]> {
  const found: string[] = [];
  for (const kind of KINDS) {
    if ((await at.ask("GET", `${at.organization}/${kind}/${id}/`)).status === 200) found.push(kind);
  }
  return found;
}

describe("kinds", () => {
  test.each(KINDS)("an ordinary plugin posted to %s shows there and nowhere else", async (kind) => {
    const at = await bench();
    const { status, json } = await at.ask("POST", `${at.organization}/${kind}/`, { name: "p" });
    expect(status).toBe(201);
    expect(await shownUnder(at, json.id)).toEqual([kind]);
    expect((await at.ask("GET", `${at.organization}/${kind}/`)).json.results).toEqual([json]);
    expect((await at.ask("PATCH", `${at.organization}/${kind}/${json.id}/`, { name: "q" })).json).toEqual({
      ...json,
      name: "q",
    });
    expect((await at.ask("DELETE", `${at.organization}/${kind}/${json.id}/`)).status).toBe(204);
    expect((await at.ask("DELETE", `${at.organization}/${kind}/${json.id}/`)).status).toBe(404);
  });

  test.each<[object, string[]]>([
    [{ methods: ["onEvent"] }, [DESTINATIONS]],
    [{ methods: ["composeWebhook", "processEvent"] }, [DESTINATIONS]],
    [{ methods: ["processEvent"] }, []],
    [{ methods: ["setupPlugin"] }, [IMPORTS]],
    [{ scheduled_tasks: ["runEveryHour"] }, [IMPORTS]],
    [{ methods: ["onEvent"], scheduled_tasks: ["runEveryHour"] }, [DESTINATIONS, IMPORTS]],
    [{ jobs: [] }, [FRONTEND]],
  ])("capabilities %j make it show under %j", async (capabilities, kinds) => {
    const at = await bench();
    const { json } = await at.ask("POST", `${at.organization}/${DESTINATIONS}/`, { name: "p", capabilities });
    expect(json.capabilities).toEqual(capabilities);
    expect(await shownUnder(at, json.id)).toEqual(kinds);
  });

  test("capabilities may come later, until when a plugin is a frontend app", async () => {
    let clock = Date.parse("2024-05-01T12:00:00Z");
    const at = await bench({ inferCapabilities: 5000, now: () => new Date(clock) });
    const { json } = await at.ask("POST", `${at.organization}/${DESTINATIONS}/`, { name: "p" });
    expect(json.capabilities).toEqual({});
    clock += 4999;
    expect(await shownUnder(at, json.id)).toEqual([FRONTEND]);
    clock += 1;
    expect(await shownUnder(at, json.id)).toEqual([DESTINATIONS]);
  });

  test("capabilities may come from outside alone", async () => {
    const at = await bench({ inferCapabilities: "never" });
    const { json } = await at.ask("POST", `${at.organization}/${DESTINATIONS}/`, { name: "p" });
    expect(await shownUnder(at, json.id)).toEqual([FRONTEND]);
    at.emulator.setPluginCapabilities(json.id, { methods: ["onEvent"] });
    expect(await shownUnder(at, json.id)).toEqual([DESTINATIONS]);
  });

  test.each<[string, string[]]>([
    ["export async function onEvent(event) {}", [DESTINATIONS]],
    ["export const composeWebhook = () => null", [DESTINATIONS]],
    ["module.exports.runEveryMinute = () => {}", [IMPORTS]],
    ["function onEvent() {}\nexport { onEvent }", [DESTINATIONS]],
    ["export function processEvent(event) { return event }", []],
  ])("capabilities follow the source %j", async (code, kinds) => {
    const at = await bench();
    const { json } = await at.ask("POST", `${at.organization}/${FRONTEND}/`, {
      name: "p",
      plugin_type: "source",
    });
    await at.ask("PATCH", `${at.organization}/${FRONTEND}/${json.id}/update_source/`, { "index.ts": code });
    expect(await shownUnder(at, json.id)).toEqual(kinds);
  });
});

describe("installing from a url", () => {
  const URL = "https://github.com/acme/hog";

  test("takes everything from the repository's plugin.json", async () => {
    const { emulator, ask, organization } = await bench();
    emulator.publishPlugin(URL, {
      name: "Hog",
      description: "A hog",
      icon: "hog.png",
      tag: "v1.2.0",
      config: [{ key: "apiKey" }],
      capabilities: { methods: ["onEvent"] },
      source: { "index.ts": "export function onEvent() {}" },
    });
    const sent = { name: "Mine", description: "Mine", config_schema: [], plugin_type: "local", url: URL };
    const { status, json } = await ask("POST", `${organization}/${DESTINATIONS}/`, sent);
    expect(status).toBe(201);
    expect(json).toMatchObject({
      plugin_type: "custom",
      name: "Hog",
      description: "A hog",
      icon: "hog.png",
      url: URL,
      config_schema: [{ key: "apiKey" }],
      tag: "v1.2.0",
      latest_tag: "v1.2.0",
    });
    expect(
      (await ask("PATCH", `${organization}/${DESTINATIONS}/${json.id}/`, { url: "https://github.com/a/b" }))
        .json.url,
    ).toBe(URL);
  });

  test.each([
    "https://github.com/acme/hog",
    "https://gitlab.com/acme/deep/hog",
    "https://www.npmjs.com/package/@acme/hog",
  ])("works from %s, of which nothing was published", async (url) => {
    const { ask, organization } = await bench();
    const { json } = await ask("POST", `${organization}/${DESTINATIONS}/`, { url });
    expect(json).toMatchObject({
      name: "hog",
      plugin_type: "custom",
      url,
      tag: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });

  test("takes the revision from the url", async () => {
    const { ask, organization } = await bench();
    const { json } = await ask("POST", `${organization}/${DESTINATIONS}/`, {
      url: `${URL}/releases/tag/v0.9`,
    });
    expect(json.tag).toBe("v0.9");
  });

  test("happens once, whatever the token, in all organizations", async () => {
    const { ask, organization } = await bench();
    await ask("POST", `${organization}/${DESTINATIONS}/`, { url: `${URL}?private_token=a` });
    const { json: second } = await ask("POST", "/api/organizations/", { name: "Second" });
    const again = await ask("POST", `/api/organizations/${second.id}/${FRONTEND}/`, {
      url: `${URL}?private_token=b`,
    });
    expect(again.status).toBe(400);
    expect(again.json).toEqual(
      validationError("invalid_input", `Plugin from URL "${URL}" already installed!`),
    );
  });

  test("is how upstream makes every plugin that is not of type source", async () => {
    const { ask, organization } = await bench({ shapes: "upstream" });
    expect((await ask("POST", `${organization}/${DESTINATIONS}/`, { name: "p" })).status).toBe(500);
    expect(
      (await ask("POST", `${organization}/${DESTINATIONS}/`, { name: "p", plugin_type: "source" })).status,
    ).toBe(201);
  });
});

describe("access", () => {
  test.each([
    [0, 403, 403],
    [3, 200, 403],
    [6, 200, 201],
    [9, 200, 201],
  ] as const)("at level %i reading is %i and writing %i", async (level, read, write) => {
    const { emulator, ask, organization } = await bench();
    emulator.setPluginsAccessLevel(emulator.environment.POSTHOG_ORGANIZATION_ID, level);
    const answers = [
      await ask("GET", `${organization}/${DESTINATIONS}/`),
      await ask("POST", `${organization}/${DESTINATIONS}/`, { name: "p" }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([read, write]);
    for (const answer of answers.filter(({ status }) => status === 403)) {
      expect(answer.json).toEqual(denied("Your organization's plugin access level is insufficient."));
    }
  });

  test("global plugins need the highest level, are seen by all, and cannot be deleted", async () => {
    const { emulator, ask, organization } = await bench();
    const id = emulator.environment.POSTHOG_ORGANIZATION_ID;
    const { json } = await ask("POST", `${organization}/${DESTINATIONS}/`, { name: "p", is_global: true });
    const { json: second } = await ask("POST", "/api/organizations/", { name: "Second" });
    const foreign = `/api/organizations/${second.id}/${DESTINATIONS}/${json.id}/`;
    expect((await ask("GET", foreign)).status).toBe(200);
    expect((await ask("PATCH", foreign, { name: "q" })).json).toEqual(
      denied("This plugin installation is managed by another organization"),
    );
    const deletion = await ask("DELETE", `${organization}/${DESTINATIONS}/${json.id}/`);
    expect(deletion.json).toEqual(
      validationError(
        "invalid_input",
        "This plugin is marked as global! Make it local before uninstallation",
      ),
    );
    emulator.setPluginsAccessLevel(id, 6);
    const local = await ask("PATCH", `${organization}/${DESTINATIONS}/${json.id}/`, { is_global: false });
    expect(local.json).toEqual(denied("This organization can't manage global plugins!"));
  });
});

describe("actions", () => {
  async function installed(shapes: "documented" | "upstream") {
    const at = await bench({ shapes });
    const list = `${at.organization}/${DESTINATIONS}/`;
    const url = "https://github.com/acme/hog";
    at.emulator.publishPlugin(url, { name: "Hog", tag: "v1", capabilities: { methods: ["onEvent"] } });
    const { json } = await at.ask("POST", list, { url });
    at.emulator.publishPlugin(url, { name: "Hog 2", tag: "v2", capabilities: { methods: ["onEvent"] } });
    return { ...at, list, one: `${list}${json.id}/`, plugin: json };
  }

  test("upstream answer in shapes of their own", async () => {
    const { ask, list, one, plugin } = await installed("upstream");
    expect((await ask("GET", `${one}check_for_updates/`)).json).toEqual({
      plugin: { ...plugin, latest_tag: "v2" },
    });
    const source = { "plugin.json": JSON.stringify({ name: "Hog", description: "", config: [] }) };
    expect((await ask("GET", `${one}source/`)).json).toEqual(source);
    const code = { "index.ts": "export function onEvent() {}", "extra.ts": "1" };
    expect((await ask("PATCH", `${one}update_source/`, code)).json).toEqual({ ...source, ...code });
    const { json: left } = await ask("PATCH", `${one}update_source/`, { "extra.ts": null });
    expect(left).toEqual({ ...source, "index.ts": code["index.ts"] });
    expect((await ask("GET", `${one}source/`)).json).toEqual(left);
    const { json: upgraded } = await ask("POST", `${one}upgrade/`, { tag: "ignored" });
    expect(upgraded).toMatchObject({ id: plugin.id, name: "Hog 2", tag: "v2", latest_tag: "v2" });
    expect((await ask("GET", `${list}unused/`)).json).toEqual([plugin.id]);
    expect((await ask("GET", `${list}exports_unsubscribe_configs/`)).json).toEqual([]);
    expect((await ask("GET", `${list}repository/`)).json).toMatchObject([
      { name: "Hog 2", url: "https://github.com/acme/hog" },
    ]);
  });

  test("by the document all answer in the plugin's shape", async () => {
    const { ask, list, one, plugin } = await installed("documented");
    const requests: [string, string, unknown?][] = [
      ["GET", `${one}check_for_updates/`],
      ["GET", `${one}source/`],
      ["PATCH", `${one}update_source/`, { "index.ts": "export function onEvent() {}" }],
      ["POST", `${one}upgrade/`, {}],
      ["GET", `${list}activity/`],
      ["GET", `${list}exports_unsubscribe_configs/`],
      ["GET", `${list}repository/`],
      ["GET", `${list}unused/`],
    ];
    const fields = Object.keys(plugin).filter((name) => name !== "hog_function_migration_available");
    for (const [method, path, body] of requests) {
      const { status, json } = await ask(method, path, body);
      expect([path, status, Object.keys(json)]).toEqual([path, 200, expect.arrayContaining(fields)]);
    }
  });

  test("upgrade takes the wanted revision by the document", async () => {
    const { ask, one } = await installed("documented");
    expect((await ask("POST", `${one}upgrade/`, { tag: "v1.5" })).json.tag).toBe("v1.5");
    expect((await ask("GET", one)).json.tag).toBe("v1.5");
  });

  test("plugin.json in the source renames the plugin", async () => {
    const { ask, organization } = await bench();
    const { json } = await ask("POST", `${organization}/${FRONTEND}/`, {
      name: "old",
      plugin_type: "source",
    });
    const text = JSON.stringify({ name: "new", config: [{ key: "a" }] });
    await ask("PATCH", `${organization}/${FRONTEND}/${json.id}/update_source/`, { "plugin.json": text });
    expect((await ask("GET", `${organization}/${FRONTEND}/${json.id}/`)).json).toMatchObject({
      name: "new",
      config_schema: [{ key: "a" }],
    });
  });

  test("a plugin.json that is no JSON is kept, and the answer is a failure", async () => {
    const { ask, organization } = await bench({ shapes: "upstream" });
    const { json } = await ask("POST", `${organization}/${FRONTEND}/`, { name: "a", plugin_type: "source" });
    const one = `${organization}/${FRONTEND}/${json.id}/`;
    const source = { "plugin.json": "{" };
    expect((await ask("PATCH", `${one}update_source/`, source)).status).toBe(500);
    expect((await ask("GET", `${one}source/`)).json).toEqual(source);
    expect((await ask("GET", one)).json.name).toBe("a");
  });

  test("activity tells who installed and uninstalled what, in pages", async () => {
    const { ask, list, one, plugin } = await installed("upstream");
    await ask("DELETE", one);
    const { json } = await ask("GET", `${list}activity/?limit=1`);
    expect(json).toMatchObject({ total_count: 2, previous: null, next: expect.stringContaining("page=2") });
    expect(json.results).toMatchObject([
      {
        user: { first_name: "Grace", email: "grace@example.com" },
        activity: "uninstalled",
        scope: "Plugin",
        item_id: String(plugin.id),
        detail: { name: "Hog" },
      },
    ]);
    expect((await ask("GET", json.next)).json).toMatchObject({
      next: null,
      results: [{ activity: "installed" }],
    });
  });

  test("a scoped key is told so", async () => {
    const { emulator, one } = await installed("documented");
    const ask = asker(emulator, emulator.createKey({ scopes: ["*"] }));
    expect((await ask("GET", `${one}source/`)).json.detail).toBe(
      "This action does not support Personal API Key access",
    );
  });
});
