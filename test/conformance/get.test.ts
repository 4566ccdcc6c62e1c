import { writes } from "../support/emulator";
import type { Declared } from "../support/declared";
import { isAdoptable, type KindCases, kinds } from "./cases";
import { HUSHED } from "./cases/batch-export";
import { ending, openScene, step, WELL } from "./scene";
import { ask, made, settled } from "./world";

/* Looking up what something else manages. */

const NIL = "00000000-0000-4000-8000-000000000000";
/** An id of the kind's form that nothing has, where it is neither a number nor a UUID. */
const missing: Readonly<Record<string, string>> = {
  DashboardCollaborator: `1/${NIL}`,
  BatchExportBackfill: `${NIL}-Backfill-1`,
  TeamMember: "nobody@example.com",
};
/** Kinds of which the service keeps nothing that could be looked up. */
const refused: Readonly<Record<string, string>> = {
  DashboardTileMove: "cannot be looked up with get",
  InviteBatch: "cannot be looked up with get",
  HistoricalImport: "an import cannot be looked up",
};

/** What a lookup shows of kinds that have their objects at the service in a way of their own. */
const shown: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  DashboardCollaborator: { level: 37, user: { email: "whole@collaborators.example" } },
  BatchExportBackfill: { latestRuns: [] },
  DomainVerification: { domain: "whole.verification.example", isVerified: true },
  TeamMember: { email: "first@members.example", status: "member" },
};

const scene = openScene();
const ids = new Map<string, string>();
const known = kinds.filter(({ kind }) => !(kind in refused));

beforeAll(async () => {
  for (const kind of known) ids.set(kind.kind, String(await someone(kind)));
});

/** An object of the kind by someone else's hand; its id. */
async function someone(kind: KindCases): Promise<unknown> {
  if (isAdoptable(kind)) return scene.someoneHas(kind, "Found");
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
      throw new Error(`nobody has made a ${kind.kind}`);
  }
}

/** What a lookup of that object shows, beyond what nobody can know. */
function expected(kind: KindCases): object {
  if (!isAdoptable(kind)) return shown[kind.kind] ?? {};
  return kind.existing.shown?.("Found") ?? Object(settled(scene.world, kind.existing.equal("Found")));
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
  it.each(known.map((kind) => [kind.kind, kind] as const))("reads the %s", (name, kind) => {
    const found = step(shared.run, { name }, "read").new;
    expect(found?.id).toBe(ids.get(name));
    expect(found?.outputs).toMatchObject(expected(kind));
  });
  it("finds an organization by @current and by its slug", () => {
    expect(step(shared.run, { name: "current" }, "read").new?.id).toBe(ids.get("Organization"));
    expect(step(shared.run, { name: "slug" }, "read").new?.id).toBe(scene.named("organization"));
  });
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
  it("brings no secret into the state", async () =>
    expect(await scene.stack.stateFile()).not.toContain(HUSHED));
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
  const idOf = (kind: string) => missing[kind] ?? (/^\d+$/.test(ids.get(kind) ?? "") ? "99999" : NIL);
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
