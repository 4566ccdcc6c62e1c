import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { SharedAnswers } from "../client/shared-answers";
import { clientFor, type ApiClient, type RequestOptions } from "../client/client";
import { ConfigurationError, PostHogError } from "../client/errors";
import { waysToGive } from "../client/naming";
import { settingsFor, type Settings } from "../client/settings";
import type { Shape } from "../engine/definition";
import { isObject, type Props } from "../engine/values/json";
import { resolveOrganization } from "../engine/requests/organization";
import { parseLeniently } from "../engine/values/lenient";
import { refusePlainKeys } from "../engine/program/plain-keys";
import type { Lifted } from "../engine/program/types";
import { decodeValue } from "../engine/values/wire";

/** What every data function takes besides its own arguments. */
export interface ConnectionArgs {
  /** Name of an entry of `posthog:connections`. Default: the configuration's own key and host. */
  connection?: string;
}

/** The arguments of a data function's `...Output` form: each part may be another resource's output. */
export type LiftedArgs<A> = { [K in keyof A]: pulumi.Input<Lifted<A[K]>> };

/** What a data function works with once its arguments are checked. Equal requests of a run are made once. */
export interface Question {
  /** The answer at this path, with `{projectId}`, `{organizationId}` and other arguments filled in. */
  get(template: string, scope: string, query?: RequestOptions["query"]): Promise<unknown>;
  /** Every page of the list at this path. */
  list(template: string, scope: string, query?: RequestOptions["query"]): Promise<unknown[]>;
}

/** A data function as data. */
export interface DataFunction<A extends Shape, R> {
  /** Its name, for messages. */
  readonly name: string;
  readonly args: A;
  /** Which of `projectId` and `organizationId` it needs; taken from configuration where it is not given. */
  readonly scope: "project" | "organization" | "projectOrOrganization" | "none";
  /** Whether what it answers is secret as a whole. Default: false. */
  readonly secret?: boolean;
  ask(question: Question, args: z.output<z.ZodObject<A>>): Promise<R>;
}

/** zod makes a record that holds nothing of a shape without keys, which no argument would fit beside. */
type ArgsFor<A extends Shape> = (keyof A extends never ? unknown : z.input<z.ZodObject<A>>) & ConnectionArgs;

/** What one run of a program has asked. */
class Asked {
  readonly singles = new SharedAnswers<unknown>();
  readonly lists = new SharedAnswers<unknown[]>();
  readonly organizations = new SharedAnswers<string>();
}

/** By what a run has of its own: with the Automation API one process runs several programs, or one several times. */
const runs = new WeakMap<object, Asked>();

function askedInThisRun(): Asked {
  const run = pulumi.runtime.getMonitor();
  const asked = (run && runs.get(run)) ?? new Asked();
  // Outside of a run nobody knows how long an answer holds.
  if (run !== undefined) runs.set(run, asked);
  return asked;
}

/**
 * A function that asks PostHog from the program. The same question is asked once in a run; every page of a list is
 * followed.
 */
export function dataFunction<A extends Shape, R>(given: DataFunction<A, R>) {
  const ask = async (args: ArgsFor<A>): Promise<R> => {
    const settings = settingsOf(given.name, args.connection);
    const { connection: _, ...own }: Props = Object.fromEntries(Object.entries(args));
    const parsed = z.strictObject(given.args).safeParse(own);
    if (!parsed.success) throw new ConfigurationError(`${given.name}: ${z.prettifyError(parsed.error)}`);
    const checked = parsed.data;
    const asked = askedInThisRun();
    const names = await scopeOf(given, checked, settings, asked.organizations);
    const client = clientFor(settings);
    return await given.ask(questionOf(given.name, client, { ...own, ...names }, asked), checked);
  };
  const call = async (args: ArgsFor<A>): Promise<R> => {
    try {
      return await ask(args);
    } catch (error) {
      // What Pulumi knows as a failure of the run is printed without a stack.
      if (PostHogError.isInstance(error)) Object.assign(error, { __pulumiRunError: true });
      throw error;
    }
  };
  return {
    call,
    output(args: LiftedArgs<ArgsFor<A>>): pulumi.Output<R> {
      const answer: pulumi.Output<unknown> = pulumi.output(args).apply((known) => call(plain(known)));
      // Answers are plain data: what Pulumi unwraps of them is themselves.
      return (given.secret === true ? pulumi.secret(answer) : answer) as pulumi.Output<R>;
    },
  };

  /** What `pulumi.output` unwraps is what was lifted; TypeScript cannot follow that through a generic type. */
  function plain(known: unknown): ArgsFor<A> {
    return known as ArgsFor<A>;
  }
}

