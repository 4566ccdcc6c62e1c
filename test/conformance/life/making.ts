import type { Run } from "../../support/stack";
import { writes } from "../../support/emulator";
import { settled } from "../world";
import { instances, serving } from "./instances";
import { ending, named, step, WELL } from "../scene";
import type { Life } from "./life";
import { creationOf, sentTo } from "./requests";

/** Domains whose arguments the service refuses before someone proves them. */
const NEEDS_PROOF = /^(jitProvisioningEnabled|ssoEnforcement)$/;

/** From nothing to objects that are as declared, and stay so. */
export function making(life: Life): void {
  describe("a preview of objects that do not exist, every argument unknown", () => {
    const shared = life.running(() => {
      life.declare("first", (value) => ({ $unknown: value }));
      return life.stack.preview();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it("foresees each", () => expect(shared.run.changes).toEqual({ create: instances.length }));
    it("writes nothing", () => expect(writes(life.emulator)).toEqual([]));
  });

  describe("a preview of objects that do not exist", () => {
    const shared = life.running(() => {
      life.declare("first");
      return life.stack.preview();
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it("foresees each", () => expect(shared.run.changes).toEqual({ create: instances.length }));
    it("writes nothing", () => expect(writes(life.emulator)).toEqual([]));
  });

  describe("the first up", () => {
    const shared = life.running(async () => {
      const run = await life.stack.up();
      await proveDomains(run);
      return run;
    });
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it.each(serving((_, kind) => kind.kind !== "Member"))("makes %s as it is declared", (_, instance) => {
      const { kind, tested } = instance;
      expect(step(shared.run, instance, "create").status).toBe("done");
      const creation = creationOf(life.emulator, kind, life.markerOf(instance, 0));
      expect(creation?.status).toBeLessThan(300);
      const first = settled(life.world, (tested.sent ?? [tested.first])[0], { secrets: true });
      if (tested.creation === "unsent") expect(creation?.body).not.toHaveProperty([tested.field]);
      else if (tested.creation === "path") expect(creation?.path).toContain(String(first));
      else expect(creation?.body).toHaveProperty([tested.field], first);
    });
    it.each(serving((_, kind) => kind.kind === "Member"))("takes over %s", (_, instance) => {
      const id = step(shared.run, instance, "create").new?.id ?? "";
      // They all joined as members.
      const expected = instance.tested.argument === "level" ? [["PATCH", "", { level: 8 }]] : [];
      expect(sentTo(life.emulator, instance.kind, id)).toEqual(expected);
    });

    async function proveDomains(run: Run): Promise<void> {
      for (const [, instance] of serving(({ argument }) => NEEDS_PROOF.test(argument))) {
        const { id = "", outputs } = step(run, instance, "create").new ?? {};
        life.emulator.setDns(String(outputs?.["dnsRecordName"]), String(outputs?.["dnsRecordValue"]));
        await life.byHand(instance.kind, id, [["POST", "verify/"]]);
      }
    }
  });

  describe("the second up", () => {
    const shared = life.running(() => life.stack.up({ expectNoChanges: true }));
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it("changes nothing", () => expect(shared.run.changed).toEqual([]));
    it("writes nothing", () => expect(writes(life.emulator)).toEqual([]));
  });

  describe("an up with a refresh before it", () => {
    const shared = life.running(() => life.stack.up({ refresh: true, expectNoChanges: true }));
    it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
    it("writes nothing", () => expect(writes(life.emulator)).toEqual([]));
    it.each(serving(() => true))("finds %s as it was declared", (_, { name }) => {
      const steps = shared.run.steps.filter((one) => one.name === name);
      expect(steps.flatMap(named)).toEqual([]);
    });
  });
}
