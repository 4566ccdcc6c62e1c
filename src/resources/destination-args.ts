import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { Lifted } from "../engine/program/types";
import type { destinationConfigs, KnownDestination } from "./destinations";

type Config<T extends KnownDestination> = z.input<(typeof destinationConfigs)[T]>;

/** A destination whose configuration we know. */
export type KnownDestinationArgs<T extends KnownDestination> = {
  /** Type of the destination. A change replaces the export. */
  type: T;
} & (object extends Config<T>
  ? {
      /** Configuration of that type. */
      config?: pulumi.Input<Lifted<Config<T>>>;
    }
  : {
      /** Configuration of that type. */
      config: pulumi.Input<Lifted<Config<T>>>;
    });

/** A destination of a type that this package does not know: its keys travel verbatim, all of them secret. */
export interface OtherDestinationArgs {
  /** Type of the destination. A change replaces the export. */
  type: OtherDestinationType | pulumi.Output<string>;
  /** Configuration as the service names it (snake_case). */
  config?: pulumi.Input<Record<string, unknown>>;
}

/** Where a batch export goes: the type decides which configuration it takes. */
export type DestinationArgs =
  { [T in KnownDestination]: KnownDestinationArgs<T> }[KnownDestination] | OtherDestinationArgs;

/**
 * Any text but the known types, so that `{ type: "S3", config: {} }` is an error and not an unknown destination. What
 * is only known to be a string needs a word: `type: name as OtherDestinationType`.
 */
export type OtherDestinationType = Not<KnownDestination>;

// TypeScript has no "string but not": this is the union of all ways in which a text leaves the known words, letter by
// letter ("any first letter but B, H, N ...", "S, then anything but 3 or n" ...).
type Not<Word extends string> =
  | `${Exclude<Letter, First<Word>>}${string}`
  | { [F in First<Word>]: `${F}${Not<After<F, Word>>}` }[First<Word>];
type First<Word extends string> = Word extends `${infer F}${string}` ? F : never;
type After<F extends string, Word extends string> = Word extends `${F}${infer Rest}` ? Rest : never;

// prettier-ignore
type Small =
  | "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m"
  | "n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z";
type Letter = Small | Uppercase<Small> | `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | "_" | "-" | "." | " ";