function settingsOf(name: string, connection: string | undefined): Settings {
  refusePlainKeys();
  const config = new pulumi.Config("posthog");
  try {
    return settingsFor(connection, (key) => config.get(key.replace(/^posthog:/, "")), process.env);
  } catch (error) {
    if (ConfigurationError.isInstance(error))
      throw new ConfigurationError(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

async function scopeOf(
  given: DataFunction<Shape, unknown>,
  args: Props,
  settings: Settings,
  organizations: SharedAnswers<string>,
): Promise<Props> {
  const own = (key: "projectId" | "organizationId"): string | undefined =>
    typeof args[key] === "string" ? args[key] : undefined;
  if (given.scope === "project") {
    return {
      projectId: own("projectId") ?? settings.projectId ?? missing(given.name, "projectId", settings),
    };
  }
  if (given.scope === "none" || (given.scope === "projectOrOrganization" && own("projectId") !== undefined))
    return {};
  const organization =
    own("organizationId") ?? settings.organizationId ?? missing(given.name, "organizationId", settings);
  return { organizationId: await resolveOrganization(clientFor(settings), organization, organizations) };
}

function missing(name: string, argument: "projectId" | "organizationId", { connection }: Settings): never {
  const ways = waysToGive(argument, connection);
  throw new ConfigurationError(`${name}: ${argument} is not given: write it as an argument, ${ways}`);
}

function questionOf(name: string, client: ApiClient, names: Props, { singles, lists }: Asked): Question {
  const path = (template: string): string => {
    const base =
      typeof names["projectId"] === "string" && template.includes("{organizationId}")
        ? template.replace("/api/organizations/{organizationId}", "/api/projects/{projectId}")
        : template;
    return base.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(names[key])));
  };
  const subject = { kind: name, verb: "asking" };
  const options = (scope: string, query: RequestOptions["query"]): RequestOptions => ({
    subject,
    scope,
    ...(query === undefined ? {} : { query }),
  });
  // Two functions with the same question, or one with its arguments written in two ways, share the answer.
  return {
    get: (template, scope, query) =>
      singles.to(client, JSON.stringify([path(template), query]), subject, () =>
        client.get(path(template), options(scope, query)),
      ),
    list: (template, scope, query) =>
      lists.to(client, JSON.stringify([path(template), query]), subject, () =>
        client.list(path(template), options(scope, query)),
      ),
  };
}

/** A record of the service, parsed leniently: what is missing or of another type is undefined. */
export function recordOf<S extends Shape>(shape: S) {
  const record = z.object(shape);
  return {
    /** One record, from the service's own names. */
    parse(value: unknown): RecordOf<S> {
      if (!isObject(value)) throw new PostHogError("the service answered with something other than a record");
      const decoded = decodeValue(record, value);
      const parsed: unknown = Object.fromEntries(
        Object.entries(shape).flatMap(([name, schema]) => {
          const field = isObject(decoded) ? parseLeniently(schema, decoded[name]) : undefined;
          return field?.data === undefined ? [] : [[name, field.data]];
        }),
      );
      // Every field of the shape was parsed by its own schema just above.
      return parsed as RecordOf<S>;
    },
  };
}

/** The values of a shape, each of which the service may leave out. */
export type RecordOf<S extends Shape> = { [K in keyof S]?: z.output<S[K]> | undefined };

/**
 * The values of a resource's outputs, each of which the service may leave out. Results are made of these and of shapes
 * of their own file: declaration files lose the JSDoc of what is spread from another one.
 */
export type ValuesOf<O> = {
  [K in keyof O]?: (O[K] extends pulumi.OutputInstance<infer V> ? V : never) | undefined;
};
