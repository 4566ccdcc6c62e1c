import * as pulumi from "@pulumi/pulumi";
import { DynamicResource } from "../../dynamic";
import { typeToken } from "../../type-token";
import type { Declaration, ResourceDefinition, Shape } from "../definition";
import type { Props } from "../values/json";
import { refusePlainKeys } from "./plain-keys";
import { markSecrets, namesOfSecrets, PLAIN_SECRET, plainSecrets, repeating } from "./secrets";
import { HIDDEN } from "../state/state";

/** The stack that the program runs for, in full: the provider is told no name of it. */
function stackName(): string {
  return [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join("/");
}

/** A definition that keeps its shapes, so that types can be made of them. */
export function definition<I extends Shape, O extends Shape>(given: Declaration<I, O>): Declaration<I, O> {
  return given;
}

/** What classes were made of, by type token. */
const definitions = new Map<string, ResourceDefinition>();

/** The definition that a class was made of. */
export function definitionOf({ __pulumiType: token }: { readonly __pulumiType: string }): ResourceDefinition {
  const found = definitions.get(token);
  if (found === undefined) throw new Error(`no class was made for ${token}`);
  return found;
}

/** The class that a definition becomes, for arguments `A` and outputs `O`. */
export interface ResourceClass<A extends object, O> {
  new (
    name: string,
    ...rest: object extends A
      ? [args?: A, opts?: pulumi.CustomResourceOptions]
      : [args: A, opts?: pulumi.CustomResourceOptions]
  ): pulumi.CustomResource & O;
  /** Type token; policies match the class by it. */
  readonly __pulumiType: string;
  /**
   * Looks up an object that something else manages. The object is read, never changed; where the service does not
   * have it, the program fails. `state` takes the arguments that say where it is: `projectId`, `organizationId`,
   * `connection`.
   */
  get<T>(
    this: new (...args: never) => T,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state?: Partial<Omit<A, "adoptId">>,
    opts?: pulumi.CustomResourceOptions,
  ): T;
  /** True for an instance of this class, even of another copy of the package. */
  isInstance(candidate: unknown): boolean;
}

/**
 * The class of a kind: arguments lifted, outputs typed, secrets marked. `A` and `O` are the interfaces made of the
 * definition's shapes; as names they keep what editors show short.
 */
export function defineResource<A extends object, O>(given: ResourceDefinition): ResourceClass<A, O> {
  const outputs = [...Object.keys(given.inputs), ...Object.keys(given.outputs)];

  class Resource extends DynamicResource {
    static readonly __pulumiType = typeToken(given.type);

    static override isInstance(candidate: unknown): candidate is Resource {
      return (
        pulumi.CustomResource.isInstance(candidate) &&
        (candidate as { __pulumiType?: unknown }).__pulumiType === Resource.__pulumiType
      );
    }

    static get(
      name: string,
      id: pulumi.Input<pulumi.ID>,
      state?: Props,
      opts?: pulumi.CustomResourceOptions,
    ) {
      return new this(name, { ...state, [HIDDEN.get]: true }, { ...opts, id });
    }

    constructor(name: string, args: Props = {}, opts: pulumi.CustomResourceOptions = {}) {
      refusePlainKeys();
      const { import: imported, ...options } = opts;
      const seeds = Object.fromEntries(outputs.map((output) => [output, undefined]));
      const adopted = imported === undefined ? {} : { adoptId: imported };
      const secretOutputs = [
        ...(options.additionalSecretOutputs ?? []),
        HIDDEN.dropped,
        ...plainSecrets(given, args).map((path) => `${PLAIN_SECRET}${path}`),
      ];
      // An output tells later whether it is secret. The list is read once all arguments are known, this one, too.
      const secrets = namesOfSecrets(args).then((names) => {
        secretOutputs.push(...repeating(given, names));
        return names;
      });
      super(
        given.type,
        name,
        {
          ...seeds,
          ...markSecrets(given, args),
          ...adopted,
          [HIDDEN.name]: name,
          [HIDDEN.stack]: stackName(),
          // The engine tells the provider of no secrets, whose messages would show them.
          [HIDDEN.secret]: secrets.then((names) => (names.length === 0 ? undefined : names)),
          // The provider puts a slug here: in an argument that is secret already.
          [HIDDEN.organization]: secrets.then((names) =>
            names.includes("organizationId") ? pulumi.secret("") : undefined,
          ),
        },
        {
          // Where a person asks for a replacement, the engine does not ask diff which of the two goes first.
          ...(given.deleteBeforeReplace === true ? { deleteBeforeReplace: true } : {}),
          // The engine cannot import a dynamic resource: it would call read without a provider.
          ...options,
          additionalSecretOutputs: secretOutputs,
        },
      );
    }
  }
  definitions.set(Resource.__pulumiType, given);
  // The outputs become properties when the engine answers: TypeScript cannot see that from the constructor.
  const made: unknown = Resource;
  return made as ResourceClass<A, O>;
}
