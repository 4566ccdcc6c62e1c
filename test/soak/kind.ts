import type { Random } from "./random";
import type { List, World } from "./world";

/** Arguments as the program declares them, in the forms of `test/support/declared.ts`. */
export type Args = Readonly<Record<string, unknown>>;

/** A resource as a state holds it. */
export interface Managed {
  readonly name: string;
  readonly class: string;
  readonly id: string;
  readonly outputs: Args;
}

/** What a random program needs to say something. */
export interface Choice {
  /** A number that no other resource of the program has. */
  readonly n: number;
  readonly random: Random;
  readonly world: World;
}

/** A kind of resource as random programs declare it. Several can have one class. */
export interface Kind {
  readonly class: string;
  /** What the resource is about; where that changes, many kinds become another object. */
  fixed(choice: Choice): Args;
  /** Values of arguments that are changed in place. Each may be left out, unless `always` names it. */
  changeable?(n: number): Readonly<Record<string, readonly unknown[]>>;
  readonly always?: readonly string[];
  /** Whether two resources may say the very same. */
  readonly alike?: boolean;
  /** The kind whose `id` an argument needs, with that argument. */
  readonly refers?: { readonly to: string; readonly as: string };
  /** The objects at the service that are this resource: the list and a key for each. */
  makes(resource: Managed): readonly (readonly [List, string])[];
  /** What was made stays at the service whatever becomes of the resource. */
  readonly stays?: boolean;
  /** What the service itself holds for arguments of this resource, in its own words. */
  shows?(world: World, id: string): Args | undefined;
}

/** Texts that no log, file or state may hold in clear. */
export const SECRETS = ["hush-access-key", "hush-password", "hush-token", "hush-words"] as const;

export const secret = (text: string) => ({ $secret: text });
