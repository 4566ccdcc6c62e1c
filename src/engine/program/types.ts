import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { Shape } from "../definition";

type Primitive = string | number | boolean | null | undefined;

/**
 * A value in which every part may be another resource's output. Distributes over unions: an output of `T | undefined`
 * then fits an optional `T`.
 */
export type Lifted<T> = T extends Primitive
  ? T
  : T extends readonly (infer Member)[]
    ? pulumi.Input<Lifted<Member>>[]
    : T extends object
      ? { [K in keyof T]: pulumi.Input<Lifted<T[K]>> }
      : T;

/** Arguments that every resource takes besides its own. */
export interface CommonArgs {
  /**
   * Name of an entry of `posthog:connections`, for a stack that works with several accounts. Default: the
   * configuration's own key and host. A change is an update that sends nothing.
   */
  connection?: pulumi.Input<string | undefined>;
  /**
   * Id of an object that exists already and is to be managed from now on: it is read, only what differs is
   * changed, and it keeps its id. Counts only while the resource is not in the stack's state.
   */
  adoptId?: pulumi.Input<string | undefined>;
}

/** What the user writes for a shape: documentation and optionality survive, every part is lifted. */
export type ArgsOf<S extends Shape> = {
  [K in keyof z.input<z.ZodObject<S>>]: pulumi.Input<Lifted<z.input<z.ZodObject<S>>[K]>>;
};

/** The outputs of a shape: all of them are there, whether or not the service says anything. */
export type OutputsOf<S extends Shape> = {
  readonly [K in keyof z.output<z.ZodObject<S>>]-?: pulumi.Output<z.output<z.ZodObject<S>>[K]>;
};
