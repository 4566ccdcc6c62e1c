import { isObject } from "../engine/values/json";
import { type Kind, kindOf } from "./kinds";

/** Stands for a value that a preview cannot know yet. The `up` looks at it again, before the resource is made. */
export const UNKNOWN = Symbol("unknown");

/** Arguments of a resource as plain JSON, with {@link UNKNOWN} in the places that are not known yet. */
export type Plain = Readonly<Record<string, unknown>>;

/** A resource as a policy sees it. */
export interface Subject {
  readonly kind: Kind;
  /** Logical name. */
  readonly name: string;
  readonly urn: string;
  /** Its arguments; for a policy of the whole stack its outputs, too. */
  readonly props: Plain;
  /** Whether the resource option `protect` is set. */
  readonly isProtected: boolean;
  readonly additionalSecretOutputs: readonly string[];
  /** URNs of the resources that it depends on; empty where a policy sees the resource alone. */
  readonly dependencies: readonly string[];
  /** URNs of the resources that an argument comes from. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
}

interface Seen {
  readonly type: string;
  readonly name: string;
  readonly urn: string;
  readonly props: object;
  readonly opts: { readonly protect: boolean; readonly additionalSecretOutputs: readonly string[] };
  readonly dependencies?: readonly { readonly urn: string }[];
  readonly propertyDependencies?: Readonly<Record<string, readonly { readonly urn: string }[]>>;
}

/** What a policy sees of a resource that the engine shows; undefined where it is none of this package. */
export function subjectOf(seen: Seen): Subject | undefined {
  const kind = kindOf(seen.type);
  if (kind === undefined) return undefined;
  const urns = (of: readonly { readonly urn: string }[] = []): string[] => of.map(({ urn }) => urn);
  return {
    kind,
    name: seen.name,
    urn: seen.urn,
    props: record(seen.props),
    isProtected: seen.opts.protect,
    additionalSecretOutputs: seen.opts.additionalSecretOutputs,
    dependencies: urns(seen.dependencies),
    sources: Object.fromEntries(
      Object.entries(seen.propertyDependencies ?? {}).map(([name, of]) => [name, urns(of)]),
    ),
  };
}

/** The name of the stack that a URN belongs to. */
export function stackOf(urn: string): string {
  return /^urn:pulumi:(.*?)::/.exec(urn)?.[1] ?? "";
}

/** A value as text; undefined where it is none, or not known yet. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The entries of a list that are objects. */
export function entriesOf(value: unknown): Plain[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The entries of a list that are texts. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

function record(value: object): Plain {
  return Object.fromEntries(Object.keys(value).map((key) => [key, member(value, key)]));
}

/** Policies get proxies that throw at whatever is unknown; one unknown argument is no reason to see none. */
function member(value: object, key: string | number): unknown {
  let found: unknown;
  try {
    found = Reflect.get(value, key);
  } catch (error) {
    if (error instanceof Error && "unknownTypeSentinel" in error) return UNKNOWN;
    throw error;
  }
  if (Array.isArray(found)) return Array.from({ length: found.length }, (_, index) => member(found, index));
  return typeof found === "object" && found !== null ? record(found) : found;
}
