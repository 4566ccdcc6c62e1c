import type { Declared } from "../support/stack";
import type { Args, Kind, Managed } from "./kind";
import { KINDS } from "./kinds";
import { People } from "./people";
import type { Random } from "./random";
import type { World } from "./world";

/** A resource of a random program, as the generator remembers it. */
export interface Entry {
  /** Name of its kind in {@link KINDS}. */
  readonly label: string;
  readonly name: string;
  /** The name that it had before, where the program says so. */
  readonly alias?: string | undefined;
  readonly n: number;
  /** Name of the resource that it refers to. */
  readonly refersTo: string | undefined;
  readonly fixed: Args;
  changeable: Args;
}

/** How large random programs are. */
export interface Size {
  readonly least: number;
  readonly most: number;
}

/** A random program that can be edited at random. */
export class RandomProgram {
  private entries: Entry[] = [];
  private count = 0;
  private readonly made = new Map<string, Entry>();
  private readonly people: People | undefined;

  /** @param moves draws of the edits by which resources change their names and people their kinds; none without it */
  constructor(
    private readonly random: Random,
    private readonly world: World,
    size: Size,
    private readonly moves?: Random,
  ) {
    const wanted = random.whole(size.least, size.most);
    while (this.entries.length < wanted) this.add();
    this.people = moves && new People(moves, world);
  }

  /** What the test's program declares. */
  declared(): Declared[] {
    const declared = this.entries.map(({ alias, ...entry }): Declared => ({
      class: kindOf(entry).class,
      name: entry.name,
      args: { ...entry.fixed, ...entry.changeable },
      ...(alias === undefined ? {} : { opts: { aliases: [{ name: alias }] } }),
    }));
    return [...declared, ...(this.people?.declared() ?? [])];
  }

  /** Labels of the kinds in it. */
  labels(): string[] {
    return [...this.entries.map(({ label }) => label), ...(this.people?.labels ?? [])];
  }

  kind(name: string): Kind | undefined {
    const entry = this.entries.find((one) => one.name === name);
    return entry ? kindOf(entry) : this.people?.kind(name);
  }

  /** The program was applied without faults: what stays whatever becomes of it has been made by now. */
  applied(): void {
    for (const entry of this.entries) {
      if (kindOf(entry).stays) this.made.set(madeKey(entry), entry);
    }
  }

