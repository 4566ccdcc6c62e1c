import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provider } from "../../src/runtime";
import { type Answer } from "../client/server";
import { closeAll, common, ORGANIZATION, page, serve, type Props } from "../engine/answering";
import { DrivenStack } from "../soak/driven";

/* What a request asked for comes to be, or to be seen, only later: in the same run, and after a kill. */

beforeEach(() => void jest.spyOn(console, "log").mockReturnValue());
afterEach(async () => {
  jest.restoreAllMocks();
  await closeAll();
});

const EXPORT = randomUUID();
const gone: Answer = { status: 502, json: {} };

test.each([
  ["400", { status: 400, json: { code: "unique", attr: "domain", detail: "This domain already exists." } }],
  ["409", { status: 409, json: { detail: "It exists already." } }],
] as const)(
  "what the first request makes late, so that the next is refused, is taken over: %s",
  async (_, no) => {
    const id = randomUUID();
    let posts = 0;
    await serve(({ method }) => {
      if (method === "POST") return ++posts === 1 ? gone : { ...no };
      return posts > 1 ? page({ id, domain: "acme.example", is_verified: false }) : page();
    });
    const args = { ...common("main"), organizationId: ORGANIZATION, domain: "acme.example" };
    expect(await provider("Domain").create(args)).toMatchObject({ id });
    expect(posts).toBe(2);
  },
);

test("what is refused and nowhere to be found is told as it was refused", async () => {
  let posts = 0;
  await serve(({ method }) => {
    if (method !== "POST") return page();
    return ++posts === 1 ? gone : { status: 400, json: { attr: "domain", detail: "This domain is taken." } };
  });
  const args = { ...common("main"), organizationId: ORGANIZATION, domain: "acme.example" };
  await expect(provider("Domain").create(args)).rejects.toThrow("This domain is taken.");
  expect(posts).toBe(2);
});

/** Longer than a moment, and far shorter than what is waited. */
const LATE_MS = 1500;

describe.each([504, 408])("what a request does after a proxy gave up waiting (%d)", (status) => {
  test.each([
    ["Organization", { name: "Acme" }, "name"],
    [
      "InviteBatch",
      { organizationId: ORGANIZATION, invites: [{ targetEmail: "ada@acme.example" }] },
      "target_email",
    ],
  ] as const)("is not asked for again: %s", async (kind, args, name) => {
    const made: Props[] = [];
    let sent = Infinity;
    const server = await serve(({ method, path }, body) => {
      if (method === "POST") {
        sent = Date.now();
        for (const one of [body].flat())
          made.push({
            level: 1,
            ...one,
            id: randomUUID(),
            created_at: new Date(sent + LATE_MS).toISOString(),
          });
        return { status, json: {} };
      }
      const isThere = Date.now() >= sent + LATE_MS && !path.includes("/members/");
      return isThere ? page(...made) : page();
    });
    await provider(kind).create({ ...common("acme"), ...args });
    expect(made.map((one) => one[name])).toHaveLength(1);
    expect(server.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

test("a backfill whose runs begin seconds after its answer was lost is not started again", async () => {
  const [startAt, endAt] = ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"];
  const run = { id: randomUUID(), data_interval_start: startAt, data_interval_end: endAt, status: "Running" };
  let sent = Infinity;
  const server = await serve(({ method }) => {
    if (method === "POST") {
      sent = Date.now();
      return { ...gone };
    }
    const latest_runs = Date.now() >= sent + UNSEEN_MS ? [run] : [];
    return { status: 200, json: { id: EXPORT, name: "Lake", interval: "hour", latest_runs } };
  });
  const args = { organizationId: ORGANIZATION, batchExportId: EXPORT, startAt, endAt };
  await provider("BatchExportBackfill").create({ ...common("past"), ...args });
  expect(server.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
});

/** Longer than the next run takes to look, and than what is asked for once takes to be seen. */
const UNSEEN_MS = 4000;

test("invites that are listed late are not sent again after a kill, though their answer had come", async () => {
  const made: Props[] = [];
  let sent = Infinity;
  let kill = (): unknown => undefined;
  const server = await serve(({ method, path }, body) => {
    if (method === "POST") {
      sent = Date.now();
      for (const one of [body].flat())
        made.push({ level: 1, ...one, id: randomUUID(), created_at: new Date(sent).toISOString() });
      return { status: 201, json: made };
    }
    // The list is read once the answer is written down, and before the state is.
    if (made.length > 0) kill();
    return Date.now() >= sent + UNSEEN_MS && path.includes("/invites/") ? page(...made) : page();
  });
  const environment = {
    POSTHOG_HOST: server.url,
    POSTHOG_INGEST_HOST: server.url,
    POSTHOG_API_KEY: "phx_odd",
    POSTHOG_PROJECT_ID: "1",
    POSTHOG_ORGANIZATION_ID: ORGANIZATION,
    POSTHOG_PROJECT_API_KEY: "phc_odd",
  };
  const folder = mkdtempSync(join(tmpdir(), "late-"));
  const driver = new DrivenStack(folder, { environment });
  const team = {
    class: "InviteBatch",
    name: "team",
    args: { invites: [{ targetEmail: "ada@acme.example" }] },
  };
  const { code } = await driver.run("up", [team], (child) => void (kill = () => child.kill("SIGKILL")));
  kill = () => undefined;
  expect(code).toBeNull();
  expect(await driver.run("up", [team])).toMatchObject({ code: 0 });
  rmSync(folder, { recursive: true, force: true });
  expect(made).toHaveLength(1);
});
