/** Arguments of a resource, as a program writes them; `{ $world: name }` stands for what only the running emulator knows. */
export type Args = Readonly<Record<string, unknown>>;

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
  | "required";

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
  /** Declared at first; undefined where it is not. */
  readonly first: unknown;
  readonly second: unknown;
  /** `first` and `second` as the service receives them, where it writes them another way. */
  readonly sent?: readonly [first: unknown, second: unknown];
  /** Whether the POST carries `first`; `path` where the request's path does. Default: `body`. */
  readonly creation?: "body" | "path" | "unsent";
  readonly update: Effect;
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

/** A kind, what each of its objects declares, and its arguments. */
export interface KindCases {
  readonly kind: string;
  /** Path of the collection, and what the kind is called in it. */
  readonly path: string;
  /** Arguments of every object; `slug` tells objects apart. */
  readonly base: (slug: string) => Args;
  /** Argument that tells objects apart in a POST. */
  readonly marker: string;
  readonly order: Order;
  /** What someone else requests to remove an object. */
  readonly removal: Sent;
  readonly arguments: readonly ArgumentCase[];
}

/** A name for an object that serves an argument. */
export function slugOf(argument: string): string {
  return argument.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
}
