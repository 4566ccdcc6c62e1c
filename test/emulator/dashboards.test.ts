import {
  ADA,
  ALAN,
  bench,
  closeAll,
  denied,
  errorBody,
  KATHERINE,
  type Loose,
  validationError,
} from "./support";

afterEach(closeAll);

const NOT_FOUND = errorBody("invalid_request", "not_found", "Not found.");
const CANNOT_EDIT = denied("You don't have edit permissions for this dashboard.");

describe("soft deletion", () => {
  test("keeps the record but hides it from everything except one exact body", async () => {
    const { ask, project } = await bench();
    const one = `${project}/dashboards/1/`;
    await ask("POST", `${project}/dashboards/`, { name: "Growth" });
    const gone = await ask("PATCH", one, { deleted: true });
    expect(gone.status).toBe(200);
    expect(gone.json).toMatchObject({ id: 1, name: "Growth", deleted: true });

    expect((await ask("GET", `${project}/dashboards/`)).json.count).toBe(0);
    for (const [method, body] of [
      ["GET", undefined],
      ["PATCH", { deleted: true }],
      ["PATCH", { name: "Other" }],
      ["PATCH", { deleted: false, name: "Other" }],
      ["PUT", { deleted: false }],
    ] as const) {
      const answer = await ask(method, one, body);
      expect([method, body, answer.status]).toEqual([method, body, 404]);
      expect(answer.json).toEqual(NOT_FOUND);
    }
    for (const list of ["collaborators", "sharing"]) {
      expect((await ask("GET", `${one}${list}/`)).json.detail).toBe("Dashboard not found.");
    }

    const back = await ask("PATCH", one, { deleted: false });
    expect(back.status).toBe(200);
    expect(back.json).toMatchObject({ id: 1, name: "Growth", deleted: false });
    expect((await ask("GET", one)).status).toBe(200);
  });

  test("takes tiles along and brings them back", async () => {
    const { emulator, ask, project } = await bench();
    const { json } = await ask("POST", `${project}/dashboards/`, { use_template: "DEFAULT_APP" });
    const one = `${project}/dashboards/${json.id}/`;
    expect(json.tiles).toHaveLength(6);
    await ask("PATCH", one, { deleted: true, delete_insights: true });
    expect(emulator.store.tiles.all().every((tile) => tile.deleted)).toBe(true);
    expect(emulator.store.insights.all().every((insight) => insight.deleted)).toBe(true);
    expect((await ask("PATCH", one, { deleted: false })).json.tiles).toHaveLength(6);
    await ask("PATCH", one, { deleted: true });
    expect(emulator.store.insights.all().some((insight) => insight.deleted)).toBe(false);
  });

  test("leaves insights alone that another dashboard shows", async () => {
    const { emulator, ask, project } = await bench();
    const { json: first } = await ask("POST", `${project}/dashboards/`, { use_template: "DEFAULT_APP" });
    await ask("POST", `${project}/dashboards/`, { use_dashboard: first.id });
    await ask("PATCH", `${project}/dashboards/${first.id}/`, { deleted: true, delete_insights: true });
    expect(emulator.store.insights.all().some((insight) => insight.deleted)).toBe(false);
  });
});

describe("updates", () => {
  test("change what they name and nothing else", async () => {
    const { ask, project } = await bench();
    const sent = { name: "a", description: "d", pinned: true, tags: ["x"], filters: { date_from: "-7d" } };
    const { json: before } = await ask("POST", `${project}/dashboards/`, sent);
    const { json: after } = await ask("PATCH", `${project}/dashboards/1/`, { description: "" });
    expect(after).toEqual({ ...before, description: "" });
  });

  test.each([{}, null, [], "", 0, false])("cannot clear filters with %j", async (filters) => {
    const { ask, project } = await bench();
    await ask("POST", `${project}/dashboards/`, { filters: { date_from: "-7d" } });
    const { json } = await ask("PATCH", `${project}/dashboards/1/`, { filters });
    expect(json.filters).toEqual({ date_from: "-7d" });
  });

  test("clear tags with an empty list", async () => {
    const { ask, project } = await bench();
    await ask("POST", `${project}/dashboards/`, { tags: ["a"] });
    expect((await ask("PATCH", `${project}/dashboards/1/`, { tags: [] })).json.tags).toEqual([]);
  });

  test("add, change and remove tiles", async () => {
    const { ask, project } = await bench();
    const one = `${project}/dashboards/1/`;
    await ask("POST", `${project}/dashboards/`, { tiles: [{ text: { body: "ignored on create" } }] });
    expect((await ask("GET", one)).json.tiles).toEqual([]);
    const { json } = await ask("PATCH", one, {
      tiles: [{ text: { body: "Hello" }, color: "blue", layouts: { sm: {} } }],
    });
    expect(json.tiles).toMatchObject([
      { color: "blue", layouts: { sm: {} }, insight: null, text: { body: "Hello" } },
    ]);
    const [tile] = json.tiles;
    const changed = await ask("PATCH", one, {
      tiles: [{ id: tile.id, text: { id: tile.text.id, body: "Bye" } }],
    });
    expect(changed.json.tiles).toMatchObject([{ id: tile.id, color: "blue", text: { body: "Bye" } }]);
    const removed = await ask("PATCH", one, { tiles: [{ id: tile.id, deleted: true }] });
    expect(removed.json.tiles).toEqual([]);
    for (const wrong of [{ color: "red" }, { id: 99, layouts: {} }, { text: "Hello" }]) {
      expect([wrong, (await ask("PATCH", one, { tiles: [wrong] })).status]).toEqual([wrong, 500]);
    }
    expect((await ask("GET", one)).json.tiles).toEqual([]);
  });
});

