import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { kindOf } from "./kinds";
import { fits } from "./patterns";
import { stackPolicy, type StackViolation } from "./policy";
import { type Plain, type Subject, textsOf, UNKNOWN } from "./subject";

/** Names the file with what `pulumi stack export` printed before the preview. */
export const STATE_VARIABLE = "PULUMI_POSTHOG_STATE";

const entry = z.object({
  urn: z.string(),
  type: z.string(),
  protect: z.boolean().optional(),
  external: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).default({}),
});
/** A stack that was never updated has no resources. */
const exported = z.object({ deployment: z.object({ resources: z.array(entry).nullish() }).nullish() });

/** Arguments whose change makes a new dashboard and puts the old one away. */
const REPLACING = ["projectId", "template", "useTemplate", "useDashboard"];

/**
 * Organizations and production dashboards do not vanish. The engine shows policies no deletions, so that this one
 * compares the program with the state that was exported before.
 */
export const noDeletion = stackPolicy({
  name: "posthog-no-deletion",
  displayName: "Organizations and production dashboards are not deleted",
  why: "A deleted organization takes its projects and events with it, and nobody gets them back; a production dashboard that is put away breaks the links, subscriptions and habits of those who use it.",
  comply:
    "Put the resource back into the program. If it has to go, name it in this policy's `except`, in a change that its owners have approved.",
  severity: "critical",
  settings: {
    /** File that `pulumi stack export` wrote before the preview. Default: what `PULUMI_POSTHOG_STATE` names. */
    state: z.string().default(""),
    /** Logical names of organizations and dashboards that have to be declared, whatever the state says. */
    keep: z.array(z.string()).default([]),
    /** Stacks all of whose dashboards are production dashboards. */
    stacks: z.array(z.string()).default(["production", "prod"]),
    /** Dashboards with one of these tags are production dashboards in any stack; `*` stands for any characters. */
    dashboardTags: z.array(z.string()).default(["production"]),
  },
  check(subjects, { state, keep, stacks, dashboardTags }, { stack, exempt }): StackViolation[] {
    const present = new Map(subjects.map((subject) => [subject.urn, subject]));
    const declared = new Set(subjects.filter(isGuarded).map(({ name }) => name));
    const missing = keep
      .filter((name) => !declared.has(name) && !exempt(name))
      .map((name) => ({ message: `"${name}" is to be kept, and the program no longer declares it` }));
    const isProduction = (inputs: Plain): boolean =>
      fits(stack, stacks) || textsOf(inputs["tags"]).some((tag) => fits(tag, dashboardTags));
    const lost = stateAt(state).flatMap(({ urn, type, inputs, protect, external }): StackViolation[] => {
      const kind = kindOf(type);
      const name = urn.split("::").pop() ?? urn;
      if (external === true || exempt(name) || (kind !== "Organization" && kind !== "Dashboard")) return [];
      if (kind === "Dashboard" && (protect === true || !isProduction(inputs))) return [];
      const now = present.get(urn);
      if (now === undefined) return [{ message: `${kind} "${name}" would be deleted` }];
      const replaced =
        kind === "Dashboard" ? REPLACING.filter((key) => differs(inputs[key], now.props[key])) : [];
      return replaced.length === 0
        ? []
        : [{ message: `a new ${replaced.join(" and ")} would put dashboard "${name}" away`, urn }];
    });
    return [...missing, ...lost];
  },
});

function isGuarded({ kind }: Subject): boolean {
  return kind === "Organization" || kind === "Dashboard";
}

function differs(before: unknown, now: unknown): boolean {
  return now !== undefined && now !== UNKNOWN && JSON.stringify(before) !== JSON.stringify(now);
}

function stateAt(setting: string): z.output<typeof entry>[] {
  const path = setting === "" ? (process.env[STATE_VARIABLE] ?? "") : setting;
  if (path === "") return [];
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`the state is to be in ${resolve(path)}, which cannot be read`, { cause });
  }
  return exported.parse(JSON.parse(text)).deployment?.resources ?? [];
}
