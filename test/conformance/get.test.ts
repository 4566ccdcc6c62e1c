import { writes } from "../support/emulator";
import type { Declared } from "../support/declared";
import { type KindCases, kinds } from "./cases";
import { ending, openScene, step, WELL } from "./scene";
import { ask, made } from "./world";

/* Looking up what something else manages. */

const SECRET = "hush-of-someone-else";
const NIL = "00000000-0000-4000-8000-000000000000";
/** An id of each kind's form that nothing has. */
const missing: Readonly<Record<string, string>> = {
  Dashboard: "99999",
  DashboardCollaborator: `1/${NIL}`,
  BatchExportBackfill: `${NIL}-Backfill-1`,
  TeamMember: "nobody@example.com",
  PipelineDestination: "99999",
  FrontendApp: "99999",
  ImportApp: "99999",
};
/** Kinds of which the service keeps nothing that could be looked up. */
const refused: Readonly<Record<string, string>> = {
  DashboardTileMove: "cannot be looked up with get",
  InviteBatch: "cannot be looked up with get",
  HistoricalImport: "an import cannot be looked up",
};

const bodies: Readonly<Record<string, unknown>> = {
  Dashboard: { name: "Found", filters: { date_from: "-7d" } },
  Organization: { name: "Found" },
  BatchExport: {
    name: "Found",
    interval: "day",
    destination: {
      type: "S3",
      config: { bucket_name: "b", region: "r", prefix: "p", aws_secret_access_key: SECRET },
    },
  },
  Domain: { domain: "found.example" },
  Invite: { target_email: "found@example.com" },
  PipelineDestination: { plugin_type: "source", name: "Found" },
  FrontendApp: { plugin_type: "source", name: "Found" },
  ImportApp: { plugin_type: "source", name: "Found" },
};
const shown: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  DashboardCollaborator: {
    level: 37,
    user: expect.objectContaining({ email: "whole@collaborators.example" }),
  },
  BatchExportBackfill: { latestRuns: [] },
  Domain: { domain: "found.example", dnsRecordName: "_posthog-challenge.found.example" },
  DomainVerification: { domain: "whole.verification.example", isVerified: true },
  Invite: { targetEmail: "found@example.com", status: "pending" },
  Member: { level: 1, user: expect.objectContaining({ email: "first@members.example" }) },
  TeamMember: { email: "first@members.example", status: "member" },
};

const scene = openScene();
const ids = new Map<string, string>();
const known = kinds.filter(({ kind }) => !(kind in refused));

beforeAll(async () => {
  for (const kind of known) ids.set(kind.kind, String(await someone(kind)));
});

/** Makes an object of the kind by someone else's hand; its id. */
async function someone(kind: KindCases): Promise<unknown> {
  const body = bodies[kind.kind];
  if (body !== undefined) return (await made(scene.emulator, scene.path(kind), body))["id"];
  const person = scene.named("whole@collaborators.example");
  const domain = scene.named("domain of whole");
  switch (kind.kind) {
    case "DashboardCollaborator":
      await made(scene.emulator, scene.path(kind), { level: 37, user_uuid: person });
      return `${scene.named("closedBoard")}/${person}`;
    case "DomainVerification":
      await ask(scene.emulator, "POST", `${scene.path(kind)}${domain}/verify/`);
      return domain;
    case "BatchExportBackfill":
      return `${scene.named("export of whole")}-Backfill-1`;
    case "TeamMember":
      return "first@members.example";
    default:
      return scene.named("first@members.example");
  }
}

const lookups = (some: readonly KindCases[], id: (kind: string) => string | undefined): Declared[] =>
  some.map(({ kind }) => ({ class: kind, name: kind, get: { id: id(kind) } }));

describe("an up of lookups", () => {
  const shared = scene.running(() => {
    const current = { class: "Organization", name: "current", get: { id: "@current" } };
    const slug = { class: "Organization", name: "slug", get: { id: "acme" } };
    scene.stack.declare([...lookups(known, (kind) => ids.get(kind)), current, slug]);
    return scene.stack.up();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it.each(known.map(({ kind }) => [kind]))("reads the %s", (kind) => {
    const found = step(shared.run, { name: kind }, "read").new;
    expect(found?.id).toBe(ids.get(kind));
    expect(found?.outputs).toMatchObject(shown[kind] ?? { name: "Found" });
  });
  it("finds an organization by @current and by its slug", () => {
    expect(step(shared.run, { name: "current" }, "read").new?.id).toBe(ids.get("Organization"));
    expect(step(shared.run, { name: "slug" }, "read").new?.id).toBe(scene.named("organization"));
  });
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
  it("brings no secret into the state", async () =>
    expect(await scene.stack.stateFile()).not.toContain(SECRET));
});

describe("refresh and destroy of lookups", () => {
  const refreshed = scene.running(() => scene.stack.refresh());
  const again = scene.running(() => scene.stack.preview({ refresh: true, expectNoChanges: true }));
  const destroyed = scene.running(() => scene.stack.destroy());
  it("succeed", () => {
    expect([refreshed.run, again.run, destroyed.run].map(ending)).toEqual([WELL, WELL, WELL]);
  });
  it("write nothing", () => expect(writes(scene.emulator)).toEqual([]));
});

describe("an up of lookups of what is not there", () => {
  const idOf = (kind: string) => missing[kind] ?? NIL;
  const shared = scene.running(() => {
    scene.stack.declare(lookups(kinds, idOf));
    return scene.stack.up({ continueOnError: true });
  });
  it("fails", () => expect(shared.run.code).not.toBe(0));
  it.each(Object.entries(refused))("says that a %s cannot be looked up", (_, said) => {
    expect(shared.run.errors).toContain(said);
  });
  it.each(known.map(({ kind }) => [kind]))("names the missing %s", (kind) => {
    expect(shared.run.errors).toContain(`${kind}.get("${kind}", "${idOf(kind)}"): there is no such object`);
  });
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
});