describe("templates", () => {
  test("fill in the name only where there is none, and always the description", async () => {
    const { ask, project } = await bench();
    const named = await ask("POST", `${project}/dashboards/`, {
      name: "Mine",
      description: "d",
      use_template: "DEFAULT_APP",
    });
    expect(named.json).toMatchObject({ name: "Mine", description: "", creation_mode: "template" });
    const nameless = await ask("POST", `${project}/dashboards/`, { use_template: "Product analytics" });
    expect(nameless.json.name).toBe("Product analytics");
  });

  test.each([{ use_template: "nope" }, { use_dashboard: 4711 }])(
    "%j is refused and leaves an orphan",
    async (body) => {
      const { ask, project } = await bench();
      expect((await ask("POST", `${project}/dashboards/`, { name: "orphan", ...body })).status).toBe(400);
      expect((await ask("GET", `${project}/dashboards/`)).json.results).toMatchObject([{ name: "orphan" }]);
    },
  );

  test("use_dashboard copies tiles, sharing their cards unless told otherwise", async () => {
    const { ask, project } = await bench();
    const { json: first } = await ask("POST", `${project}/dashboards/`, { use_template: "DEFAULT_APP" });
    const insights = (dashboard: Loose): number[] => dashboard.tiles.map((tile: Loose) => tile.insight.id);
    const { json: shared } = await ask("POST", `${project}/dashboards/`, { use_dashboard: first.id });
    expect(shared.creation_mode).toBe("duplicate");
    expect(insights(shared)).toEqual(insights(first));
    const { json: deep } = await ask("POST", `${project}/dashboards/`, {
      use_dashboard: first.id,
      duplicate_tiles: true,
    });
    expect(deep.tiles[0].insight.name).toBe("Daily active users (DAUs) (Copy)");
    expect(insights(deep).some((id) => insights(first).includes(id))).toBe(false);
  });

  const TEMPLATE = {
    template_name: "Weekly",
    dashboard_description: "By template",
    dashboard_filters: { date_from: "-7d" },
    tiles: [
      { type: "TEXT", body: "Read me", layouts: {} },
      { type: "INSIGHT", name: "Signups", query: { kind: "TrendsQuery" }, filters: { ignored: true } },
    ],
    tags: ["weekly"],
  };

  test("create_from_template_json answers 200 with the new dashboard", async () => {
    const { ask, project } = await bench();
    const answer = await ask("POST", `${project}/dashboards/create_from_template_json/`, {
      template: TEMPLATE,
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      name: "Weekly",
      description: "By template",
      filters: { date_from: "-7d" },
      tags: ["weekly"],
      tiles: [
        { text: { body: "Read me" } },
        { insight: { name: "Signups", filters: {}, query: { kind: "TrendsQuery" } } },
      ],
    });
  });

  test.each([
    [{}, 500],
    [{ template: {} }, 400],
    [{ template: { ...TEMPLATE, tiles: [] } }, 400],
    [{ template: { ...TEMPLATE, template_name: 1 } }, 400],
    [{ template: { ...TEMPLATE, dashboard_filters: null } }, 400],
    [{ template: { ...TEMPLATE, colour: "red" } }, 500],
  ])("%j is refused", async (body, status) => {
    const { ask, project } = await bench();
    expect((await ask("POST", `${project}/dashboards/create_from_template_json/`, body)).status).toBe(status);
    expect((await ask("GET", `${project}/dashboards/`)).json.count).toBe(0);
  });
});

