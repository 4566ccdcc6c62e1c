import { writes } from "../../support/emulator";
import { DOOMED, isExempt, type Kept, kinds } from "../cases";
import { settled } from "../world";
import { differing, serving, type Serving, valueAt } from "./instances";
import { ending, named, step, WELL } from "../scene";
import type { Life } from "./life";
import { idsOf, importsOf, sentTo } from "./requests";

const isSecret = (value: unknown) => typeof value === "object" && value !== null && "$secret" in value;

/** Arguments of which a change makes no difference. */
const makesNone = serving(({ update }) => isExempt(update));
const makesOne = serving(({ update }) => !isExempt(update));

/** Every argument changed by the program, then by someone else, and put back. */
export function changing(life: Life): void {
  describe("a preview of every argument changed, to what is not known yet", () => {
    const shared = life.running(() => {
      life.declare("second", (value) => ({ $unknown: value }));
      return life.stack.preview();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it("writes nothing", () => expect(writes(life.emulator)).toEqual([]));
    it.each(makesOne)("foresees the change of %s", (_, instance) => {
      const { update, whileUnknown } = instance.tested;
      step(shared.run, instance, whileUnknown ?? (update === "replacement" ? "replace" : "update"));
    });
  });

  describe("a preview of every argument changed", () => {
    const shared = life.running(() => {
      life.declare("second");
      return life.stack.preview();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it("writes nothing", () => expect(writes(life.emulator)).toEqual([]));
    it.each(makesNone)("finds no difference in %s", (_, instance) => {
      step(shared.run, instance, "same");
    });
    it.each(makesOne)("names %s", (_, instance) => {
      const [argument] = instance.tested.argument.split(".");
      const replaced = instance.tested.update === "replacement";
      const found = step(shared.run, instance, replaced ? "replace" : "update");
      // Of a secret the engine's events tell neither value.
      expect(named(found).sort()).toEqual(isSecret(instance.tested.second) ? [] : differing(instance.tested));
      if (replaced) expect(found.replaceReasons).toContain(argument);
    });
  });

  describe("an up with every argument changed", () => {
    const shared = life.running(() => life.stack.up());
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it.each(makesOne.filter(([, { tested }]) => tested.update !== "replacement"))(
      "sends of %s what changed",
      (_, instance) => {
        const found = step(shared.run, instance, "update");
        expect(found.status).toBe("done");
        expect(sentTo(life.emulator, instance.kind, found.old, found.new)).toEqual(
          life.effectOf(instance, 1),
        );
      },
    );
    it.each(serving(({ update }) => update === "replacement"))("replaces for %s", (_, instance) => {
      life.expectReplacement(shared.run, instance, "second");
    });
    it("imports again what is another import, and nothing else", () => {
      const again = serving(
        ({ update }, { kind }) => kind === "HistoricalImport" && update === "replacement",
      );
      expect(importsOf(shared.writes)).toBe(again.length);
    });
    it.each(DOOMED.flatMap((doom) => kinds.map(({ kind }) => [`${kind} ${doom}`])))(
      "leaves %s alone",
      (name) => expect(named(step(shared.run, { name }, "same"))).toEqual([]),
    );
  });

  describe("a refresh after changes by someone else", () => {
    const changed = serving(({ outside }) => outside !== undefined);
    const shared = life.running(async () => {
      const kept = await life.kept();
      for (const [name, instance] of changed) await changeOutside(instance, kept.get(name));
      return life.stack.refresh();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it.each(changed)("names %s with both values", (_, instance) => {
      const { argument, outside } = instance.tested;
      const found = step(shared.run, instance, "update");
      expect(named(found)).toEqual([argument.split(".")[0]]);
      expect(valueAt(found.old?.inputs, argument)).toEqual(settled(life.world, canonical(instance)));
      expect(valueAt(found.new?.inputs, argument)).toEqual(settled(life.world, outside?.shown));
    });
    it.each(serving(({ outside }) => outside === undefined))("finds %s as it was", (_, instance) => {
      expect(named(step(shared.run, instance, "same"))).toEqual([]);
    });

    async function changeOutside({ kind, tested }: Serving, kept: Kept | undefined): Promise<void> {
      const [id] = kept ? idsOf(kind, kept) : [];
      if (!tested.outside || id === undefined) throw new Error("nothing to change");
      if ("row" in tested.outside.by) life.changeRow(kind, id, tested.outside.by.row);
      else await life.byHand(kind, id, tested.outside.by);
    }

    /** The second value in the form that the state keeps. */
    function canonical({ tested }: Serving): unknown {
      return tested.argument.includes(".") ? tested.second : (tested.sent?.[1] ?? tested.second);
    }
  });

  describe("the up after it", () => {
    const shared = life.running(() => life.stack.up());
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it.each(serving(({ outside }) => outside !== undefined))("puts %s back", (_, instance) => {
      const { update, outside } = instance.tested;
      if (update === "replacement") return life.expectReplacement(shared.run, instance, "second");
      const found = step(shared.run, instance, "update");
      const sent = sentTo(life.emulator, instance.kind, found.old, found.new);
      expect(sent).toEqual(outside?.back ?? life.effectOf(instance, 1));
    });
    it.each(serving(({ outside }) => outside === undefined))("leaves %s alone", (_, instance) => {
      expect(named(step(shared.run, instance, "same"))).toEqual([]);
    });
  });
}
