import type { Run } from "../../support/stack";
import { isExempt, type Kept, type KindCases, type Sent } from "../cases";
import { Scene, step, warnings } from "../scene";
import { settled } from "../world";
import { program, type Serving, type Station } from "./instances";
import { creationOf, idsOf, removalOf } from "./requests";

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
    if (update === "nothing" || update === "replacement" || isExempt(update)) return [];
    if (update !== "patch") return update;
    const body = { [field]: (sent ?? [first, second])[index] };
    return [["PATCH", "", settled(this.world, body, { secrets: true })]];
  }

  /** What tells the request that makes an instance from others. */
  markerOf({ kind, slug, tested }: Serving, index: 0 | 1 | 2): unknown {
    const { argument, sent, first, second, along } = tested;
    const [given, wire] = index === 0 ? [first, sent?.[0]] : [second, sent?.[1]];
    const args = {
      ...kind.base(slug),
      ...tested.with,
      ...along?.[index],
      ...(argument === kind.marker ? { [argument]: typeof wire === "string" ? wire : given } : {}),
    };
    const value = args[kind.marker];
    return settled(this.world, kind.markOf?.(value) ?? value);
  }

  /** Someone else removes an object, where anybody can. */
  async vanish(kind: KindCases, kept: Kept): Promise<void> {
    const { removal } = kind;
    if (isExempt(removal)) return;
    for (const id of idsOf(kind, kept)) {
      if ("row" in removal) this.changeRow(kind, id, removal.row);
      else await this.byHand(kind, id, [removal]);
    }
  }

  /** Changes what the service has of an object, where no request can. */
  changeRow(kind: KindCases, id: string, row: Readonly<Record<string, unknown>>): void {
    const { invites, domains } = this.emulator.store;
    const store = kind.path.endsWith("/invites/") ? invites : domains;
    const found = store.get(id);
    if (!found) throw new Error(`${kind.path} has no ${id}`);
    Object.assign(found, row);
  }

  /** A replacement, and which of its two halves came first: in the engine's events and in the requests. */
  expectReplacement(run: Run, instance: Serving, station: "second" | "taken out"): void {
    const { name, kind, tested } = instance;
    const oldFirst = (tested.order ?? kind.order) === "old first";
    const made = step(run, instance, "create-replacement");
    const removed = step(run, instance, "delete-replaced");
    expect(made.status).toBe("done");
    expect(run.steps.indexOf(removed) < run.steps.indexOf(made)).toBe(oldFirst);
    if (kind.keepsId === undefined) expect(made.new?.id).not.toBe(removed.old?.id);
    const removal = removed.old && removalOf(this.emulator, kind, removed.old);
    const told = warnings(run, kind.kind, name).length;
    if (kind.destroyed === "released") expect([removal, told]).toEqual([undefined, 1]);
    else if (isExempt(kind.destroyed)) expect([removal, told]).toEqual([undefined, 0]);
    else expect(removal?.status).toBeLessThan(300);
    if (isExempt(kind.creation) || (station === "taken out" && tested.argument === kind.marker)) return;
    const creation = creationOf(this.emulator, kind, this.markerOf(instance, station === "second" ? 1 : 2));
    expect(creation?.status).toBeLessThan(300);
    if (!creation || !removal) return;
    const { requests } = this.emulator;
    expect(requests.indexOf(removal) < requests.indexOf(creation)).toBe(oldFirst);
  }
}
