import type { dynamic } from "@pulumi/pulumi";
import type { z } from "zod";
import type { Call, Found, Remote } from "./requests/remote";
import type { Json, JsonObject, Props } from "./values/json";

/** Named zod schemas; JSDoc on a key (on its own line) is what editors show for the argument or output. */
export type Shape = Readonly<Record<string, z.ZodType>>;

/** Something wrong with the arguments, found when they are checked. */
export interface Problem {
  /** The argument, with its path (`destination.config.bucketName`). */
  argument: string;
  /** What is wrong and what is allowed; never a secret's value. */
  reason: string;
}

/** What one argument needs beyond its schema. */
export interface FieldRules {
  /** The value as the service takes it. Default: keys that the schema declares are renamed. */
  encode?(value: unknown): Json;
  /**
   * The argument as it is now, from what the service says and what the state holds: here stays what a read
   * leaves out (secrets). Default: the service's value in canonical form.
   */
  settle?(live: unknown, stored: unknown): unknown;
  /**
   * The argument as a program declares what the service says, with `WITHHELD` in the place of each secret that it
   * works with and that no read shows; undefined where nothing can be declared. Default: the service's value in
   * canonical form.
   */
  declare?(live: unknown): unknown;
  /** True where the stored value already is what is wanted. Default: equal in all that JSON can say. */
  same?(stored: unknown, wanted: unknown): boolean;
  /** Paths inside the stored value that the program took out and that the service cannot clear. Default: none. */
  unclearable?(stored: unknown, wanted: unknown): readonly string[];
  /**
   * What an object can be recognised by, from the service's value: each part by its name, nothing secret and nothing
   * that the service changes. Default: the whole value in canonical form; nothing of what may be secret.
   */
  parts?(value: Json): Props;
  /** Paths inside the value that are secret. Default: none, or all of it where its schema is marked. */
  secretPaths?(value: unknown): readonly (readonly string[])[];
}

/** What a kind's own rules add to a difference. */
export interface Judgement {
  /** Arguments that are no difference in the object's present state. */
  ignores?: readonly string[];
  /** Reasons to make a new object. */
  replaces?: readonly string[];
  /** Arguments that are sent although they stand there as declared: an expired invite, a version called `latest`. */
  resends?: readonly string[];
  /** Where a new object is made: the old one has to go first, since both cannot exist at once. */
  deletesFirst?: boolean;
  /** Warnings for the person who reads the preview. */
  notes?: readonly string[];
  /** Arguments that name the same object in another way: the state learns of it, and nothing is sent. */
  restates?: readonly string[];
  /** Lines about what the next update does, where the difference of the arguments does not say it. */
  plans?: readonly string[];
}

/** An object of a kind. */
export interface ManagedObject {
  /** {@link ResourceDefinition.type} */
  readonly type: string;
  readonly id: string;
}

/** Names of a shape's keys. */
export type Names<S> = readonly Extract<keyof S, string>[];

