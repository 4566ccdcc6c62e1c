import type { Run } from "../../support/stack";
import { type Sent } from "../cases";
import { Scene, step, warnings } from "../scene";
import { settled } from "../world";
import { program, type Serving, type Station } from "./instances";
import { creationOf, removalOf } from "./requests";

/** One stack with an object for each argument of each kind, and the emulator that it is made in. */
export class Life extends Scene {
  constructor() {
    super(({ emulator, values }) => {
      const { POSTHOG_HOST: host, POSTHOG_API_KEY: apiKey } = emulator.environment;
      const entry = { host, apiKey, projectId: String(values["project"]) };
      const connections = JSON.stringify({ first: entry, second: entry });
      return { config: { "posthog:connections": { secret: connections } } };
    });
  }

  declare(station: Station, lift?: (value: unknown) => unknown): void {
    this.stack.declare(program(this.world, station, lift));
  }

  /** What an update to the first or second value sends. */
  effectOf({ tested }: Serving, index: 0 | 1): readonly Sent[] {
    const { update, field, sent, first, second } = tested;
    if (update === "nothing" || update === "replacement") return [];
    if (update !== "patch") return update;
    const body = { [field]: (sent ?? [first, second])[index] };
    return [["PATCH", "", settled(this.world, body, { secrets: true })]];
  }

  /** The text by which the POST of an instance is known. */
  markerOf({ kind, slug, tested }: Serving, index: 0 | 1): string {
    const own = tested.argument === kind.marker;
    const value = own ? (tested.sent ?? [tested.first, tested.second])[index] : kind.base(slug)[kind.marker];
    return String(settled(this.world, value));
  }

  /** A replacement, and which of its two halves came first: in the engine's events and in the requests. */
  expectReplacement(run: Run, instance: Serving, station: "second" | "taken out"): void {
    const { name, kind, tested } = instance;
    const oldFirst = (tested.order ?? kind.order) === "old first";
    const made = step(run, instance, "create-replacement");
    const removed = step(run, instance, "delete-replaced");
    expect(made.status).toBe("done");
    expect(run.steps.indexOf(removed) < run.steps.indexOf(made)).toBe(oldFirst);
    const old = removed.old?.id ?? "";
    const removal = removalOf(this.emulator, kind, old);
    // The interface cannot delete import apps: they are released, with a warning.
    if (kind.kind === "ImportApp")
      expect([removal, warnings(run, "ImportApp", name).length]).toEqual([undefined, 1]);
    else expect(removal?.status).toBeLessThan(300);
    if (kind.kind === "Member") return;
    expect(made.new?.id).not.toBe(old);
    if (station === "taken out" && tested.argument === kind.marker) return;
    const creation = creationOf(this.emulator, kind, this.markerOf(instance, 1));
    expect(creation?.status).toBeLessThan(300);
    if (!creation || !removal) return;
    const { requests } = this.emulator;
    expect(requests.indexOf(removal) < requests.indexOf(creation)).toBe(oldFirst);
  }
}
