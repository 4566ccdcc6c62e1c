import type { Run } from "../../support/stack";
import { writes } from "../../support/emulator";
import { settled } from "../world";
import { isExempt } from "../cases";
import { instances, serving } from "./instances";
import { ending, named, step, WELL } from "../scene";
import type { Life } from "./life";
import { creationOf, importsOf, sentTo } from "./requests";

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
    it.each(serving(({ takenOver }, { creation }) => takenOver === undefined && !isExempt(creation)))(
      "makes %s as it is declared",
      (_, instance) => {
        const { kind, tested } = instance;
        expect(step(shared.run, instance, "create").status).toBe("done");
        const creation = creationOf(life.emulator, kind, life.markerOf(instance, 0));
        expect(creation?.status).toBeLessThan(300);
        const first = settled(life.world, (tested.sent ?? [tested.first])[0], { secrets: true });
        if (tested.creation === "unsent") expect(creation?.body ?? {}).not.toHaveProperty([tested.field]);
        else if (tested.creation === "path") expect(creation?.path).toContain(String(first));
        else expect(creation?.body).toHaveProperty([tested.field], first);
      },
    );
    it.each(serving(({ takenOver }) => takenOver !== undefined))("takes over %s", (_, instance) => {
      const made = step(shared.run, instance, "create").new;
      expect(sentTo(life.emulator, instance.kind, made)).toEqual(instance.tested.takenOver);
    });
    it("imports each file once", () => {
      const imports = shared.run.steps.filter(({ kind }) => kind === "HistoricalImport");
      expect(imports.map(({ new: made }) => made?.outputs["eventsSent"])).toEqual(imports.map(() => 1));
      expect(importsOf(writes(life.emulator))).toBe(imports.length);
    });

    async function proveDomains(run: Run): Promise<void> {
      const waiting = serving(({ argument }, { kind }) => kind === "Domain" && NEEDS_PROOF.test(argument));
      for (const [, instance] of waiting) {
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
