import type { Declared } from "../support/stack";
import type { Args, Kind, Managed } from "./kind";
import { KINDS } from "./kinds";
import type { Random } from "./random";
import type { World } from "./world";

/** A resource of a random program, as the generator remembers it. */
interface Entry {
  /** Name of its kind in {@link KINDS}. */
  readonly label: string;
  readonly name: string;
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

  constructor(
    private readonly random: Random,
    private readonly world: World,
    size: Size,
  ) {
    const wanted = random.whole(size.least, size.most);
    while (this.entries.length < wanted) this.add();
  }

  /** What the test's program declares. */
  declared(): Declared[] {
    return this.entries.map((entry) => ({
      class: kindOf(entry).class,
      name: entry.name,
      args: { ...entry.fixed, ...entry.changeable },
    }));
  }

  /** Labels of the kinds in it. */
  labels(): string[] {
    return this.entries.map(({ label }) => label);
  }

  kind(name: string): Kind | undefined {
    const entry = this.entries.find((one) => one.name === name);
    return entry && kindOf(entry);
  }

  /** The program was applied without faults: what stays whatever becomes of it has been made by now. */
  applied(): void {
    for (const entry of this.entries) {
      if (kindOf(entry).stays) this.made.set(`${entry.name} ${JSON.stringify(entry.fixed)}`, entry);
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

function kindOf({ label }: Entry): Kind {
  return kindNamed(label);
}

function kindNamed(label: string): Kind {
  const kind = KINDS[label];
  if (kind === undefined) throw new Error(`no kind ${label}`);
  return kind;
}