describe("move_tile", () => {
  test("moves a tile and answers the dashboard that it left", async () => {
    const { ask, project } = await bench();
    const { json: from } = await ask("POST", `${project}/dashboards/`, { use_template: "DEFAULT_APP" });
    const { json: to } = await ask("POST", `${project}/dashboards/`, { name: "to" });
    const [tile] = from.tiles;
    const answer = await ask("PATCH", `${project}/dashboards/${from.id}/move_tile/`, {
      tile: { id: tile.id },
      toDashboard: to.id,
    });
    expect(answer.status).toBe(200);
    expect(answer.json.id).toBe(from.id);
    expect(answer.json.tiles).toHaveLength(5);
    expect((await ask("GET", `${project}/dashboards/${to.id}/`)).json.tiles).toMatchObject([{ id: tile.id }]);
  });

  test.each([{}, { tile: { id: 1 } }, { tile: { id: 4711 }, toDashboard: 1 }])(
    "%j is a 500",
    async (body) => {
      const { ask, project } = await bench();
      await ask("POST", `${project}/dashboards/`, { use_template: "DEFAULT_APP" });
      expect((await ask("PATCH", `${project}/dashboards/1/move_tile/`, body)).status).toBe(500);
    },
  );
});

describe("tags", () => {
  test("are ignored and hidden without the feature, of the organization that the key's owner has open", async () => {
    const { emulator, ask, project } = await bench({ features: ["organizations_projects"] });
    const { json } = await ask("POST", `${project}/dashboards/`, { name: "a", tags: ["x"] });
    expect(json.tags).toEqual([]);
    emulator.setFeatures(emulator.environment.POSTHOG_ORGANIZATION_ID);
    await ask("PATCH", `${project}/dashboards/1/`, { tags: ["x"] });
    expect((await ask("GET", `${project}/dashboards/1/`)).json.tags).toEqual(["x"]);

    const { json: second } = await ask("POST", "/api/organizations/", { name: "Second" });
    emulator.setFeatures(second.id, []);
    expect((await ask("GET", `${project}/dashboards/1/`)).json.tags).toEqual([]);
  });
});

describe("restriction", () => {
  test("counts only with the feature", async () => {
    const { ask, project } = await bench({ features: [] });
    const { json } = await ask("POST", `${project}/dashboards/`, { restriction_level: 37 });
    expect(json).toMatchObject({
      restriction_level: 37,
      effective_restriction_level: 21,
      effective_privilege_level: 37,
    });
  });

  test("lets only its creator, admins and collaborators write", async () => {
    const { emulator, ask, as, project } = await bench();
    const one = `${project}/dashboards/1/`;
    await ask("POST", `${project}/dashboards/`, { restriction_level: 37 });
    const katherine = as(KATHERINE);
    expect((await katherine("GET", one)).json).toMatchObject({ effective_privilege_level: 21 });
    for (const [method, path, body] of [
      ["PATCH", one, { name: "a" }],
      ["PATCH", `${one}sharing/`, { enabled: true }],
      ["POST", `${one}collaborators/`, {}],
    ] as const) {
      const answer = await katherine(method, path, body);
      expect([path, answer.status, answer.json]).toEqual([path, 403, CANNOT_EDIT]);
    }
    expect((await as(ADA)("PATCH", one, { name: "by an admin" })).status).toBe(200);

    const user = emulator.store.users.find((row) => row.email === KATHERINE);
    await ask("POST", `${one}collaborators/`, { level: 37, user_uuid: user?.uuid });
    expect((await katherine("PATCH", one, { name: "by a collaborator" })).status).toBe(200);
    const raised = await katherine("PATCH", one, { restriction_level: 21 });
    expect(raised.status).toBe(403);
    expect(raised.json.detail).toContain("restriction rights");
  });
});

