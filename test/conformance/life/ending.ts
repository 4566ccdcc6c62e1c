import { writes } from "../../support/emulator";
import { type Clearing, isExempt, type Kept, type KindCases, kinds, type Vanishing } from "../cases";
import { ask, settled } from "../world";
import { serving } from "./instances";
import { ending, named, step, WELL } from "../scene";
import type { Life } from "./life";
import { creationOf, idsOf, importsOf, removalOf, sentTo } from "./requests";

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
    it.each(cleared((to) => typeof to === "object" && !isExempt(to)))("empties %s", (_, instance) => {
      const { cleared, field } = instance.tested;
      if (typeof cleared === "string" || isExempt(cleared)) throw new Error("not a value");
      const found = step(shared.run, instance, "update");
      const expected = "to" in cleared ? [["PATCH", "", { [field]: cleared.to }]] : cleared.sends;
      expect(sentTo(life.emulator, instance.kind, found.old, found.new)).toEqual(expected);
    });
    it.each(cleared(isExempt))("finds no difference in %s", (_, instance) => {
      step(shared.run, instance, "same");
    });
    it.each(cleared((to) => to === "replacement"))("replaces for %s", (_, instance) => {
      life.expectReplacement(shared.run, instance, "taken out");
    });
    it.each(cleared((to) => to === "nothing"))("sends nothing for %s", (_, instance) => {
      const found = step(shared.run, instance, "update");
      expect(sentTo(life.emulator, instance.kind, found.old, found.new)).toEqual([]);
    });
    it("imports again what is another import, and nothing else", () => {
      const again = serving(
        ({ cleared }, { kind }) => kind === "HistoricalImport" && cleared === "replacement",
      );
      expect(importsOf(shared.writes)).toBe(again.length);
    });
    it.each(cleared((to) => to === "stays"))("says once that %s stays", (_, instance) => {
      const { name, kind, tested } = instance;
      const found = step(shared.run, instance, "same").new;
      const start = `warning: ${kind.kind} "${name}" (${found?.id ?? ""}): ${tested.argument} `;
      const said = shared.run.diagnostics
        .map(({ message }) => message)
        .filter((line) => line.startsWith(start));
      expect(said).toEqual([expect.stringContaining("stays as it is")]);
      expect(sentTo(life.emulator, kind, found)).toEqual([]);
    });
  });

  describe("a preview with a refresh after that", () => {
    const shared = life.running(() => life.stack.preview({ refresh: true, expectNoChanges: true }));
    it("finds nothing to do", () => expect(ending(shared.run)).toEqual(WELL));
    it("writes nothing", () => expect(writes(life.emulator)).toEqual([]));
  });
}

/** What an object that someone else removes leads to, by kind: the kinds of which nobody can remove one left out. */
const removable = kinds.filter(({ removal }) => !isExempt(removal));
const lasting = kinds.filter(({ removal }) => isExempt(removal));
const table = (some: readonly KindCases[]) => some.map((kind) => [kind.kind, kind] as const);
const mended = removable.filter(({ vanished }) => typeof vanished === "object");
const madeAnew = removable.filter(({ vanished }) => typeof vanished !== "object");