  /** How many objects of each list stay for good. */
  staying(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const entry of this.made.values()) {
      const nothing: Managed = { name: entry.name, class: kindOf(entry).class, id: "", outputs: {} };
      for (const [list] of kindOf(entry).makes(nothing)) counts.set(list, (counts.get(list) ?? 0) + 1);
    }
    return counts;
  }

  /** Changes in place, which leave every object what it is. */
  touch(): void {
    for (const entry of this.entries) {
      if (this.random.chance(0.4)) entry.changeable = this.choose(entry.label, entry.n);
    }
  }

  /** Any edit: resources go, become others, are changed and come. */
  edit(): void {
    this.touch();
    const left = this.entries.filter(() => !this.random.chance(0.2));
    this.entries = left.filter(
      ({ refersTo }) => refersTo === undefined || left.some(({ name }) => name === refersTo),
    );
    this.entries = this.entries.map((entry) => (this.random.chance(0.15) ? this.another(entry) : entry));
    while (this.random.chance(0.5)) this.add();
  }

  /** Resources and people are declared by other names and kinds than before. */
  move(): void {
    const { moves } = this;
    if (moves === undefined) return;
    this.entries = this.entries.map(({ alias: _, ...entry }) => entry);
    const names = this.entries.map(({ name }) => name);
    for (const was of names) {
      const entry = this.entries.find(({ name }) => name === was);
      if (entry !== undefined && moves.chance(0.25)) this.rename(entry, moves);
    }
    if (moves.chance(0.6)) this.swap(moves);
    this.people?.move();
  }

  /** The moves that may be made while something is unsettled. */
  moveMembers(): void {
    this.people?.moveMembers();
  }

  /** By an alias it is the same resource; without one another is made, where there can be two of them for a while. */
  private rename(entry: Entry, random: Random): void {
    const name = `m${++this.count}`;
    const isReferred = this.entries.some(({ refersTo }) => refersTo === entry.name);
    const isAnother = !isReferred && TWICE.includes(entry.label) && random.chance(0.4);
    const made = this.made.get(madeKey(entry));
    const renamed = { ...entry, name, alias: isAnother ? undefined : entry.name };
    if (made !== undefined) {
      this.made.delete(madeKey(entry));
      this.made.set(madeKey(renamed), renamed);
    }
    this.entries = this.entries.map((one) => {
      if (one.name === entry.name) return renamed;
      if (one.refersTo !== entry.name) return one;
      const wasMade = this.made.get(madeKey(one));
      const referring = {
        ...one,
        refersTo: name,
        fixed: { ...one.fixed, ...this.reference(one.label, name) },
      };
      if (wasMade !== undefined) {
        this.made.delete(madeKey(one));
        this.made.set(madeKey(referring), referring);
      }
      return referring;
    });
  }

  /** Two resources of a kind change places. */
  private swap(random: Random): void {
    const able = this.entries.filter(({ label }) => TWICE.includes(label));
    const pairs = able.flatMap((one, index) =>
      able.slice(index + 1).flatMap((other) => (other.label === one.label ? [[one, other] as const] : [])),
    );
    if (pairs.length === 0) return;
    const [one, other] = random.pick(pairs);
    const at = ({ name, alias }: Entry, { n, fixed, changeable, label, refersTo }: Entry): Entry => ({
      ...{ name, alias, n, fixed, changeable, label, refersTo },
    });
    this.entries = this.entries.map((entry) =>
      entry === one ? at(one, other) : entry === other ? at(other, one) : entry,
    );
  }

  private another(entry: Entry): Entry {
    const n = ++this.count;
    const reference = this.reference(entry.label, entry.refersTo);
    const fixed = kindOf(entry).fixed({ n, random: this.random, world: this.world });
    return { ...entry, n, fixed: { ...fixed, ...reference }, changeable: this.choose(entry.label, n) };
  }

  private add(label = this.random.pick(Object.keys(KINDS))): Entry {
    const kind = kindNamed(label);
    const twin = this.entries.find((entry) => entry.label === label);
    const isTwin = kind.alike === true && twin !== undefined && this.random.chance(0.3);
    const refersTo = kind.refers && this.target(kind.refers.to).name;
    const n = ++this.count;
    const fixed = isTwin ? twin.fixed : kind.fixed({ n, random: this.random, world: this.world });
    const entry: Entry = {
      label,
      name: `r${n}`,
      n,
      refersTo,
      fixed: { ...fixed, ...this.reference(label, refersTo) },
      changeable: isTwin ? twin.changeable : this.choose(label, n),
    };
    this.entries.push(entry);
    return entry;
  }

  /** A resource of that kind which nothing of the same kind refers to yet, or a new one. */
  private target(label: string): Entry {
    const free = this.entries.find((entry) => entry.label === label);
    const shares = label !== "Domain to verify" && this.random.chance(0.5);
    return shares && free !== undefined ? free : this.add(label);
  }

  private reference(label: string, to: string | undefined): Args {
    const { refers } = kindNamed(label);
    return refers === undefined || to === undefined ? {} : { [refers.as]: { $ref: `${to}.id` } };
  }

  private choose(label: string, n: number): Args {
    const { changeable, always = [] } = kindNamed(label);
    const chosen: Record<string, unknown> = {};
    for (const [name, values] of Object.entries(changeable?.(n) ?? {})) {
      if (always.includes(name) || this.random.chance(0.5)) chosen[name] = this.random.pick(values);
    }
    return chosen;
  }
}

/** Kinds of which there can be two that say the same for a while, and of which one can become another. */
const TWICE = [
  ...["Dashboard", "closed Dashboard", "Organization", "BatchExport", "BatchExport at the project's route"],
  ...["FrontendApp", "Invite", "InviteBatch", "Member", "TeamMember who is invited"],
  "TeamMember who has joined",
];
/** What identifies something that stays at the service. */
function madeKey({ name, fixed }: Entry): string {
  return `${name} ${JSON.stringify(fixed)}`;
}

function kindOf({ label }: Pick<Entry, "label">): Kind {
  return kindNamed(label);
}

function kindNamed(label: string): Kind {
  const kind = KINDS[label];
  if (kind === undefined) throw new Error(`no kind ${label}`);
  return kind;
}