describe("collaborators", () => {
  async function restricted(options: Parameters<typeof bench>[0] = {}) {
    const at = await bench(options);
    await at.ask("POST", `${at.project}/dashboards/`, { restriction_level: 37 });
    const uuid = (email: string): string =>
      at.emulator.store.users.find((row) => row.email === email)?.uuid ?? "";
    return { ...at, uuid, list: `${at.project}/dashboards/1/collaborators/` };
  }

  test("are added, listed and removed", async () => {
    const { ask, list, uuid } = await restricted({ shapes: "upstream" });
    const { status, json } = await ask("POST", list, { level: 37, user_uuid: uuid(ALAN) });
    expect(status).toBe(201);
    expect(json).toMatchObject({ dashboard_id: 1, level: 37, user: { email: ALAN } });
    expect(json).not.toHaveProperty("user_uuid");
    expect((await ask("GET", list)).json).toEqual([json]);
    expect((await ask("DELETE", `${list}${uuid(ALAN)}/`)).status).toBe(204);
    expect((await ask("DELETE", `${list}${uuid(ALAN)}/`)).status).toBe(404);
    expect((await ask("GET", list)).json).toEqual([]);
  });

  test("are listed by the document as the one that there is", async () => {
    const { ask, list, uuid } = await restricted();
    expect((await ask("GET", list)).json).toEqual({ count: 0, next: null, previous: null, results: [] });
    const { json: alan } = await ask("POST", list, { level: 37, user_uuid: uuid(ALAN) });
    expect((await ask("GET", list)).json).toEqual(alan);
    const { json: katherine } = await ask("POST", list, { level: 37, user_uuid: uuid(KATHERINE) });
    expect((await ask("GET", list)).json).toMatchObject({ count: 2, results: [alan, katherine] });
  });

  const refusals: [string, (uuid: (email: string) => string) => object, Loose][] = [
    [
      "level 21",
      (uuid) => ({ level: 21, user_uuid: uuid(ALAN) }),
      validationError("invalid_input", "Only edit access can be explicitly specified currently."),
    ],
    [
      "level 5",
      (uuid) => ({ level: 5, user_uuid: uuid(ALAN) }),
      validationError("invalid_choice", '"5" is not a valid choice.', "level"),
    ],
    [
      "no level",
      (uuid) => ({ user_uuid: uuid(ALAN) }),
      validationError("required", "This field is required.", "level"),
    ],
    ["nobody", () => ({ level: 37 }), validationError("required", "This field is required.", "user_uuid")],
    [
      "a word for a UUID",
      () => ({ level: 37, user_uuid: "alan" }),
      validationError("invalid_input", "Must be a valid UUID.", "user_uuid"),
    ],
    [
      "an unknown user",
      () => ({ level: 37, user_uuid: "00000000-0000-4000-8000-000000000000" }),
      validationError("invalid_input", "User does not exist."),
    ],
    [
      "an admin",
      (uuid) => ({ level: 37, user_uuid: uuid(ADA) }),
      validationError(
        "invalid_input",
        "Cannot add collaborators that already have inherent access (the dashboard owner or a project admins).",
      ),
    ],
  ];
  test.each(refusals)("%s is refused", async (_, body, error) => {
    const { ask, list, uuid } = await restricted();
    const answer = await ask("POST", list, body(uuid));
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(error);
  });

  test("are refused twice, for outsiders, and on open dashboards", async () => {
    const { emulator, ask, list, uuid, project } = await restricted();
    await ask("POST", list, { level: 37, user_uuid: uuid(ALAN) });
    const twice = await ask("POST", list, { level: 37, user_uuid: uuid(ALAN) });
    expect(twice.json).toEqual(validationError("invalid_input", "User already is a collaborator."));

    const { json: second } = await ask("POST", "/api/organizations/", { name: "Second" });
    const outsider = emulator.addMember({ email: "eve@example.org", organizationId: second.id });
    const foreign = await ask("POST", list, { level: 37, user_uuid: outsider.user.uuid });
    expect(foreign.json).toEqual(
      validationError("invalid_input", "Cannot add collaborators that have no access to the project."),
    );

    await ask("PATCH", `${project}/dashboards/1/`, { restriction_level: 21 });
    const open = await ask("POST", list, { level: 37, user_uuid: uuid(KATHERINE) });
    expect(open.json).toEqual(
      validationError(
        "invalid_input",
        "Cannot add collaborators to a dashboard on the lowest restriction level.",
      ),
    );
    const removal = await ask("DELETE", `${list}${uuid(ALAN)}/`);
    expect(removal.status).toBe(400);
    expect(removal.json).toEqual(
      validationError(
        "invalid_input",
        "Cannot remove collaborators from a dashboard on the lowest restriction level.",
      ),
    );
  });
});

describe("sharing", () => {
  test("makes up a token for every look until it is enabled, and keeps it then", async () => {
    const { ask, project } = await bench();
    await ask("POST", `${project}/dashboards/`, {});
    const path = `${project}/dashboards/1/sharing/`;
    const tokens = new Set<string>();
    for (let index = 0; index < 3; index++) {
      const { json } = await ask("GET", path);
      expect(json).toMatchObject({ enabled: false, created_at: null });
      tokens.add(json.access_token);
    }
    expect(tokens.size).toBe(3);

    const { json: enabled } = await ask("PATCH", path, { enabled: true, access_token: "mine" });
    expect(enabled).toMatchObject({ enabled: true, created_at: expect.any(String) });
    expect(enabled.access_token).not.toBe("mine");
    expect((await ask("GET", path)).json).toEqual(enabled);
    expect((await ask("GET", `${project}/dashboards/1/`)).json.is_shared).toBe(true);
    expect((await ask("PATCH", path, { enabled: false })).json).toEqual({ ...enabled, enabled: false });
    expect((await ask("POST", path, {})).status).toBe(405);
  });
});
