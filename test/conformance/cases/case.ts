import type { Emulator } from "../../support/emulator";

/** Arguments of a resource, as a program writes them; `{ $world: name }` stands for what only the running emulator knows. */
export type Args = Readonly<Record<string, unknown>>;

/** A value that only the running emulator knows, as arguments and requests name it. */
export interface WorldValue {
  readonly $world: string;
}

/** Why something is not asked of a kind or an argument. */
export interface Exempt {
  readonly why: string;
}

/** What the state has of one object. */
export interface Kept {
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** A request below one object: `["PATCH", "", body]`, `["POST", "pause/"]`. */
export type Sent = readonly [method: string, action: string, body?: unknown];

/** What a change of an argument makes the service receive. */
export type Effect = "patch" | "replacement" | "nothing" | readonly Sent[];

/** What becomes of an argument that is taken out of the program. */
export type Clearing =
  | { readonly to: unknown }
  | { readonly sends: readonly Sent[] }
  /** The service cannot empty it: one warning, and no difference. */
  | "stays"
  | "replacement"
  | "nothing"
  | "required"
  | Exempt;

/** One argument of a kind, in an object of its own: declared, changed, changed outside, taken out. */
export interface ArgumentCase {
  /** The argument, or a path inside one (`destination.config.prefix`). */
  readonly argument: string;
  /** Tells two cases of an argument apart. */
  readonly label?: string;
  /** The service's field. */
  readonly field: string;
  /** What this object declares besides the kind's own; undefined takes an argument out. */
  readonly with?: Args;
  /** What has to change with it: a tile is on one dashboard. Declared while the argument has its first value, its second, none. */
  readonly along?: readonly [first: Args, second: Args, takenOut?: Args];
  /** Declared at first; undefined where it is not. */
  readonly first: unknown;
  readonly second: unknown;
  /** `first` and `second` as the service receives them, where it writes them another way. */
  readonly sent?: readonly [first: unknown, second: unknown];
  /** Whether the POST carries `first`; `path` where the request's path does. Default: `body`. */
  readonly creation?: "body" | "path" | "unsent";
  /** What is sent instead of a POST, where this object takes over what is there. */
  readonly takenOver?: readonly Sent[];
  /** Exempt: there is no other value, or none that the state would know of. */
  readonly update: Effect | Exempt;
  /** What a preview foresees where the second value is not known yet. Default: what `update` says. */
  readonly whileUnknown?: "update";
  /** A change by someone else, where the service lets anybody make one. */
  readonly outside?: Outside;
  readonly cleared: Clearing;
  /** The order of a replacement where it is not the kind's. */
  readonly order?: Order;
}

export type Order = "old first" | "new first";

export interface Outside {
  /** What someone else requests. `row` instead changes the emulator's row, where no request can. */
  readonly by: readonly Sent[] | { readonly row: Args };
  /** The argument's value that refresh then shows. */
  readonly shown: unknown;
  /** What the next `up` sends; the argument's own effect unless given. */
  readonly back?: readonly Sent[];
}

/** What becomes of an object that someone else removed, where it is not simply made anew. */
export interface Vanishing {
  /** The difference that a refresh names. */
  readonly drift: string;
  /** What the next `up` sends. */
  readonly sends: readonly Sent[];
}

/** What someone else has made, by the name that tells one from another: taken over, looked up, generated. */
export interface Existing {
  /** Body of the request that made it; `$world` is the id of what is there already. */
  readonly made: (name: string) => Args | WorldValue;
  /** Arguments that say the same. */
  readonly equal: (name: string) => Args;
  /** What a program wants beyond that, and how preview names it. */
  readonly differing: Args;
  readonly named: string;
  /** What is then sent. Default: nothing, since it cannot be changed in place, and preview refuses. */
  readonly patch?: unknown;
  /** What a lookup shows, where that is not what `equal` says, letter by letter. */
  readonly shown?: (name: string) => Args;
}

/** A kind, what each of its objects declares, and its arguments. */
export interface KindCases {
  readonly kind: string;
  /** Path of the collection, and what the kind is called in it. */
  readonly path: string;
  /** Arguments of every object; `slug` tells objects apart. */
  readonly base: (slug: string) => Args;
  /** Argument that tells objects apart in the request that makes one, and what of it stands there. Default: all. */
  readonly marker: string;
  readonly markOf?: (value: unknown) => unknown;
  /** The request that makes an object, as `METHOD path`. Default: a POST to the collection. */
  readonly creation?: RegExp | Exempt;
  /** Ids by which requests name an object or its parts. Default: the last part of its id. */
  readonly idsOf?: (kept: Kept) => readonly string[];
  /** Texts by which a request to a collection tells that it is about the object. Default: none does. */
  readonly marksOf?: (kept: Kept) => readonly string[];
  readonly order: Order;
  /** Why a replacement may have the id of the one before it. */
  readonly keepsId?: string;
  /** What someone else requests to remove an object, or does to its row; or why nobody can. */
  readonly removal: Sent | { readonly row: Args } | Exempt;
  /** What becomes of an object that someone else removed. Default: it is made anew. */
  readonly vanished?: Vanishing | "taken over";
  /** What destroying does not remove: released with a warning, or why there is nothing to remove. Default: removed. */
  readonly destroyed?: "released" | Exempt;
  /** Makes what objects of this kind stand on: values that arguments name by `$world`. */
  readonly prepare?: (
    site: Site,
    slugs: readonly string[],
  ) => Promise<Readonly<Record<string, string | number>>>;
  readonly existing: Existing | Exempt;
  readonly arguments: readonly ArgumentCase[];
}

/** Someone else's hands, for what has to be there before a program runs. */
export interface Site {
  readonly emulator: Emulator;
  /** What is known so far. */
  readonly values: Readonly<Record<string, string | number>>;
  /** Makes an object; throws where the service refuses. */
  made(path: string, body: unknown): Promise<Readonly<Record<string, unknown>>>;
  /** A folder that goes with the emulator. */
  readonly folder: string;
}

/** True where a case says that something is not asked of it. */
export function isExempt(value: unknown): value is Exempt {
  return typeof value === "object" && value !== null && "why" in value;
}

/** A name for an object that serves an argument. */
export function slugOf(argument: string): string {
  return argument.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
}

/** Removed by someone else in the middle of the life, and right before its end. */
export const DOOMED = ["gone", "goneBeforeDestroy"] as const;

/** The names of a kind's objects: one for each argument, two that someone else removes, one that has all arguments. */
export function slugsOf(kind: KindCases): string[] {
  return [...kind.arguments.map(({ label, argument }) => label ?? argument), ...DOOMED, "whole"].map(slugOf);
}
