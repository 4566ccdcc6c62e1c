import {
  ADA,
  ALAN,
  bench,
  closeAll,
  denied,
  GRACE,
  KATHERINE,
  type Loose,
  S3,
  validationError,
} from "./support";

afterEach(closeAll);

describe("organizations", () => {
  test("are made with a project, owned and opened by their maker", async () => {
    const { ask } = await bench();
    const { status, json } = await ask("POST", "/api/organizations/", { name: "Second" });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      name: "Second",
      slug: "second",
      membership_level: 15,
      plugins_access_level: 9,
    });
    expect(json.teams).toMatchObject([
      { name: "Default project", organization: json.id, api_token: expect.stringMatching(/^phc_/) },
    ]);
    const { json: self } = await ask("GET", "/api/users/@me/");
    expect(self).toMatchObject({
      email: GRACE,
      organization: { id: json.id },
      team: { id: json.teams[0].id },
    });
    expect(self.organizations).toHaveLength(2);
  });

  test("have slugs of their own that stay", async () => {
    const { ask } = await bench();
    const { json: first } = await ask("POST", "/api/organizations/", { name: "Same name" });
    const { json: second } = await ask("POST", "/api/organizations/", { name: "Same name" });
    expect(first.slug).toBe("same-name");
    expect(second.slug).toMatch(/^same-name-\w{4}$/);
    const { json: renamed } = await ask("PATCH", `/api/organizations/${first.id}/`, {
      name: "Another",
      slug: "mine",
    });
    expect(renamed).toMatchObject({ name: "Another", slug: "same-name" });
    const { json: long } = await ask("POST", "/api/organizations/", { name: "x".repeat(64) });
    expect(long.slug).toHaveLength(48);
  });

  test("are listed for their members only, and found by id, @current and slug", async () => {
    const { ask, as } = await bench();
    const { json } = await ask("POST", "/api/organizations/", { name: "Second" });
    expect((await ask("GET", "/api/organizations/")).json.results.map((row: Loose) => row.slug)).toEqual([
      "acme",
      "second",
    ]);
    expect((await as(ADA)("GET", "/api/organizations/")).json.results.map((row: Loose) => row.slug)).toEqual([
      "acme",
    ]);
    for (const name of [json.id, "@current", "second"]) {
      expect((await ask("GET", `/api/organizations/${name}/`)).json.id).toBe(json.id);
    }
  });

  test("take a logo that was uploaded", async () => {
    const { emulator, ask, organization } = await bench();
    const id = emulator.addMedia();
    expect((await ask("PATCH", `${organization}/`, { logo_media_id: id })).json.logo_media_id).toBe(id);
    expect((await ask("PATCH", `${organization}/`, { logo_media_id: null })).json.logo_media_id).toBeNull();
  });

  test("are deleted with everything in them", async () => {
    const { emulator, ask } = await bench();
    const { json } = await ask("POST", "/api/organizations/", { name: "Second" });
    const path = `/api/organizations/${json.id}`;
    await ask("POST", `/api/projects/${json.teams[0].id}/dashboards/`, { use_template: "DEFAULT_APP" });
    await ask("POST", `${path}/domains/`, { domain: "a.org" });
    await ask("POST", `${path}/invites/`, { target_email: "a@b.org" });
    await ask("POST", `${path}/batch_exports/`, { name: "e", destination: S3, interval: "hour" });
    await ask("POST", `${path}/pipeline_destinations/`, { name: "p" });
    expect((await ask("DELETE", `${path}/`)).status).toBe(204);
    const { store } = emulator;
    for (const rows of [
      store.dashboards,
      store.tiles,
      store.insights,
      store.domains,
      store.invites,
      store.batchExports,
      store.plugins,
    ]) {
      expect(rows.size).toBe(0);
    }
    expect((await ask("GET", `${path}/`)).status).toBe(404);
    expect((await ask("GET", "/api/organizations/@current/")).json.slug).toBe("acme");
  });

  test("beyond the first are a paid feature", async () => {
    const { ask } = await bench({ features: [] });
    const answer = await ask("POST", "/api/organizations/", { name: "Second" });
    expect(answer.json).toEqual(
      denied("You must upgrade your PostHog plan to be able to create and manage multiple organizations."),
    );
  });

  test.each([
    ["documented", "4", "none"],
    ["upstream", 4, { instance_tag: "none" }],
  ] as const)("count members and carry metadata (%s)", async (shapes, count, metadata) => {
    const { ask, organization } = await bench({ shapes });
    expect((await ask("GET", `${organization}/`)).json).toMatchObject({ member_count: count, metadata });
  });

  test("tell of their projects", async () => {
    const { ask, organization } = await bench();
    const { json } = await ask("GET", "/api/projects/");
    expect(json.results.map((row: Loose) => [row.id, row.name])).toEqual([
      [1, "Default project"],
      [2, "Staging"],
    ]);
    expect((await ask("GET", "/api/projects/2/")).json).toMatchObject({ id: 2, name: "Staging" });
    expect((await ask("GET", `${organization}/projects/`)).json.count).toBe(2);
  });
});

