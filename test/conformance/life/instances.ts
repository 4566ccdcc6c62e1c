import type { Declared } from "../../support/declared";
import { type ArgumentCase, type Args, DOOMED, isExempt, type KindCases, kinds, slugOf } from "../cases";
import { settled, type World } from "../world";

/** An object of the long test: it serves one argument, or stands for its kind alone. */
export interface Instance {
  /** Logical name. */
  readonly name: string;
  readonly kind: KindCases;
  readonly slug: string;
  readonly tested: ArgumentCase | undefined;
}

export const instances: readonly Instance[] = kinds.flatMap((kind) => [
  ...kind.arguments.map((tested) => ({
    name: `${kind.kind} ${tested.label ?? tested.argument}`,
    kind,
    slug: slugOf(tested.label ?? tested.argument),
    tested,
  })),
  ...DOOMED.map((name) => ({
    name: `${kind.kind} ${name}`,
    kind,
    slug: slugOf(name),
    tested: undefined,
  })),
]);

/** The instances that serve an argument. */
export interface Serving extends Instance {
  readonly tested: ArgumentCase;
}

/** An object whose argument makes a difference: `along` names the arguments that change with it. */
export function differing({ argument, along }: ArgumentCase): string[] {
  const [name = ""] = argument.split(".");
  return [name, ...Object.keys(along?.[1] ?? {})].sort();
}

/** A table for `it.each`: the instances whose argument fits, each with its name first. */
export function serving(fits: (tested: ArgumentCase, kind: KindCases) => boolean): [string, Serving][] {
  return instances
    .filter((instance): instance is Serving => instance.tested !== undefined)
    .filter(({ tested, kind }) => fits(tested, kind))
    .map((instance) => [instance.name, instance]);
}

/** Where an instance is in its life: which value its argument has. */
export type Station = "first" | "second" | "taken out";

/** The program at a station; `lift` changes the tested value, into an unknown one for example. */
export function program(
  world: World,
  station: Station,
  lift: (value: unknown) => unknown = (value) => value,
): Declared[] {
  return instances.map((instance) => ({
    class: instance.kind.kind,
    name: instance.name,
    args: declared(world, instance, station, lift),
  }));
}

/** The arguments of an instance at a station. */
export function declared(
  world: World,
  { kind, slug, tested }: Instance,
  station: Station,
  lift: (value: unknown) => unknown = (value) => value,
): Args {
  const base: Args = { ...kind.base(slug), ...tested?.with };
  if (!tested) return settle(world, base);
  const isOut = station === "taken out" && tested.cleared !== "required";
  const args = { ...base, ...tested.along?.[station === "first" ? 0 : isOut ? 2 : 1] };
  // What the program cannot do without stays as it was last.
  const value = station === "first" ? tested.first : isOut ? undefined : tested.second;
  const isLifted = value !== undefined && !isExempt(tested.update);
  return settle(world, setAt(args, tested.argument.split("."), isLifted ? lift(value) : value));
}

/**
 * All arguments of a kind in one object, as far as they go together and change in place (of the kinds that change
 * nothing in place: all that go together).
 */
export function whole(world: World, kind: KindCases, station: Station): Args {
  const fixed = kind.arguments.every(({ update }) => update === "replacement" || update === "nothing");
  const together = kind.arguments.filter(
    ({ label, with: others, update, creation, outside }) =>
      label === undefined &&
      others === undefined &&
      (update !== "replacement" || (fixed && outside !== undefined)) &&
      (creation !== "unsent" || update === "nothing"),
  );
  const all = together.reduce<Args>((args, { argument, first, second, cleared }) => {
    const last = station === "taken out" && cleared !== "required" ? undefined : second;
    return setAt(args, argument.split("."), station === "first" ? first : last);
  }, kind.base("whole"));
  return settle(world, all);
}

/** A copy in which the path leads to the value; undefined takes it out. */
function setAt(args: Args, [key = "", ...rest]: readonly string[], value: unknown): Args {
  const inner = args[key];
  return { ...args, [key]: rest.length === 0 ? value : setAt(isArgs(inner) ? inner : {}, rest, value) };
}

/** The value at a path of an argument. */
export function valueAt(args: Args | undefined, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (isArgs(value) ? value[key] : undefined), args);
}

function isArgs(value: unknown): value is Args {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function settle(world: World, args: Args): Args {
  const value = settled(world, args);
  return isArgs(value) ? value : {};
}