/** Objects that someone else removes: noticed and made anew, or gone when they are to go. */
export function vanishing(life: Life): void {
  describe("a refresh after removals by someone else", () => {
    const shared = life.running(async () => {
      await vanish("gone");
      return life.stack.refresh();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it.each(table(madeAnew))("notices that a %s is gone", (kind) => {
      expect(step(shared.run, { name: `${kind} gone` }, "delete").status).toBe("done");
    });
    it.each(table(mended))("keeps a %s, and names what it lacks", (kind, { vanished }) => {
      const { drift } = vanishingOf(vanished);
      expect(named(step(shared.run, { name: `${kind} gone` }, "update"))).toEqual([drift]);
    });
    it.each(table(lasting))("leaves a %s alone", (kind) => {
      step(shared.run, { name: `${kind} gone` }, "same");
    });
  });

  describe("the up after it", () => {
    const shared = life.running(() => {
      // Nobody is made a member from outside: the person joins again.
      const email = "gone@members.example";
      life.emulator.addMember({ email, organizationId: String(life.world.values["organization"]) });
      return life.stack.up();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it.each(table(madeAnew))("makes the %s anew", (name, kind) => {
      const made = step(shared.run, { name: `${name} gone` }, "create");
      expect(made.status).toBe("done");
      const marker = kind.base("gone")[kind.marker];
      const creation = creationOf(life.emulator, kind, settled(life.world, kind.markOf?.(marker) ?? marker));
      if (kind.vanished === "taken over") expect(sentTo(life.emulator, kind, made.new)).toEqual([]);
      else expect(creation?.status).toBeLessThan(300);
    });
    it.each(table(mended))("brings the %s back", (name, kind) => {
      const { old, new: now, status } = step(shared.run, { name: `${name} gone` }, "update");
      expect([status, now?.id]).toEqual(["done", old?.id]);
      expect(sentTo(life.emulator, kind, old, now)).toEqual(vanishingOf(kind.vanished).sends);
    });
    it("touches nothing else", () => {
      const touched = shared.run.changed.map(({ name }) => name);
      expect(touched.sort()).toEqual(removable.map(({ kind }) => `${kind} gone`).sort());
    });
  });

  describe("a destroy, some of it gone already", () => {
    let kept: ReadonlyMap<string, Kept> = new Map();
    const shared = life.running(async () => {
      kept = await life.kept();
      await vanish("goneBeforeDestroy");
      life.emulator.clearRequests();
      return life.stack.destroy();
    });
    const ofKind = (kind: KindCases): [string, Kept][] =>
      [...kept].filter(([name]) => name.startsWith(`${kind.kind} `));

    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it("empties the state", async () => {
      const { deployment } = await life.stack.export();
      expect(deployment.resources.filter(({ type }) => type.startsWith("pulumi-nodejs:"))).toEqual([]);
    });
    it.each(table(kinds.filter(({ destroyed }) => destroyed === undefined)))(
      "leaves no %s behind",
      async (_, kind) => {
        const ours = ofKind(kind);
        expect(ours.length).toBeGreaterThan(0);
        const there = await left(kind.path);
        const leftovers = ours.filter(([, one]) => idsOf(kind, one).some((id) => there.has(id)));
        expect(leftovers.map(([name, one]) => [name, sentTo(life.emulator, kind, one)])).toEqual([]);
        // What had gone by itself the service may have been asked for, or not.
        const asked = ours.filter(([name]) => !name.endsWith(" goneBeforeDestroy"));
        expect(asked.filter(([, one]) => removalOf(life.emulator, kind, one) === undefined)).toEqual([]);
      },
    );
    it.each(table(kinds.filter(({ destroyed }) => destroyed === "released")))(
      "releases each %s, which nobody can delete, with a warning",
      (name, kind) => {
        const start = `warning: ${name} `;
        const said = shared.run.diagnostics.filter(({ message }) => message.startsWith(start));
        expect(said).toHaveLength(ofKind(kind).length);
      },
    );
    it.each(table(kinds.filter(({ destroyed }) => isExempt(destroyed))))(
      "undoes nothing of a %s, and says nothing",
      (name, kind) => {
        const start = `warning: ${name} `;
        expect(shared.run.diagnostics.filter(({ message }) => message.startsWith(start))).toEqual([]);
        expect(ofKind(kind).flatMap(([, one]) => sentTo(life.emulator, kind, one))).toEqual([]);
      },
    );
    it("imports nothing", () => expect(importsOf(shared.writes)).toBe(0));

    /** Ids that the collections still list, of both organizations and both projects. */
    async function left(path: string): Promise<ReadonlySet<string>> {
      const { otherOrganization, otherProject } = life.world.values;
      const elsewhere = path
        .replace("$organization", String(otherOrganization))
        .replace("$project", String(otherProject));
      const found = new Set<string>();
      for (const one of [path, elsewhere]) {
        const { body } = await ask(life.emulator, "GET", `${life.path({ path: one })}?limit=1000`);
        for (const [, id = ""] of JSON.stringify(body).matchAll(/"(?:id|uuid)":"?([\w-]+)/g)) found.add(id);
      }
      return found;
    }
  });

  async function vanish(doom: string): Promise<void> {
    const kept = await life.kept();
    for (const kind of removable) {
      const one = kept.get(`${kind.kind} ${doom}`);
      if (one === undefined) throw new Error(`no ${kind.kind} ${doom}`);
      await life.vanish(kind, one);
    }
  }
}

function vanishingOf(vanished: KindCases["vanished"]): Vanishing {
  if (typeof vanished !== "object") throw new Error("it is made anew");
  return vanished;
}
