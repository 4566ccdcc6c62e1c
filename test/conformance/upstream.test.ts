import type { Declared } from "../support/declared";
import { kinds } from "./cases";
import { type Station, whole } from "./life/instances";
import { ending, openScene, step, WELL } from "./scene";

/*
 * The same kinds where the service answers as its source says and not as its documentation does: exports live below
 * a project, organizations have numbers for texts, actions answer other shapes, plugins show their code.
 */
const scene = openScene({ shapes: "upstream" });

/** Something to change in kinds that nothing is changed of in place. */
const other = (station: Station): string => (station === "second" ? "another" : "whole");

/** What only this form of the service needs, or shows. */
const more = (station: Station): Readonly<Record<string, Readonly<Record<string, unknown>>>> => ({
  // The organization's route can neither create exports nor backfill.
  BatchExport: { projectId: scene.named("project") },
  BatchExportBackfill: { projectId: scene.named("project"), trigger: station },
  DashboardCollaborator: { userUuid: scene.named(`${other(station)}@collaborators.example`) },
  DashboardTileMove: { tileId: Number(scene.named(`tile of ${other(station)}`)) },
  DomainVerification: {
    jitProvisioningEnabled: station === "first",
    ssoEnforcement: station === "taken out" ? undefined : station,
  },
  Dashboard: { connection: undefined },
  FrontendApp: {
    source: station === "taken out" ? undefined : { "site.ts": `export const inject = "${station}"` },
  },
});

function program(station: Station): Declared[] {
  return kinds.map((kind) => {
    const args = { ...whole(scene.world, kind, station), ...more(station)[kind.kind] };
    const email = kind.kind === "Member" ? { email: "level@members.example" } : {};
    return { class: kind.kind, name: kind.kind, args: { ...args, ...email } };
  });
}

describe("the first up", () => {
  const shared = scene.running(() => {
    scene.stack.declare(program("first"));
    return scene.stack.up();
  });
  it("makes one of each", () => {
    expect(ending(shared.run)).toEqual(WELL);
    expect(shared.run.changes).toEqual({ create: kinds.length });
  });
});

describe.each<Station>(["second", "taken out"])("the arguments: %s", (station) => {
  const changed = scene.running(() => {
    scene.stack.declare(program(station));
    return scene.stack.up();
  });
  const again = scene.running(() => scene.stack.up({ refresh: true, expectNoChanges: true }));
  it("are applied", () => expect(ending(changed.run)).toEqual(WELL));
  it("are kept, and nothing differs", () => {
    expect(ending(again.run)).toEqual(WELL);
    expect(again.writes).toEqual([]);
  });
});

describe("code that someone else changes", () => {
  const shared = scene.running(async () => {
    scene.stack.declare(program("first"));
    const made = await scene.stack.up();
    expect(ending(made)).toEqual(WELL);
    const id = Number((await scene.ids()).get("FrontendApp"));
    const plugin = scene.emulator.store.plugins.require(id);
    scene.emulator.store.plugins.update(plugin, { source: { ...plugin.source, "site.ts": "by hand" } });
    scene.emulator.clearRequests();
    return scene.stack.up({ refresh: true });
  });
  it("is put back", () => {
    expect(ending(shared.run)).toEqual(WELL);
    expect(step(shared.run, { name: "FrontendApp" }, "update").diffs).toEqual(["source"]);
    expect(shared.writes).toMatchObject([
      { method: "PATCH", body: { "site.ts": 'export const inject = "first"' } },
    ]);
  });
});

describe("destroy", () => {
  const shared = scene.running(() => scene.stack.destroy());
  it("removes them", () => expect(ending(shared.run)).toEqual(WELL));
  it("meets no refusal", () => {
    expect(shared.writes.filter(({ status }) => status >= 400)).toEqual([]);
  });
});
