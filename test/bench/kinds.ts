import { join } from "node:path";
import type { Emulator } from "../support/emulator";
import type { Declared } from "../support/stack";
import type { ContenderName, KindName } from "./findings";

/** Objects on one page of a list of the service. */
const PAGE = 100;

/** What is declared so many times over in one program. */
export interface Kind {
  readonly name: KindName;
  declared(count: number, emulator: Emulator): Declared[];
  /** The fewest requests in which so many can be read. */
  leastReads(count: number): number;
}

export const KINDS: readonly Kind[] = [
  {
    name: "dashboards",
    declared: (count) =>
      Array.from({ length: count }, (_, index) => ({
        class: "Dashboard",
        name: `board-${index}`,
        args: {
          name: `Board ${index}`,
          description: `What team ${index % 20} looks at on Monday.`,
          tags: [`team:${index % 20}`],
          pinned: index % 10 === 0,
        },
      })),
    leastReads: (count) => Math.ceil(count / PAGE),
  },
  {
    name: "members",
    declared: (_, emulator) =>
      emulator.store.memberships.all().map(({ user_id, level }, index) => ({
        class: "Member",
        name: `person-${index}`,
        args: { userUuid: emulator.store.users.require(user_id).uuid, level },
      })),
    leastReads: (count) => Math.ceil(count / PAGE),
  },
];

const preloaded = (name: string): string => join(__dirname, "preload", `${name}.cjs`);

/** One of those that are compared. */
export interface Contender {
  readonly name: ContenderName;
  /** Module whose classes the program declares; this package unless given. */
  readonly module?: string;
  /** Files that its processes load first. */
  readonly preload: readonly string[];
}

export const OURS: Contender = { name: "this package", preload: [] };
export const UNSHARED: Contender = { name: "without sharing", preload: [preloaded("single-reads")] };
export const NAIVE: Contender = {
  name: "naive",
  module: join(__dirname, "naive", "index.cjs"),
  preload: [],
};
export const FLOOR: Contender = { name: "engine alone", preload: [preloaded("floor")] };

/** Preloaded for all: what the provider's process used. */
export const MEASURE = preloaded("measure");
