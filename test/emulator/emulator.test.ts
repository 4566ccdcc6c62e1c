import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Command } from "commander";

import { registerEmulator } from "../../src/cli/emulator";
import { DataFileError, startEmulator } from "../../src/emulator";
import { asker, bench, closeAll, type Loose, S3 } from "./support";

afterEach(closeAll);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "emulator-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a fresh emulator", () => {
  test("has one organization, two projects and four people, with the same ids every time", async () => {
    const { emulator: first } = await bench();
    const { emulator: second } = await bench();
    const ids = ({ store }: typeof first): unknown => [
      store.organizations.all().map(({ id, slug }) => [id, slug]),
      store.projects.all().map(({ id, uuid }) => [id, uuid]),
      store.users.all().map(({ id, uuid, email }) => [id, uuid, email]),
    ];
    expect(ids(first)).toEqual(ids(second));
    expect(first.environment).toEqual({
      POSTHOG_HOST: first.url,
      POSTHOG_INGEST_HOST: first.ingestUrl,
      POSTHOG_API_KEY: expect.stringMatching(/^phx_\w{43}$/),
      POSTHOG_PROJECT_ID: "1",
      POSTHOG_ORGANIZATION_ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      POSTHOG_PROJECT_API_KEY: expect.stringMatching(/^phc_\w{43}$/),
    });
    expect(first.environment.POSTHOG_API_KEY).not.toBe(second.environment.POSTHOG_API_KEY);
    const { emulator: other } = await bench({ seed: 2 });
    expect(other.environment.POSTHOG_ORGANIZATION_ID).not.toBe(first.environment.POSTHOG_ORGANIZATION_ID);
  });

  test("has as many people and projects as asked for", async () => {
    const { ask, organization } = await bench({ members: 120, projects: 4, firstProjectId: 77 });
    expect((await ask("GET", `${organization}/members/`)).json.count).toBe(121);
    expect((await ask("GET", "/api/projects/")).json.results.map((row: Loose) => row.id)).toEqual([
      77, 78, 79, 80, 81,
    ]);
  });

  test("listens on the loopback address", async () => {
    const { emulator } = await bench();
    expect(emulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});

describe("the data file", () => {
  test("keeps everything over a restart: keys, ids, contents and what comes next", async () => {
    const data = join(folder, "deep", "data.json");
    const first = await startEmulator({ data });
    const ask = asker(first);
    await ask("POST", "/api/projects/1/dashboards/", { name: "kept", tags: ["a"] });
    await ask("POST", "/api/projects/1/dashboards/", { name: "deleted" });
    await ask("PATCH", "/api/projects/1/dashboards/2/", { deleted: true });
    const { POSTHOG_ORGANIZATION_ID: id } = first.environment;
    await ask("POST", `/api/organizations/${id}/batch_exports/`, {
      name: "e",
      interval: "hour",
      destination: S3,
    });
    const before = (await ask("GET", `/api/organizations/${id}/batch_exports/`)).json;
    const key = first.createKey({ scopes: ["dashboard:read"] });
    first.setDns("a.example.org", "x");
    await first.close();

    const second = await startEmulator({ data });
    try {
      const { POSTHOG_HOST: _a, POSTHOG_INGEST_HOST: _b, ...stable } = first.environment;
      expect(second.environment).toMatchObject(stable);
      const again = asker(second);
      expect((await again("GET", "/api/projects/1/dashboards/")).json.results).toMatchObject([
        { id: 1, name: "kept", tags: ["a"] },
      ]);
      expect((await again("PATCH", "/api/projects/1/dashboards/2/", { deleted: false })).status).toBe(200);
      expect((await again("GET", `/api/organizations/${id}/batch_exports/`)).json).toEqual(before);
      expect((await again("POST", "/api/projects/1/dashboards/", {})).json.id).toBe(3);
      expect((await asker(second, key)("GET", "/api/projects/1/dashboards/")).status).toBe(200);
      expect(second.store.dnsRecords.all()).toMatchObject([{ name: "a.example.org", value: "x" }]);
    } finally {
      await second.close();
    }
  });

  test("is replaced in one step, readable by its owner alone, and by save() at once", async () => {
    const data = join(folder, "data.json");
    const { emulator, ask, project } = await bench({ data });
    for (let index = 0; index < 20; index++) {
      await Promise.all([ask("POST", `${project}/dashboards/`, {}), emulator.save()]);
      // Whatever moment it is read at, it is whole.
      const text = await readFile(data, "utf8");
      expect(() => void JSON.parse(text)).not.toThrow();
    }
    await emulator.save();
    const saved: Loose = JSON.parse(await readFile(data, "utf8"));
    expect(saved.collections.dashboards.rows).toHaveLength(20);
    expect((await stat(data)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["data.json"]);
  });

  test("of another kind is refused, and left as it is", async () => {
    const data = join(folder, "data.json");
    for (const text of ["{broken", '{"version": 99}', "[]"]) {
      await writeFile(data, text);
      await expect(startEmulator({ data })).rejects.toThrow(DataFileError);
      await expect(startEmulator({ data })).rejects.toThrow(
        /data\.json .*; move it away to start with fresh data/,
      );
      expect(await readFile(data, "utf8")).toBe(text);
    }
  });

  test("of someone who deleted their last organization gives a new one", async () => {
    const data = join(folder, "data.json");
    const first = await startEmulator({ data });
    const { POSTHOG_ORGANIZATION_ID: id } = first.environment;
    await asker(first)("DELETE", `/api/organizations/${id}/`);
    await first.close();
    const { emulator, ask, organization } = await bench({ data });
    expect(emulator.environment.POSTHOG_ORGANIZATION_ID).not.toBe(id);
    expect((await ask("GET", `${organization}/`)).status).toBe(200);
  });
});

describe("the request log", () => {
  test("has what was asked and answered, and can be emptied", async () => {
    const { emulator, ask, project } = await bench();
    await ask("POST", `${project}/dashboards/?from=here`, { name: "a" });
    await ask("GET", `${project}/dashboards/1/`);
    expect(emulator.requests).toEqual([
      {
        at: expect.any(String),
        method: "POST",
        path: `${project}/dashboards/`,
        query: "from=here",
        template: "/api/projects/:project_id/dashboards/",
        body: { name: "a" },
        status: 201,
        keyId: 1,
      },
      expect.objectContaining({
        method: "GET",
        template: "/api/projects/:project_id/dashboards/:id/",
        body: undefined,
        status: 200,
      }),
    ]);
    emulator.clearRequests();
    expect(emulator.requests).toEqual([]);
  });
});

describe("from other processes", () => {
  test("everything that code can do", async () => {
    const { emulator, ask, organization, project } = await bench();
    const outside = asker(emulator, null);
    const id = emulator.environment.POSTHOG_ORGANIZATION_ID;

    const { json: key } = await outside("POST", "/_emulator/keys", { scopes: ["dashboard:read"] });
    expect((await asker(emulator, key.value)("GET", `${project}/dashboards/`)).status).toBe(200);

    const { json: domain } = await ask("POST", `${organization}/domains/`, { domain: "example.org" });
    await outside("POST", "/_emulator/dns", {
      name: "_posthog-challenge.example.org",
      value: domain.verification_challenge,
    });
    expect((await outside("GET", "/_emulator/dns")).json.records).toHaveLength(1);
    expect((await ask("POST", `${organization}/domains/${domain.id}/verify/`)).json.is_verified).toBe(true);
    await outside("DELETE", "/_emulator/dns", { name: "_posthog-challenge.example.org" });
    expect((await outside("GET", "/_emulator/dns")).json.records).toEqual([]);

    await ask("POST", `${organization}/invites/`, { target_email: "a@b.org" });
    expect((await outside("POST", "/_emulator/accept-invite", { email: "a@b.org" })).json.user.email).toBe(
      "a@b.org",
    );
    const { json: invite } = await ask("POST", `${organization}/invites/`, { target_email: "c@d.org" });
    await outside("POST", "/_emulator/expire-invite", { id: invite.id });
    expect((await ask("GET", `${organization}/invites/`)).json.results[0].is_expired).toBe(true);
    expect((await outside("POST", "/_emulator/members", { email: "e@f.org", level: 8 })).json.level).toBe(8);

    await outside("POST", "/_emulator/faults", { spec: "GET /dashboards/ 500 x1" });
    expect((await outside("GET", "/_emulator/faults")).json.faults).toHaveLength(1);
    expect((await ask("GET", `${project}/dashboards/`)).status).toBe(500);
    await outside("DELETE", "/_emulator/faults", {});

    await outside("POST", "/_emulator/features", { organizationId: id, features: [] });
    expect((await ask("GET", `${organization}/`)).json.available_product_features).toEqual([]);
    await outside("POST", "/_emulator/plugins-access-level", { organizationId: id, level: 0 });
    expect((await ask("GET", `${organization}/pipeline_destinations/`)).status).toBe(403);
    await outside("POST", "/_emulator/plugins-access-level", { organizationId: id, level: 9 });
    await outside("POST", "/_emulator/plugin-releases", {
      url: "https://github.com/acme/hog",
      name: "Hog",
      tag: "v1",
    });
    const { json: plugin } = await ask("POST", `${organization}/pipeline_import_apps/`, {
      url: "https://github.com/acme/hog",
    });
    expect(plugin).toMatchObject({ name: "Hog", tag: "v1" });
    await outside("POST", "/_emulator/plugin-capabilities", {
      id: plugin.id,
      capabilities: { methods: ["onEvent"] },
    });
    expect((await ask("GET", `${organization}/pipeline_destinations/`)).json.count).toBe(1);
    const { json: media } = await outside("POST", "/_emulator/media", {});
    expect((await ask("PATCH", `${organization}/`, { logo_media_id: media.id })).status).toBe(200);

    const { json: log } = await outside("GET", "/_emulator/requests");
    expect(log.requests.length).toBe(emulator.requests.length);
    expect(
      (await outside("GET", `/_emulator/requests?after=${log.requests.length - 1}`)).json.requests,
    ).toHaveLength(1);
    await outside("DELETE", "/_emulator/requests", {});
    expect(emulator.requests).toEqual([]);
    expect((await outside("GET", "/_emulator/unknown-routes")).json).toEqual({ unknownRoutes: [] });
  });

  test.each<[string, string, unknown, number, string]>([
    ["POST", "accept-invite", { email: "nobody@b.org" }, 400, "there is no pending invite for nobody@b.org"],
    ["POST", "faults", { spec: "GET / boom" }, 400, "METHOD PATH ACTION"],
    ["POST", "members", { mail: "x" }, 400, "email"],
    ["POST", "nonsense", {}, 404, "the emulator has no POST /_emulator/nonsense"],
    ["POST", "keys", "{broken", 400, "not valid JSON"],
  ])("%s %s with %j is refused", async (method, path, body, status, message) => {
    const { emulator } = await bench();
    const answer = await asker(emulator, null)(method, `/_emulator/${path}`, body);
    expect(answer.status).toBe(status);
    expect(answer.json.error).toContain(message);
  });

  test("but not from a web page of another site, whose requests carry no JSON", async () => {
    const { emulator } = await bench();
    const answer = await asker(emulator, null)("POST", "/_emulator/keys", "{}", {
      "Content-Type": "text/plain",
    });
    expect(answer.status).toBe(415);
  });
});

describe("the page", () => {
  test("is one file that loads nothing from elsewhere", async () => {
    const { emulator } = await bench();
    const { text, headers } = await asker(emulator, null)("GET", "/");
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(text).toContain("PostHog emulator");
    // The one address is the name of a notation, which nobody asks; links stay within the page.
    const rest = text.replace("http://www.w3.org/2000/svg", "");
    expect(rest).not.toMatch(/src=|href="(?!#|data:)|https?:\/\//);
  });

  test("shows what exists, and no key or secret", async () => {
    const { emulator, ask, organization, project } = await bench();
    await ask("POST", `${project}/dashboards/`, { name: "Growth", tags: ["kpi"] });
    const config = { ...S3.config, aws_secret_access_key: "s3cret" };
    await ask("POST", `${organization}/batch_exports/`, {
      name: "raw",
      interval: "hour",
      destination: { type: "S3", config },
    });
    await ask("POST", `${organization}/domains/`, { domain: "example.org" });
    await ask("POST", `${organization}/invites/`, { target_email: "a@b.org" });
    await ask("POST", `${organization}/pipeline_destinations/`, { name: "hog" });
    const { text, json } = await asker(emulator, null)("GET", "/_emulator/view");
    expect(json).toMatchObject({
      organizations: [{ projects: [{ name: "Default project" }, {}] }],
      kinds: {
        dashboards: { total: 1, items: [{ name: "Growth", columns: { tags: ["kpi"] } }] },
        exports: { items: [{ name: "raw", columns: { destination: "S3", paused: false } }] },
        domains: { items: [{ name: "example.org", columns: { verified: false } }] },
        people: { total: 4 },
        invites: { items: [{ name: "a@b.org", columns: { expired: false } }] },
        plugins: { items: [{ name: "hog" }] },
      },
      events: [],
      feed: [
        { what: "created pipeline destination “hog”", who: "grace@example.com", status: 201 },
        { what: "created invite “a@b.org”" },
        { what: "created domain “example.org”" },
        { what: "created export “raw”" },
        { what: "created dashboard “Growth”" },
      ],
    });
    expect(text).not.toContain("s3cret");
    expect(text).not.toContain("phx_");
    expect(text).not.toContain("phc_");
  });
});

describe("under load", () => {
  test("64 requests at a time leave nothing out and make nothing twice", async () => {
    const { emulator, ask, project } = await bench({ data: join(folder, "data.json") });
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < 1000) {
        const name = `d${next++}`;
        expect((await ask("POST", `${project}/dashboards/`, { name })).status).toBe(201);
      }
    };
    await Promise.all(Array.from({ length: 64 }, worker));
    const rows = emulator.store.dashboards.all();
    expect(rows).toHaveLength(1000);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1000);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(1000);
  });
});

describe("the command", () => {
  async function run(args: string[], ...steps: ((printed: string) => Promise<void>)[]): Promise<string> {
    let printed = "";
    const stdout = jest.spyOn(process.stdout, "write").mockImplementation((text) => {
      printed += String(text);
      return true;
    });
    try {
      const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
      registerEmulator(program);
      const ended = program.parseAsync(["emulator", ...args], { from: "user" });
      for (const step of steps) {
        while (printed.split("\n").length < 8)
          await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 10))]);
        await step(printed);
      }
      if (steps.length > 0) process.emit("SIGTERM");
      await ended;
      return printed;
    } finally {
      stdout.mockRestore();
    }
  }

  test("prints its address and what to set, and saves at SIGTERM", async () => {
    const data = join(folder, "data.json");
    const first = await run(["--data", data, "--members", "1", "--upstream"], async (printed) => {
      const [, key = ""] = /^export POSTHOG_API_KEY=(.*)$/m.exec(printed) ?? [];
      const [, host = ""] = /^export POSTHOG_HOST=(.*)$/m.exec(printed) ?? [];
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
      await fetch(`${host}/api/projects/1/dashboards/`, { method: "POST", headers, body: '{"name":"kept"}' });
      const organization: Loose = await (
        await fetch(`${host}/api/organizations/@current/`, { headers })
      ).json();
      expect(organization.member_count).toBe(2);
    });
    const lines = first.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/);
    expect(lines.slice(1).map((line) => line.replace(/=.*/, ""))).toEqual([
      "export POSTHOG_HOST",
      "export POSTHOG_INGEST_HOST",
      "export POSTHOG_API_KEY",
      "export POSTHOG_PROJECT_ID",
      "export POSTHOG_ORGANIZATION_ID",
      "export POSTHOG_PROJECT_API_KEY",
    ]);
    const second = await run(["--data", data], () => Promise.resolve());
    const keyOf = (printed: string): string | undefined =>
      /^export POSTHOG_API_KEY=(.*)$/m.exec(printed)?.[1];
    expect(keyOf(second)).toBe(keyOf(first));
    const saved: Loose = JSON.parse(await readFile(data, "utf8"));
    expect(saved.collections.dashboards.rows).toMatchObject([{ name: "kept" }]);
  });

  test.each([
    [["--port", "many"], "a whole number from 0 to 65535 is meant"],
    [["--port", "70000"], "a whole number from 0 to 65535 is meant"],
    [["--rate-limit", "fast"], '"fast" is no rate limit: write 480/min'],
    [["--faults", "GET / boom"], "METHOD PATH ACTION"],
  ])("%j is refused", async (args, message) => {
    await expect(run(args)).rejects.toThrow(message);
  });

  test("says so where the port is taken", async () => {
    const { emulator } = await bench();
    const port = new URL(emulator.url).port;
    await expect(run(["--port", port])).rejects.toThrow(`port ${port} is taken; choose another`);
  });
});