describe("domains", () => {
  const CHALLENGE = "_posthog-challenge.example.org";

  test("are verified by a TXT record, once", async () => {
    const { emulator, ask, organization } = await bench();
    const { json } = await ask("POST", `${organization}/domains/`, { domain: "example.org" });
    const verify = (): ReturnType<typeof ask> => ask("POST", `${organization}/domains/${json.id}/verify/`);
    expect((await verify()).json).toEqual(json);
    emulator.setDns(CHALLENGE, "something else");
    expect((await verify()).json.is_verified).toBe(false);
    emulator.setDns("_PostHog-Challenge.example.org.", json.verification_challenge);
    const verified = await verify();
    expect(verified.status).toBe(200);
    expect(verified.json).toMatchObject({ is_verified: true, verified_at: expect.any(String) });
    const again = await verify();
    expect(again.status).toBe(400);
    expect(again.json).toEqual(validationError("already_verified", "This domain has already been verified."));
  });

  test.each([
    { jit_provisioning_enabled: true },
    { jit_provisioning_enabled: false },
    { sso_enforcement: "" },
  ])("refuse %j until then, changed or not", async (body) => {
    const { emulator, ask, organization } = await bench();
    const { json } = await ask("POST", `${organization}/domains/`, { domain: "example.org" });
    const one = `${organization}/domains/${json.id}/`;
    const answer = await ask("PATCH", one, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(
      validationError(
        "verification_required",
        "This attribute cannot be updated until the domain is verified.",
        Object.keys(body)[0],
      ),
    );
    expect((await ask("PATCH", one, { saml_entity_id: "e" })).status).toBe(200);
    emulator.setDns(CHALLENGE, json.verification_challenge);
    await ask("POST", `${one}verify/`);
    expect((await ask("PATCH", one, body)).json).toMatchObject(body);
  });

  test("need a feature to be made, and for jit provisioning", async () => {
    const { emulator, ask, organization } = await bench();
    const { json } = await ask("POST", `${organization}/domains/`, { domain: "example.org" });
    emulator.setDns(CHALLENGE, json.verification_challenge);
    await ask("POST", `${organization}/domains/${json.id}/verify/`);
    emulator.setFeatures(emulator.environment.POSTHOG_ORGANIZATION_ID, []);
    const made = await ask("POST", `${organization}/domains/`, { domain: "example.com" });
    expect(made.status).toBe(403);
    expect(made.json).toEqual(denied("Automatic provisioning is not enabled for this organization."));
    expect((await ask("POST", `${organization}/domains/`, { domain: "Example.com" })).status).toBe(400);
    const answer = await ask("PATCH", `${organization}/domains/${json.id}/`, {
      jit_provisioning_enabled: true,
    });
    expect(answer.json).toMatchObject({ code: "feature_not_available", attr: "jit_provisioning_enabled" });
  });

  test("belong to one organization of all", async () => {
    const { ask, organization } = await bench();
    const { json: first } = await ask("POST", `${organization}/domains/`, { domain: "example.org" });
    const { json: second } = await ask("POST", "/api/organizations/", { name: "Second" });
    const taken = await ask("POST", `/api/organizations/${second.id}/domains/`, { domain: "example.org" });
    expect(taken.status).toBe(400);
    expect(taken.json).toEqual(
      validationError("unique", "domain with this domain already exists.", "domain"),
    );
    expect(
      (await ask("PATCH", `${organization}/domains/${first.id}/`, { domain: "example.org" })).status,
    ).toBe(200);
    expect((await ask("DELETE", `${organization}/domains/${first.id}/`)).status).toBe(204);
    expect((await ask("DELETE", `${organization}/domains/${first.id}/`)).status).toBe(404);
    expect(
      (await ask("POST", `/api/organizations/${second.id}/domains/`, { domain: "example.org" })).status,
    ).toBe(201);
  });
});

describe("invites", () => {
  test("expire after three days and stay in the list", async () => {
    let clock = Date.parse("2024-05-01T12:00:00Z");
    const { emulator, ask, organization } = await bench({ now: () => new Date(clock) });
    const { json } = await ask("POST", `${organization}/invites/`, { target_email: "a@b.org" });
    const expired = async (): Promise<boolean> =>
      (await ask("GET", `${organization}/invites/`)).json.results[0].is_expired;
    clock += 3 * 24 * 3600 * 1000;
    expect(await expired()).toBe(false);
    clock += 1;
    expect(await expired()).toBe(true);
    clock -= 1000;
    expect(await expired()).toBe(false);
    emulator.expireInvite(json.id);
    expect(await expired()).toBe(true);
    expect(() => emulator.acceptInvite("a@b.org")).toThrow("no pending invite");
  });

  test("when accepted make a member, and vanish with all others to the same address", async () => {
    const { emulator, ask, organization } = await bench();
    const { json: second } = await ask("POST", "/api/organizations/", { name: "Second" });
    await ask("POST", `${organization}/invites/`, { target_email: "a@b.org", level: 8, first_name: "Al" });
    await ask("POST", `${organization}/invites/`, { target_email: "A@b.org" });
    await ask("POST", `/api/organizations/${second.id}/invites/`, { target_email: "a@b.org" });
    const member = emulator.acceptInvite("a@B.org");
    expect(member).toMatchObject({ level: 8, user: { email: "a@b.org", first_name: "Al" } });
    expect(emulator.store.invites.size).toBe(0);
    const { json } = await ask("GET", `${organization}/members/`);
    expect(json.results[0]).toEqual(member);
  });

  test("are deleted once", async () => {
    const { ask, organization } = await bench();
    const { json } = await ask("POST", `${organization}/invites/`, { target_email: "a@b.org" });
    expect((await ask("DELETE", `${organization}/invites/${json.id}/`)).status).toBe(204);
    expect((await ask("DELETE", `${organization}/invites/${json.id}/`)).status).toBe(404);
  });

  const TWO = [{ target_email: "a@b.org" }, { target_email: "c@d.org", level: 8 }];

  test("in bulk by the service: an array, and 201", async () => {
    const { ask, organization } = await bench({ shapes: "upstream" });
    const answer = await ask("POST", `${organization}/invites/bulk/`, TWO);
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject(TWO);
    const single = await ask("POST", `${organization}/invites/bulk/`, TWO[0]);
    expect(single.json).toEqual(
      validationError("invalid_input", "This endpoint needs an array of data for bulk invite creation."),
    );
  });

  test("in bulk by the document: 200, in the form of the request", async () => {
    const { ask, organization } = await bench();
    const single = await ask("POST", `${organization}/invites/bulk/`, TWO[0]);
    expect([single.status, single.json]).toEqual([200, expect.objectContaining(TWO[0])]);
    const array = await ask("POST", `${organization}/invites/bulk/`, TWO);
    expect(array.status).toBe(200);
    expect(array.json).toMatchObject(TWO);
  });

  test("in bulk are validated before the first is made; who belongs already is found in between", async () => {
    const { ask, organization } = await bench();
    const broken = await ask("POST", `${organization}/invites/bulk/`, [TWO[0], { target_email: "x" }]);
    expect(broken.json).toMatchObject({ code: "invalid_input", attr: "target_email" });
    expect((await ask("GET", `${organization}/invites/`)).json.count).toBe(0);
    const member = await ask("POST", `${organization}/invites/bulk/`, [
      TWO[0],
      { target_email: ADA },
      TWO[1],
    ]);
    expect(member.status).toBe(400);
    expect((await ask("GET", `${organization}/invites/`)).json.count).toBe(1);
  });
});

describe("members", () => {
  async function people() {
    const at = await bench();
    const uuid = (email: string): string =>
      at.emulator.store.users.find((row) => row.email === email)?.uuid ?? "";
    return { ...at, member: (email: string) => `${at.organization}/members/${uuid(email)}/` };
  }

  test("the seeded ones", async () => {
    const { ask, organization } = await bench();
    const { json } = await ask("GET", `${organization}/members/`);
    expect(json.results.map((row: Loose) => [row.user.email, row.level])).toEqual([
      [KATHERINE, 1],
      [ALAN, 1],
      [ADA, 8],
      [GRACE, 15],
    ]);
  });

  test.each([
    [
      "an admin cannot make an owner",
      ADA,
      ALAN,
      15,
      "You can only make another member owner if you're this organization's owner.",
    ],
    [
      "an admin cannot change an owner",
      ADA,
      GRACE,
      1,
      "You can only edit others with level lower or equal to you.",
    ],
    ["a member cannot change anyone", ALAN, KATHERINE, 1, "You can only edit others if you are an admin."],
    ["nobody can change their own level", GRACE, GRACE, 8, "You can't change your own access level."],
  ])("%s", async (_, who, whom, level, detail) => {
    const { as, member } = await people();
    const answer = await as(who)("PATCH", member(whom), { level });
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual(denied(detail));
  });

  test("an owner may make another owner and stays one", async () => {
    const { ask, member, organization } = await people();
    expect((await ask("PATCH", member(ALAN), { level: 15 })).json).toMatchObject({
      level: 15,
      user: { email: ALAN },
    });
    expect((await ask("GET", `${organization}/`)).json.membership_level).toBe(15);
  });

  test("who leave an organization that they have open have another one open, or none", async () => {
    const { emulator, ask, as } = await people();
    const { json: second } = await ask("POST", "/api/organizations/", { name: "Second" });
    emulator.addMember({ email: ALAN, organizationId: second.id });
    const alan = as(ALAN);
    const open = async (): Promise<unknown> => (await alan("GET", "/api/users/@me/")).json.organization?.slug;
    expect(await open()).toBe("acme");
    await alan("DELETE", "/api/organizations/@current/members/@me/");
    expect(await open()).toBe("second");
    await alan("DELETE", "/api/organizations/@current/members/@me/");
    expect(await open()).toBeUndefined();
    expect((await alan("GET", "/api/organizations/@current/")).json.detail).toBe(
      "Current organization not found.",
    );
  });

  test("leave and are removed, owners excepted", async () => {
    const { as, ask, member, organization } = await people();
    expect((await as(ALAN)("DELETE", member(KATHERINE))).json).toEqual(
      denied("You can only edit others if you are an admin."),
    );
    expect((await as(ALAN)("DELETE", `${organization}/members/@me/`)).status).toBe(204);
    expect((await ask("DELETE", member(KATHERINE))).status).toBe(204);
    expect((await ask("DELETE", member(KATHERINE))).status).toBe(404);
    const owner = await ask("DELETE", `${organization}/members/@me/`);
    expect(owner.status).toBe(400);
    expect(owner.json).toEqual(
      validationError("invalid_input", "Cannot leave the organization as its owner!"),
    );
  });
});