/** A resource as data: the lifecycle reads it, nothing else knows the kind. */
export interface ResourceDefinition {
  /** Class name and last part of the type token. Never changes once released: states hold it. */
  readonly type: string;
  /** What the user writes. */
  readonly inputs: Shape;
  /** What only the service says. Absent from the state: what is not declared here. */
  readonly outputs: Shape;
  /** Whose object it is; decides the scope argument, its fallback and where the parent is asked. */
  readonly scope: "project" | "organization" | "projectOrOrganization" | "none";
  /** Path of the collection; `{projectId}` and `{organizationId}` are filled in. */
  readonly path: string;
  /** API key scope that reads and writes need, without `:read` and `:write`. */
  readonly keyScope: string;
  /** Where the service's object has its id (dotted); of several places the first that is there. Default `id`. */
  readonly idField?: string | readonly string[];
  /** Whether one object can be asked for, or only the list. Default `get`. */
  readonly read?: "get" | "list";
  /** Arguments that the list form leaves out; the state holds them only where they are declared. */
  readonly listLacks?: readonly string[];
  /** Whether PATCH exists. Default `patch`; with `none` every argument replaces. */
  readonly update?: "patch" | "none";
  /** Arguments whose change makes a new object. */
  readonly replaceOnChanges: readonly string[];
  /** Whether the old object must go first, since both cannot exist at once. Default false. */
  readonly deleteBeforeReplace?: boolean;
  /** Whether a creation takes over what exists already: what is replaced by itself is then not removed in between. */
  readonly takesOver?: boolean;
  /** Arguments (their names in the body) by which a new object is recognised, where the service changes the others. */
  readonly identity?: (body: JsonObject) => readonly string[] | undefined;
  /** What an argument becomes when it is taken out of the program; what is not named here cannot be cleared. */
  readonly clears: Readonly<Record<string, Json>>;
  /** Arguments that are sent and never come back: the state keeps them, they are never drift. */
  readonly writeOnly?: readonly string[];
  /** Arguments that no request carries; a change is an update that sends nothing. */
  readonly local?: readonly string[];
  /** Arguments set by an action of their own (`/pause/`): value as text to the action's name. */
  readonly transitions?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Arguments that the service refuses until an output is true; until then they wait and are no difference. */
  readonly waitsFor?: { readonly output: string; readonly arguments: readonly string[] };
  /** Where an argument needs more than its schema. */
  readonly fields?: Readonly<Record<string, FieldRules>>;
  /** Optional arguments of which at least one has to be given. */
  readonly requireOneOf?: readonly string[];
  /** Rules over several arguments; called with those that are known. */
  readonly refine?: (args: Props) => Problem[];
  /**
   * What check has to ask the service: called with arguments whose place is known, and the former ones. Where the
   * service does not answer, that is for the request that follows to tell.
   */
  readonly inspect?: (call: Call, args: Props, former: Props) => Promise<Problem[]>;
  /** What this kind's diff knows beyond the comparison of arguments; `ask` is for what only the service can tell. */
  readonly judge?: (stored: Props, wanted: Props, ask: () => Call) => Judgement | Promise<Judgement>;
  /**
   * Objects of other kinds that its resources manage besides their own, from the outputs: whatever else is taken out
   * of the program, they stay.
   */
  readonly manages?: (outputs: Props) => readonly ManagedObject[];
  /** What an id that is put together says of the arguments, for `get`, which knows nothing else. */
  readonly argumentsOf?: (id: string) => Props;
  /**
   * Brings back an object that was soft-deleted outside. Where this is given, a missing object stays in the state
   * with `deleted: true`.
   */
  readonly restore?: (call: Call, id: string, stored: Props) => Promise<Found>;
  /** What this kind does its own way; all else is done by the rules of the collection. */
  readonly remote?: Partial<Remote>;
  /** A lifecycle of its own, for what is an action and no object of the service. */
  readonly lifecycle?: (definition: ResourceDefinition) => dynamic.ResourceProvider;
  /** Outputs that follow from the others, such as the name of a DNS record. */
  readonly derive?: (outputs: Props) => Props;
  /**
   * Outputs that say what arguments of another name say, by these arguments: secret where the program gave one of them
   * as a secret. Under the same name the engine marks them itself.
   */
  readonly repeats?: Readonly<Record<string, readonly string[]>>;
}

/** A definition whose names are checked against its shapes. */
export type Declaration<I extends Shape, O extends Shape> = ResourceDefinition & {
  readonly inputs: I;
  readonly outputs: O;
  readonly replaceOnChanges: Names<I>;
  readonly writeOnly?: Names<I>;
  readonly local?: Names<I>;
  readonly listLacks?: Names<I>;
  readonly waitsFor?: { readonly output: Extract<keyof O, string>; readonly arguments: Names<I> };
  readonly repeats?: Readonly<Partial<Record<Names<I & O>[number] | `__${string}`, Names<I>>>>;
};

/** Arguments that every resource takes. */
export const COMMON_ARGUMENTS = ["connection", "adoptId"] as const;
