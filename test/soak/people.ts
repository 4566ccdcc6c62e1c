import { isObject } from "../../src/engine/values/json";
import type { Declared } from "../support/stack";
import type { Kind } from "./kind";
import { invited, lower, membership } from "./kinds-people";
import type { Random } from "./random";
import type { World } from "./world";

/** What a person is declared by; nobody declares those who have left. */
const JOINED = ["Member", "Member by UUID", "TeamMember"] as const;
const INVITED = ["Invite", "InviteBatch", "TeamMember"] as const;
type Form = (typeof JOINED)[number] | (typeof INVITED)[number] | "nothing";

/** Where a person stands in the program. */
interface Place {
  readonly form: Form;
  /** Logical name of the resource. */
  readonly name: string;
  /** The name that it had before, where the program says so. */
  readonly alias?: string;
  readonly level: "member" | "admin";
}

interface Person {
  readonly email: string;
  /** UUID of who has joined. */
  readonly uuid: string | undefined;
  readonly place: Place;
}

/** Numbers of people that no other resource of a random program has. */
const FIRST = 1000;

const KIND: Kind = {
  class: "",
  fixed: () => ({}),
  makes: ({ class: kind, outputs }) => {
    const { user, email, targetEmail, status } = outputs;
    if (kind === "Member") return [["members", lower(isObject(user) ? user["email"] : undefined)]];
    if (kind === "TeamMember") return [[status === "member" ? "members" : "invites", lower(email)]];
    const addresses = kind === "Invite" ? [lower(targetEmail)] : invited(outputs);
    return addresses.map((address) => ["invites", address] as const);
  },
  shows: (world, id) => membership(world, id),
};

/**
 * People whom one kind of resource declares and then another, by one name and then by another: they stay members, and
 * invited, all the while.
 */
export class People {
  private people: Person[] = [];
  private count = 0;

  constructor(
    private readonly random: Random,
    private readonly world: World,
  ) {
    for (let n = random.whole(2, 7); n > 0; n--) this.add();
  }

  declared(): Declared[] {
    const resources = new Map<string, Declared & { args: Record<string, unknown> }>();
    for (const { email, uuid, place } of this.people) {
      const { form, name, alias, level } = place;
      if (form === "nothing") continue;
      const kind = form === "Member by UUID" ? "Member" : form;
      const opts = alias === undefined ? {} : { opts: { aliases: [{ name: alias }] } };
      const other = resources.get(name);
      if (other !== undefined && (kind !== "InviteBatch" || other.class !== kind))
        throw new Error(`this program is wrong: ${kind} and ${other.class} are both called ${name}`);
      const invites = other?.args["invites"];
      const args = {
        Member: { email, level },
        "Member by UUID": { userUuid: uuid, level },
        TeamMember: { email, level },
        Invite: { targetEmail: email, level },
        InviteBatch: { invites: [...(Array.isArray(invites) ? invites : []), { targetEmail: email, level }] },
      }[form];
      resources.set(name, { class: kind, name, args, ...opts });
    }
    return [...resources.values()];
  }

  kind(name: string): Kind | undefined {
    return this.people.some(({ place }) => place.form !== "nothing" && place.name === name)
      ? KIND
      : undefined;
  }

  /** How many resources are about people who move. */
  get labels(): string[] {
    return this.declared().map(({ class: kind }) => `${kind} of someone who moves`);
  }

  /** Any edit: people come, go, and are declared by another kind or name, each of them once. */
  move(): void {
    const { random } = this;
    const before = this.people;
    this.people = before
      .filter(({ uuid, place }) => place.form !== "nothing" || uuid === undefined)
      .map((person) => ({ ...person, place: this.moved(person) }));
    this.renameBatches();
    if (random.chance(0.4)) this.swapNames();
    if (random.chance(0.4)) this.add();
    this.people = this.people
      .map((person) => ({ person, at: random.next() }))
      .sort((one, other) => one.at - other.at)
      .map(({ person }) => person);
    this.guard(before);
  }

  /**
   * An edit while something is unsettled: who has joined is declared by another kind. What becomes of an invite that an
   * interrupted run has sent for a resource which is then taken out is nobody's any more.
   */
  moveMembers(): void {
    this.people = this.people.map((person) =>
      person.uuid !== undefined && person.place.form !== "nothing" && this.random.chance(0.4)
        ? { ...person, place: { ...person.place, ...this.elsewhere(JOINED, person.place) } }
        : person,
    );
    if (this.random.chance(0.3)) this.swapNames(["Member", "TeamMember"], true);
  }

