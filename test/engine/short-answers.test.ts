import { randomUUID } from "node:crypto";
import { HIDDEN } from "../../src/engine/state/state";
import { provider } from "../../src/runtime";
import type { TestServer } from "../client/server";
import { closeAll, common, page, type Props, serve } from "./answering";
import { applied, checked } from "./provider";

/* Services that say less than the interface shows, or in other types, each to the provider by itself. */

beforeEach(() => void jest.spyOn(console, "log").mockReturnValue());
afterEach(async () => {
  jest.restoreAllMocks();
  await closeAll();
});

describe("a domain whose writes are answered with less than the domain", () => {
  const whole = { domain: "short.example", is_verified: false, verification_challenge: "prove-it" };

  async function domains(short: (id: string, body: Props) => unknown): Promise<TestServer> {
    let live: Props = {};
    return await serve(({ method }, body) => {
      if (method === "GET") return live["id"] === undefined ? page() : { json: live };
      live = { id: live["id"] ?? randomUUID(), ...whole, ...live, ...body };
      return { status: method === "POST" ? 201 : 200, json: short(String(live["id"]), body) };
    });
  }

  test("has its DNS record when it was made", async () => {
    await domains((id) => ({ id }));
    const { outs } = await applied("Domain", "short", { domain: "short.example" });
    expect(outs).toMatchObject({ dnsRecordValue: "prove-it", isVerified: false });
  });

  test.each<[string, (id: string, body: Props) => unknown]>([
    ["what changed", (id, body) => ({ id, ...body })],
    ["an empty object", () => ({})],
    ["a word of its own", () => ({ success: true })],
  ])("keeps it when an update is answered with %s", async (_, short) => {
    let answers: (id: string, body: Props) => unknown = (id, body) => ({ id, ...whole, ...body });
    await domains((id, body) => answers(id, body));
    const { id, outs } = await applied("Domain", "short", { domain: "short.example" });
    answers = short;
    const { inputs } = await checked("Domain", "short", { domain: "short.example", samlEntityId: "acme" });
    const done = await provider("Domain").update?.(id, outs, { ...inputs, ...common("short") });
    expect(done?.outs).toMatchObject({ dnsRecordValue: "prove-it", samlEntityId: "acme" });
  });
});

test("a dashboard that was renamed and deleted is restored with its name, however short the answers are", async () => {
  let live: Props = { id: 5, name: "Renamed", created_at: "2026-01-01T00:00:00Z", deleted: true };
  const server = await serve(({ method }, body) => {
    if (method === "GET") return { json: live };
    live = { ...live, ...body };
    return { json: { id: 5, ...body } };
  });
  const { inputs } = await checked("Dashboard", "board", { name: "Board" });
  const olds = { ...inputs, ...common("board"), deleted: true, [HIDDEN.declared]: ["name", "projectId"] };
  const done = await provider("Dashboard").update?.("5", olds, { ...inputs, ...common("board") });
  const writes = server.seen.filter(({ method }) => method === "PATCH").map(({ body }) => body);
  expect(writes).toEqual(['{"deleted":false}', '{"name":"Board"}']);
  expect(done?.outs).toMatchObject({ name: "Board", createdAt: "2026-01-01T00:00:00Z" });
});

test("invites whose answer was lost are sent once where the list does not show all that they say", async () => {
  const invites: Props[] = [];
  const server = await serve(({ method, path }, body) => {
    if (method === "GET") return path.includes("/invites/") ? page(...invites) : page();
    invites.push(...[body].flat().map(({ target_email }) => ({ id: randomUUID(), target_email, level: 1 })));
    return "reset-after";
  });
  await applied("InviteBatch", "team", { invites: [{ targetEmail: "ada@example.com", message: "Hi" }] });
  expect(server.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("an export whose answer was lost is recognised where the service writes its numbers as text", async () => {
  const exports: Props[] = [];
  const server = await serve(({ method, path }, body) => {
    if (method === "GET") {
      const [one] = exports.filter(({ id }) => path.includes(String(id)));
      return one ? { json: one } : page(...exports);
    }
    const { password: _, user: __, ...config } = (body["destination"] as { config: Props }).config;
    const destination = { type: "Postgres", config: { ...config, port: String(config["port"]) } };
    exports.push({ ...body, id: randomUUID(), destination, created_at: new Date().toISOString() });
    return "reset-after";
  });
  const config = { user: "u", password: "p", host: "db.example", database: "d", port: 5433 };
  const { drift } = await applied("BatchExport", "pg", {
    projectId: "1",
    name: "Lake",
    interval: "day",
    destination: { type: "Postgres", config },
  });
  expect(server.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect(drift).toBeUndefined();
});
