import type {
  EnforcementLevel,
  PolicyConfigSchema,
  ResourceValidationPolicy,
  Severity,
  StackValidationPolicy,
} from "@pulumi/policy";
import { z } from "zod";
import type { Kind } from "./kinds";
import { fits } from "./patterns";
import { stackOf, type Subject, subjectOf } from "./subject";

/** Settings of a policy as zod schemas with defaults. */
export type SettingsShape = Readonly<Record<string, z.ZodDefault>>;

/** Settings with their defaults filled in. */
export type Settings<S extends SettingsShape> = { readonly [K in keyof S]: z.output<S[K]> };

/** What a policy is made with; each setting can be given in the pack's configuration as well, which counts first. */
export type PolicyOptions<S extends SettingsShape> = { [K in keyof S]?: z.input<S[K]> } & CommonOptions;

/** Options that every policy takes. */
export interface CommonOptions {
  /** `advisory` tells, `mandatory` stops, `disabled` leaves out. Default: the pack's. */
  enforcementLevel?: Exclude<EnforcementLevel, "remediate">;
  /** Logical names of resources that the policy leaves alone; `*` stands for any characters. Default: none. */
  except?: string[];
}

/** What is the same for policies of one resource and of a whole stack. */
interface Described<S extends SettingsShape> {
  /** Name in kebab-case, in messages and in the pack's configuration. */
  readonly name: string;
  readonly displayName: string;
  /** Why there is such a policy, and what it asks. */
  readonly why: string;
  /** How to comply. */
  readonly comply: string;
  readonly severity: Severity;
  readonly settings: S;
}

/** A policy that looks at each resource before it is made or changed. */
export interface ResourcePolicyDefinition<S extends SettingsShape> extends Described<S> {
  readonly kinds: readonly Kind[];
  /** What violates the policy, a sentence each. */
  readonly check: (subject: Subject, settings: Settings<S>) => readonly string[];
}

/** A violation that a policy of the whole stack found. */
export interface StackViolation {
  readonly message: string;
  /** Whose it is; the stack's where left out. */
  readonly urn?: string;
}

/** A policy that looks at all resources of a stack together. */
export interface StackPolicyDefinition<S extends SettingsShape> extends Described<S> {
  /** What violates the policy. `exempt` tells of a logical name whether the policy leaves it alone. */
  readonly check: (
    subjects: readonly Subject[],
    settings: Settings<S>,
    context: { readonly stack: string; readonly exempt: (name: string) => boolean },
  ) => readonly StackViolation[];
}

/** Makes a policy of each resource, as `PolicyPack` takes it. */
export function resourcePolicy<S extends SettingsShape>(
  definition: ResourcePolicyDefinition<S>,
): (options?: PolicyOptions<S>) => ResourceValidationPolicy {
  return (options) => {
    const given = new Given(definition, options);
    return {
      ...given.described,
      validateResource: (args, reportViolation) => {
        const subject = subjectOf(args);
        if (subject === undefined || !definition.kinds.includes(subject.kind)) return;
        const { settings, exempt } = given.now(args.getConfig());
        if (exempt(subject.name)) return;
        for (const message of definition.check(subject, settings)) reportViolation(message);
      },
    };
  };
}

/** Makes a policy of the whole stack, as `PolicyPack` takes it. */
export function stackPolicy<S extends SettingsShape>(
  definition: StackPolicyDefinition<S>,
): (options?: PolicyOptions<S>) => StackValidationPolicy {
  return (options) => {
    const given = new Given(definition, options);
    return {
      ...given.described,
      validateStack: (args, reportViolation) => {
        const { settings, exempt } = given.now(args.getConfig());
        const subjects = args.resources.map(subjectOf).filter((subject) => subject !== undefined);
        const stack = stackOf(args.resources[0]?.urn ?? "");
        for (const { message, urn } of definition.check(subjects, settings, { stack, exempt }))
          reportViolation(message, urn);
      },
    };
  };
}

/** The options of one policy, and what the pack's configuration makes of them. */
class Given<S extends SettingsShape> {
  readonly described: Omit<ResourceValidationPolicy, "validateResource">;
  private readonly schema: z.ZodObject;
  private readonly options: object;

  constructor(definition: Described<S>, options: PolicyOptions<S> | undefined) {
    const { enforcementLevel, ...settings }: CommonOptions = options ?? {};
    this.options = settings;
    this.schema = z.strictObject({
      ...definition.settings,
      except: z.array(z.string()).default([]).describe("Logical names that the policy leaves alone"),
    });
    const parsed = this.schema.safeParse(settings);
    if (!parsed.success)
      throw new Error(`policy ${definition.name}: ${z.prettifyError(parsed.error).replaceAll("\n", " ")}`);
    const { name, displayName, severity, why, comply } = definition;
    this.described = {
      name,
      displayName,
      severity,
      description: `${why} ${comply}`,
      remediationSteps: comply,
      tags: ["posthog"],
      configSchema: { properties: withDefaults(this.schema, parsed.data) },
      ...(enforcementLevel === undefined ? {} : { enforcementLevel }),
    };
  }

  now(configured: object): { settings: Settings<S>; exempt: (name: string) => boolean } {
    const parsed = this.schema.parse({ ...this.options, ...configured });
    const { except, ...settings } = parsed;
    return {
      // zod knows the shape that it parsed by a type which no generic signature can name.
      settings: settings as Settings<S>,
      exempt: (name) => fits(name, z.array(z.string()).parse(except)),
    };
  }
}

/** The engine fills in what a pack's configuration leaves out from these defaults. */
function withDefaults(schema: z.ZodObject, defaults: object): PolicyConfigSchema["properties"] {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input" });
  const given = new Map<string, unknown>(Object.entries(defaults));
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      // Both are JSON schemas; zod's type is the wider one.
      { ...(property as PolicyConfigSchema["properties"][string]), default: z.json().parse(given.get(name)) },
    ]),
  );
}
