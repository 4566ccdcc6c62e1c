import { randomUUID } from "node:crypto";
import { HIDDEN } from "../../src/engine/state/state";
import { getDashboards } from "../../src/functions/dashboards";
import { provider } from "../../src/runtime";
import type { TestServer } from "../client/server";
import { closeAll, common, ORGANIZATION, page, type Props, serve } from "./answering";
import { applied, checked } from "./provider";

/* Answers that the interface document allows and the emulator does not give, each to the provider by itself. */

const PERSON = "0190c7aa-0000-0000-0000-00000000000b";

let said: jest.SpyInstance;
beforeEach(() => void (said = jest.spyOn(console, "log").mockReturnValue()));
afterEach(async () => {
  jest.restoreAllMocks();
  await closeAll();
});

const sent = ({ seen }: TestServer) =>
  seen
    .filter(({ method }) => method !== "GET")
    .map(({ method, path, body }) => [method, path.split("/").slice(4).join("/"), body]);

async function failing(run: Promise<unknown>): Promise<Props> {
  return await run.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error as Props,
  );
}

test("what a new object does not show is sent again where it could not be sent at first", async () => {
  let allowed = false;
  const plugin = { id: 7, plugin_type: "source", name: "P" };
  const server = await serve(({ method, path }) => {
    if (path.endsWith("/update_source/")) return allowed ? { json: {} } : { status: 403, json: {} };
    if (path.endsWith("/source/")) return { json: {} };
    return method === "POST" ? { status: 201, json: plugin } : { json: plugin };
  });
  const given = { pluginType: "source", name: "P", source: { "index.ts": "export {}" } };
  const { inputs } = await checked("FrontendApp", "half", given);
  const error = await failing(provider("FrontendApp").create({ ...inputs, ...common("half") }));
  const stored = error["properties"] as Props;
  expect(await provider("FrontendApp").diff?.("7", stored, { ...inputs, ...common("half") })).toMatchObject({
    changes: true,
    replaces: [],
  });
  allowed = true;
  server.seen.length = 0;
  const done = await provider("FrontendApp").update?.("7", stored, { ...inputs, ...common("half") });
  expect(sent(server)).toContainEqual([
    "PATCH",
    "pipeline_frontend_apps/7/update_source/",
    JSON.stringify(given.source),
  ]);
  const again = { ...(done?.outs as Props), [HIDDEN.provider]: "text" };
  expect(await provider("FrontendApp").diff?.("7", again, { ...inputs, ...common("half") })).toMatchObject({
    changes: false,
  });
});

test("a dashboard is restored where the answer to that is empty", async () => {
  let deleted = true;
  const server = await serve(({ method }) => {
    if (method === "PATCH") {
      deleted = false;
      return { status: 204 };
    }
    return { json: { id: 5, name: "Board", deleted } };
  });
  const { inputs } = await checked("Dashboard", "board", { name: "Board" });
  const olds = { ...inputs, ...common("board"), deleted: true, [HIDDEN.declared]: ["name", "projectId"] };
  const { outs } = (await provider("Dashboard").update?.("5", olds, { ...inputs, ...common("board") })) ?? {};
  expect(sent(server)).toEqual([["PATCH", "dashboards/5/", '{"deleted":false}']]);
  expect(outs).toMatchObject({ name: "Board" });
  expect(outs).not.toHaveProperty("deleted");
});

describe("a domain that is verified when it comes into the state", () => {
  const live: Props = { id: randomUUID(), domain: "v.example", is_verified: true, sso_enforcement: "" };
  const verified = () =>
    serve(({ method }, body) =>
      method === "PATCH"
        ? { json: { ...live, ...body } }
        : { status: method === "POST" ? 201 : 200, json: live },
    );
  const args = { domain: "v.example", ssoEnforcement: "saml" };

  test("gets its login arguments where it is made", async () => {
    const server = await verified();
    const { again } = await applied("Domain", "made", args);
    expect(sent(server).map(([method, , body]) => [method, body])).toEqual([
      ["POST", '{"domain":"v.example"}'],
      ["PATCH", '{"sso_enforcement":"saml"}'],
    ]);
    expect(again.changes).toBe(false);
  });

  test("and where it is adopted, which the preview says", async () => {
    const server = await verified();
    const { inputs } = await checked("Domain", "adopted", { ...args, adoptId: live["id"] });
    expect(said).toHaveBeenCalledWith(expect.stringContaining('ssoEnforcement: "" → "saml"'));
    await provider("Domain").create({ ...inputs, ...common("adopted") });
    expect(sent(server).map(([method, , body]) => [method, body])).toEqual([
      ["PATCH", '{"sso_enforcement":"saml"}'],
    ]);
  });
});

