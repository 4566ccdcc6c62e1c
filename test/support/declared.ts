/**
 * A resource of a test's program, as data. Inside `args` (at any depth) stand, beside plain values:
 * `{ $ref: "name.path" }`, an output of a resource declared before (`dash.id`, `team.members[0].id`);
 * `{ $secret: value }`, `pulumi.secret(value)`; `{ $unknown: value }`, an output that a preview does not know yet and
 * an update does; `{ $config: "ns:key" }`, the stack's configuration.
 */
export interface Declared {
  /** Exported class, such as `Dashboard`. */
  readonly class: string;
  /** Logical name. */
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** Resource options; `dependsOn` and `parent` name resources declared before. */
  readonly opts?: Readonly<Record<string, unknown>> & {
    readonly dependsOn?: readonly string[];
    readonly parent?: string;
  };
  /** Declared by `Class.get(name, id, state, opts)` instead. */
  readonly get?: { readonly id: unknown; readonly state?: Readonly<Record<string, unknown>> };
}

/** What the interpreter of a test's program reads. */
export interface Program {
  /** Module whose classes are declared. */
  readonly module: string;
  readonly resources: readonly Declared[];
  /** Stack outputs; the same forms as in `args`. */
  readonly outputs: Readonly<Record<string, unknown>>;
}
