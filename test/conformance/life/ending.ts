import { writes } from "../../support/emulator";
import { type Clearing, kinds } from "../cases";
import { ask } from "../world";
import { serving } from "./instances";
import { ending, step, WELL } from "../scene";
import type { Life } from "./life";
import { creationOf, removalOf, sentTo } from "./requests";

const cleared = (fits: (cleared: Clearing) => boolean) => serving((tested) => fits(tested.cleared));

/** Every argument taken out, objects removed by someone else, and the end of all. */
export function clearing(life: Life): void {
  describe("an up with every argument taken out", () => {
    const shared = life.running(() => {
      // The replacement of this Member removed the person, who joins again.
      const email = "organizationid@members.example";
      life.emulator.addMember({ email, organizationId: String(life.world.values["organization"]) });
      life.declare("taken out");
      return life.stack.up();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it.each(cleared((to) => typeof to === "object"))("empties %s", (_, instance) => {
      const { cleared, field } = instance.tested;
      if (typeof cleared === "string") throw new Error("not a value");
      const id = step(shared.run, instance, "update").new?.id ?? "";
      const expected = "to" in cleared ? [["PATCH", "", { [field]: cleared.to }]] : cleared.sends;
      expect(sentTo(life.emulator, instance.kind, id)).toEqual(expected);
    });
    it.each(cleared((to) => to === "replacement"))("replaces for %s", (_, instance) => {
      life.expectReplacement(shared.run, instance, "taken out");
    });
    it.each(cleared((to) => to === "nothing"))("sends nothing for %s", (_, instance) => {
      const id = step(shared.run, instance, "update").new?.id ?? "";
      expect(sentTo(life.emulator, instance.kind, id)).toEqual([]);
    });
    it.each(cleared((to) => to === "stays"))("says once that %s stays", (_, instance) => {
      const { name, kind, tested } = instance;
      const id = step(shared.run, instance, "same").new?.id ?? "";
      const start = `warning: ${kind.kind} "${name}" (${id}): ${tested.argument} `;
      const said = shared.run.diagnostics
        .map(({ message }) => message)
        .filter((line) => line.startsWith(start));
      expect(said).toEqual([expect.stringContaining("stays as it is")]);
      expect(sentTo(life.emulator, kind, id)).toEqual([]);
    });
  });

  describe("a preview with a refresh after that", () => {
    const shared = life.running(() => life.stack.preview({ refresh: true, expectNoChanges: true }));
    it("finds nothing to do", () => expect(ending(shared.run)).toEqual(WELL));
    it("writes nothing", () => expect(writes(life.emulator)).toEqual([]));
  });
}

/** Objects that someone else removes: noticed and made anew, or gone when they are to go. */
export function vanishing(life: Life): void {
  const others = kinds.filter(({ kind }) => kind !== "Dashboard");

  describe("a refresh after removals by someone else", () => {
    const shared = life.running(async () => {
      const ids = await life.ids();
      for (const kind of kinds) await life.byHand(kind, ids.get(`${kind.kind} gone`) ?? "", [kind.removal]);
      return life.stack.refresh();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it.each(others.map(({ kind }) => [kind]))("notices that a %s is gone", (kind) => {
      expect(step(shared.run, { name: `${kind} gone` }, "delete").status).toBe("done");
    });
    it("keeps a Dashboard, and names its deletion", () => {
      const found = step(shared.run, { name: "Dashboard gone" }, "update");
      expect(found).toMatchObject({ diffs: ["deleted"], new: { inputs: { deleted: true } } });
    });
  });

  describe("the up after it", () => {
    const before = new Map<string, string>();
    const shared = life.running(async () => {
      for (const [name, id] of await life.ids()) before.set(name, id);
      // Nobody is made a member from outside: the person joins again.
      const email = "gone@members.example";
      life.emulator.addMember({ email, organizationId: String(life.world.values["organization"]) });
      return life.stack.up();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it.each(others.filter(({ kind }) => kind !== "Member").map((kind) => [kind.kind, kind] as const))(
      "makes the %s anew",
      (name, kind) => {
        expect(step(shared.run, { name: `${name} gone` }, "create").status).toBe("done");
        const creation = creationOf(life.emulator, kind, String(kind.base("gone")[kind.marker]));
        expect(creation?.status).toBeLessThan(300);
      },
    );
    it("takes the Member over again", () => {
      expect(step(shared.run, { name: "Member gone" }, "create").status).toBe("done");
    });
    it("restores the Dashboard by one request", () => {
      const name = "Dashboard gone";
      const id = before.get(name) ?? "";
      expect(step(shared.run, { name }, "update")).toMatchObject({ status: "done", new: { id } });
      const [kind] = kinds;
      if (!kind) throw new Error("no kind");
      expect(sentTo(life.emulator, kind, id)).toEqual([["PATCH", "", { deleted: false }]]);
    });
    it("touches nothing else", () => {
      const touched = shared.run.changed.map(({ name }) => name);
      expect(touched.sort()).toEqual(kinds.map(({ kind }) => `${kind} gone`).sort());
    });
  });

  describe("a destroy, some of it gone already", () => {
    const ids = new Map<string, string>();
    const shared = life.running(async () => {
      for (const [name, id] of await life.ids()) ids.set(name, id);
      for (const kind of kinds)
        await life.byHand(kind, ids.get(`${kind.kind} goneBeforeDestroy`) ?? "", [kind.removal]);
      return life.stack.destroy();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it("empties the state", async () => {
      const { deployment } = await life.stack.export();
      expect(deployment.resources.filter(({ type }) => type.startsWith("pulumi-nodejs:"))).toEqual([]);
    });
    it.each(kinds.filter(({ kind }) => kind !== "ImportApp").map((kind) => [kind.kind, kind] as const))(
      "leaves no %s behind",
      async (_, kind) => {
        const ours = [...ids].filter(([name]) => name.startsWith(`${kind.kind} `));
        expect(ours.length).toBeGreaterThan(0);
        for (const [, id] of ours) expect(removalOf(life.emulator, kind, id)).toBeDefined();
        const there = await left(kind.path);
        const leftovers = ours.filter(([, id]) => there.includes(id));
        expect(leftovers.map(([name, id]) => [name, sentTo(life.emulator, kind, id)])).toEqual([]);
      },
    );
    it("releases each ImportApp, which the interface cannot delete, with a warning", () => {
      const said = shared.run.diagnostics.filter(({ message }) => message.startsWith("warning: ImportApp "));
      const ours = [...ids.keys()].filter((name) => name.startsWith("ImportApp "));
      expect(said.length).toBe(ours.length);
    });

    /** Ids that the collections still list, of both organizations and both projects. */
    async function left(path: string): Promise<string[]> {
      const { organization, otherOrganization, project, otherProject } = life.world.values;
      const found: string[] = [];
      for (const [org, proj] of [
        [organization, project],
        [otherOrganization, otherProject],
      ]) {
        const filled = path.replace("$organization", String(org)).replace("$project", String(proj));
        const { body } = await ask(life.emulator, "GET", `${filled}?limit=1000`);
        const ids = JSON.stringify(body).matchAll(/"(?:id|uuid)":"?([\w-]+)/g);
        found.push(...Array.from(ids, ([, id]) => id ?? ""));
      }
      return found;
    }
  });
}