test("a collaborator whom the service names by user_uuid alone", async () => {
  const live = { id: randomUUID(), dashboard_id: 3, level: 37, user_uuid: PERSON };
  const server = await serve(({ method }) => (method === "POST" ? { status: 201, json: live } : page(live)));
  const { id, again, drift } = await applied("DashboardCollaborator", "c", {
    dashboardId: 3,
    userUuid: PERSON,
  });
  expect([id, again.changes, drift]).toEqual([`3/${PERSON}`, false, undefined]);
  expect(sent(server)).toHaveLength(1);
});

test.each([["null"], ["[]"], ['"ok"'], ["true"]])(
  "a host that answers everything with %s empties no state",
  async (text) => {
    await serve(() => ({ text }));
    for (const kind of ["Dashboard", "Domain", "BatchExport"]) {
      const stored = { projectId: "1", organizationId: ORGANIZATION, ...common("kept") };
      const error = await failing(provider(kind).read?.(randomUUID(), stored) ?? Promise.resolve());
      expect(error["message"]).toContain("something other than the object");
    }
  },
);

test("what is missing is not gone where the list beside it is none", async () => {
  await serve(({ path }) => (path.includes("limit=") ? { json: "ok" } : { status: 404, json: {} }));
  const stored = { projectId: "1", ...common("kept") };
  const error = await failing(provider("BatchExport").read?.(randomUUID(), stored) ?? Promise.resolve());
  expect(error["message"]).toContain("not taken for deleted");
});

test("an invite whose address the service writes in lower case is nobody else's", async () => {
  const live = { id: randomUUID(), target_email: "ada@example.com", level: 1, is_expired: false };
  await serve(({ method }) => (method === "POST" ? { status: 201, json: live } : page(live)));
  const ada = await applied("Invite", "ada", { targetEmail: "Ada@example.com" });
  expect([ada.again.changes, ada.afterRead.changes, ada.drift, ada.said]).toEqual([
    ...[false, false],
    undefined,
    [],
  ]);
});

describe("a service that shows of invites no more than whose they are", () => {
  const terse = () => {
    const invites: Props[] = [];
    return serve(({ method, path }, body) => {
      if (method === "GET") return path.includes("/invites/") ? page(...invites) : page();
      const made = [body].flat().map(({ target_email }) => ({ id: randomUUID(), target_email }));
      invites.push(...made);
      return { status: 201, json: path.endsWith("/bulk/") ? made : made[0] };
    });
  };

  test("a batch that grows sends the new one alone", async () => {
    const server = await terse();
    const entry = (name: string): Props => ({ targetEmail: `${name}@example.com`, message: "Hi", level: 8 });
    const { id, outs } = await applied("InviteBatch", "team", { invites: [entry("ada")] });
    server.seen.length = 0;
    const { inputs } = await checked("InviteBatch", "team", { invites: [entry("ada"), entry("bob")] });
    await provider("InviteBatch").update?.(id, outs, { ...inputs, ...common("team") });
    expect(sent(server).map(([method, path]) => [method, path])).toEqual([["POST", "invites/bulk/"]]);
    expect(JSON.parse(sent(server)[0]?.[2] ?? "")).toHaveLength(1);
  });

  test("nothing of a team member differs", async () => {
    const server = await terse();
    const args = { email: "ada@example.com", message: "Hi", level: 8, firstName: "Ada" };
    const ada = await applied("TeamMember", "ada", args);
    expect([ada.afterRead.changes, ada.drift, ada.said]).toEqual([false, undefined, []]);
    expect(sent(server)).toHaveLength(1);
  });
});

test("a batch without any invite is read like any other", async () => {
  await serve(() => page());
  const { afterRead } = await applied("InviteBatch", "nobody", { invites: [] });
  expect(afterRead.changes).toBe(false);
});

test("an organization's UUID in another case is no other organization", async () => {
  await serve(() => page());
  const given = { domain: "case.example", organizationId: ORGANIZATION.toUpperCase() };
  expect((await checked("Domain", "case", given)).inputs).toMatchObject({ organizationId: ORGANIZATION });
  // As an earlier version stored it.
  const olds = { ...given, ...common("case") };
  const news = { ...given, ...common("case"), organizationId: ORGANIZATION };
  const { inputs } = (await provider("Domain").check?.(olds, news)) ?? {};
  expect(inputs).toMatchObject({ organizationId: given.organizationId });
});

test("dashboards that were put away and are listed all the same are none of getDashboards", async () => {
  const server = await serve(() => page({ id: 1, name: "There" }, { id: 2, name: "Away", deleted: true }));
  Object.assign(process.env, { POSTHOG_HOST: server.url, POSTHOG_API_KEY: "phx_odd" });
  try {
    expect((await getDashboards({ projectId: "1" })).map(({ id }) => id)).toEqual([1]);
  } finally {
    delete process.env["POSTHOG_HOST"];
    delete process.env["POSTHOG_API_KEY"];
  }
});