  private add(): void {
    const { random, world } = this;
    const n = FIRST + ++this.count;
    const hasJoined = random.chance(0.5);
    const email = hasJoined ? world.member(n) : `mover-${n}@people.example`;
    const form = random.pick<Form>(hasJoined ? JOINED : INVITED);
    const name = form === "InviteBatch" ? this.batch() : `p${n}`;
    const level = random.pick(["member", "admin"] as const);
    const uuid = hasJoined ? world.uuidOf(email) : undefined;
    this.people.push({ email, uuid, place: { form, name, level } });
  }

  private batch(): string {
    const known = this.people.filter(({ place }) => place.form === "InviteBatch");
    return known.length > 0 && this.random.chance(0.7)
      ? this.random.pick(known).place.name
      : this.newName("b");
  }

  private newName(letter: string): string {
    return `${letter}${FIRST + ++this.count}`;
  }

  private moved({ uuid, place }: Person): Place {
    const { random } = this;
    const { alias: _, ...stays } = place;
    const level = random.chance(0.15) ? random.pick(["member", "admin"] as const) : place.level;
    // A batch's name stays the batch's.
    if (random.chance(0.1))
      return {
        ...stays,
        form: "nothing",
        name: place.form === "InviteBatch" ? this.newName("p") : place.name,
      };
    if (place.form === "nothing" || random.chance(0.5))
      return { level, ...this.elsewhere<Form>(uuid === undefined ? INVITED : JOINED, place) };
    if (place.form === "InviteBatch" || random.chance(0.6)) return { ...stays, level };
    const name = this.newName("p");
    return random.chance(0.6) ? { ...stays, level, name, alias: place.name } : { ...stays, level, name };
  }

  /** Another kind, by the same name or by another one; another batch, where that is all there is. */
  private elsewhere<T extends Form>(forms: readonly T[], { form, name }: Place): { form: T; name: string } {
    const next = this.random.pick(forms);
    if (next === "InviteBatch") return { form: next, name: this.batch() };
    const keeps = form !== "InviteBatch" && this.random.chance(0.5);
    return { form: next, name: keeps ? name : this.newName("p") };
  }

  private renameBatches(): void {
    const names = new Set(
      this.people.flatMap(({ place }) => (place.form === "InviteBatch" ? [place.name] : [])),
    );
    for (const was of names) {
      if (!this.random.chance(0.25)) continue;
      const name = this.newName("b");
      const alias = this.random.chance(0.5) ? { alias: was } : {};
      this.people = this.people.map((person) =>
        person.place.form === "InviteBatch" && person.place.name === was
          ? { ...person, place: { ...person.place, name, ...alias } }
          : person,
      );
    }
  }

  /** Two resources of one kind change places. */
  private swapNames(forms: readonly Form[] = ["Member", "TeamMember", "Invite"], joined?: boolean): void {
    const able = this.people.filter(
      ({ uuid, place }) => forms.includes(place.form) && (joined === undefined || uuid !== undefined),
    );
    if (able.length < 2) return;
    const one = this.random.pick(able);
    const others = able.filter(({ place }) => place.form === one.place.form && place.name !== one.place.name);
    if (others.length === 0) return;
    const other = this.random.pick(others);
    const at = (person: Person, { name, alias }: Place): Person => {
      const { alias: _, ...stays } = person.place;
      return { ...person, place: { ...stays, name, ...(alias === undefined ? {} : { alias }) } };
    };
    this.people = this.people.map((person) =>
      person === one ? at(one, other.place) : person === other ? at(other, one.place) : person,
    );
  }

  /** Whoever is declared before and after is to be there all the while. */
  private guard(before: readonly Person[]): void {
    const members: string[] = [];
    const invites: string[] = [];
    for (const person of this.people) {
      const old = before.find(({ email }) => email === person.email);
      if (old === undefined || old.place.form === "nothing" || person.place.form === "nothing") continue;
      if (person.uuid !== undefined) members.push(person.email);
      else if (this.keepsInvite(old.place, person)) invites.push(person.email);
    }
    this.world.guard(members, invites);
  }

  /**
   * Whether an invite need not be made anew. It has to be where it says something else; where an `Invite` takes over,
   * which is a message of its own; and where the engine may have the resource that gives it up take it back before it
   * asks the one that takes it over: a list of invites that stays, or an `Invite` that is now for another person.
   */
  private keepsInvite(old: Place, { email, place }: Person): boolean {
    if (old.level !== place.level) return false;
    const isSame = old.form === place.form && (place.alias ?? place.name) === old.name;
    if (isSame) return true;
    if (place.form === "Invite") return false;
    return !this.people.some(
      ({ email: another, place: { form, name, alias } }) =>
        another !== email &&
        form === old.form &&
        (form === "InviteBatch" || form === "Invite") &&
        (alias ?? name) === old.name,
    );
  }
}
