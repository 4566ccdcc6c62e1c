import { z } from "zod";
import { COMMON_ARGUMENTS, type Problem, type ResourceDefinition } from "../definition";
import { isSecretAt } from "../messages/hush";
import { isObject, type Props } from "./json";
import { visible } from "../state/state";
import { meant } from "./names";
import { hasUnknown } from "./unknown";
import { inner } from "./wire";

/** Checked arguments in canonical form, and everything that is wrong with them. */
export interface Validation {
  args: Props;
  problems: Problem[];
}

const common = {
  connection: z.string().min(1),
  adoptId: z.string().min(1),
};

/** Checks every argument against its schema; what is unknown in preview passes, at any depth. */
export function validate(definition: ResourceDefinition, news: Props): Validation {
  const given = visible(news);
  const schemas: Record<string, z.ZodType> = { ...common, ...definition.inputs };
  const args: Props = {};
  const problems: Problem[] = [];
  for (const name of Object.keys(given)) {
    if (!(name in schemas)) problems.push(unknownArgument(name, Object.keys(schemas)));
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const value = given[name];
    if (value === undefined || value === null) {
      if (!(schema instanceof z.ZodOptional) && !COMMON_ARGUMENTS.some((common) => common === name)) {
        problems.push({ argument: name, reason: `is required: ${expectation(schema)}` });
      }
      continue;
    }
    const parsed = schema.safeParse(value);
    args[name] = parsed.success ? parsed.data : value;
    if (parsed.success) continue;
    for (const issue of parsed.error.issues) {
      if (hasUnknown(valueAt(value, issue.path.map(String))) && !isUnrelated(issue)) continue;
      problems.push(problem(definition, name, issue, news));
    }
  }
  const oneOf = definition.requireOneOf ?? [];
  if (oneOf.length > 0 && !oneOf.some((name) => name in args)) {
    problems.push({ argument: oneOf[0] ?? "", reason: `is required: give ${oneOf.join(" or ")}` });
  }
  if (definition.refine) {
    const wrong = problems.map(({ argument }) => argument.split(".")[0]);
    const sound = Object.entries(args).filter(([name, value]) => !wrong.includes(name) && !hasUnknown(value));
    problems.push(...definition.refine(Object.fromEntries(sound)));
  }
  return { args, problems };
}

/** Unrecognised keys are wrong whatever the values beside them turn out to be. */
function isUnrelated(issue: z.core.$ZodIssue): boolean {
  return issue.code === "unrecognized_keys";
}

function unknownArgument(name: string, allowed: readonly string[]): Problem {
  const near = meant(name, allowed);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return {
    argument: name,
    reason: `is no argument of this resource${hint} (allowed: ${allowed.join(", ")})`,
  };
}

function problem(
  definition: ResourceDefinition,
  name: string,
  issue: z.core.$ZodIssue,
  news: Props,
): Problem {
  const path = issue.path.map(String);
  const argument = [name, ...path].join(".");
  const secret = isSecretAt(definition, [name, ...path], news);
  const found = valueAt(news[name], path);
  if (found === undefined && path.length > 0) return { argument, reason: `is required: ${wanted(issue)}` };
  const shown = secret || issue.code === "unrecognized_keys" ? "" : ` (got ${show(found)})`;
  return { argument, reason: `${wording(issue)}${shown}` };
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((current, key) => {
    if (Array.isArray(current)) return current[Number(key)];
    return isObject(current) ? current[key] : undefined;
  }, value);
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** What a schema wants, in a person's words. */
function expectation(schema: z.ZodType): string {
  const type = inner(schema);
  if (type instanceof z.ZodString) return "a string";
  if (type instanceof z.ZodBoolean) return "true or false";
  if (type instanceof z.ZodNumber) return "a number";
  if (type instanceof z.ZodArray) return "a list";
  if (type instanceof z.ZodEnum)
    return `one of ${type.options.map((option) => `"${String(option)}"`).join(", ")}`;
  if (type instanceof z.ZodObject || type instanceof z.ZodRecord) return "an object";
  const empty = schema.safeParse(null);
  return empty.success ? "a value" : (empty.error.issues[0]?.message ?? "a value");
}

function wording(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
    case "invalid_value":
      return `must be ${wanted(issue)}`;
    case "too_big":
      return limit("at most", String(issue.maximum), issue.origin);
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "must not be empty";
      return limit(issue.inclusive === false ? "more than" : "at least", String(issue.minimum), issue.origin);
    default:
      return issue.message;
  }
}

function limit(side: string, amount: string, origin: string): string {
  if (origin === "string") return `must have ${side} ${amount} characters`;
  return origin === "array" ? `must have ${side} ${amount} entries` : `must be ${side} ${amount}`;
}

function wanted(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return article(issue.expected);
  if (issue.code !== "invalid_value") return issue.message;
  return `one of ${issue.values.map((option) => JSON.stringify(option)).join(", ")}`;
}

function article(expected: string): string {
  if (expected === "boolean") return "true or false";
  if (expected === "record" || expected === "object") return "an object";
  return expected === "array" ? "a list" : expected === "int" ? "a whole number" : `a ${expected}`;
}
