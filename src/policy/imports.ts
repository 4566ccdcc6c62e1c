import { z } from "zod";
import { fits } from "./patterns";
import { resourcePolicy, stackPolicy, type StackViolation } from "./policy";
import { type Plain, type Subject, UNKNOWN } from "./subject";

/** Imports above the limits have been announced to PostHog, and somebody can show the confirmation. */
export const importAnnounced = resourcePolicy({
  name: "posthog-import-announced",
  displayName: "Large imports are announced",
  why: "PostHog wants to know beforehand of migrations faster than 10,000 events a minute or larger than 20 million events; unannounced ones slow ingestion down for everybody, or are throttled.",
  comply:
    "Keep eventsPerMinute within the limit; or write to PostHog, wait for the confirmation, and add the import's logical name to `confirmations` of this policy with where the confirmation is found.",
  severity: "medium",
  kinds: ["HistoricalImport"],
  settings: {
    /** The most events a minute that need no announcement. */
    eventsPerMinute: z.number().positive().default(10_000),
    /** Logical names of announced imports, each with where the provider's confirmation is found: a ticket, a link. */
    confirmations: z.record(z.string(), z.string().min(1)).default({}),
  },
  check({ name, props }, { eventsPerMinute, confirmations }) {
    if (confirmations[name] !== undefined) return [];
    const { eventsPerMinute: rate, announced } = props;
    const isFast = rate === "unlimited" || (typeof rate === "number" && rate > eventsPerMinute);
    return [
      ...(isFast
        ? [
            `${String(rate)} events a minute are above the ${eventsPerMinute.toLocaleString("en")} that need no announcement`,
          ]
        : []),
      ...(announced === true ? ["it says that it was announced, and no confirmation is named"] : []),
    ];
  },
});

/** What makes two imports the same work: what is read and how it is understood. */
const SAME = ["source", "format", "mapping", "rename", "duplicates"];
/** Where an import goes. */
const DESTINATION = ["projectApiKey", "ingestHost", "connection"];

/** An import was tried on a project that holds nothing yet. */
export const importRehearsed = stackPolicy({
  name: "posthog-import-rehearsed",
  displayName: "Imports are rehearsed on a fresh project",
  why: "Imported events cannot be deleted: a wrong mapping, time zone or name stays in the project for good.",
  comply:
    "Declare the same import a second time with the projectApiKey of a fresh project, look at what arrives, and let the real one depend on it (dependsOn); or name the import in `rehearsed` once another stack has rehearsed it.",
  severity: "high",
  settings: {
    /** Stacks whose imports are rehearsals themselves; `*` stands for any characters. */
    rehearsalStacks: z.array(z.string()).default(["dev", "staging"]),
    /** Logical names of imports rehearsed elsewhere, each with where the result is written down. */
    rehearsed: z.record(z.string(), z.string().min(1)).default({}),
  },
  check(subjects, { rehearsalStacks, rehearsed }, { stack, exempt }): StackViolation[] {
    if (fits(stack, rehearsalStacks)) return [];
    const imports = subjects.filter(({ kind }) => kind === "HistoricalImport");
    const rehearsals = new Map(
      imports.map((real) => [
        real,
        imports.filter(
          (other) => other !== real && real.dependencies.includes(other.urn) && isSameWork(real, other),
        ),
      ]),
    );
    const isRehearsal = (one: Subject): boolean =>
      [...rehearsals.values()].some((found) => found.includes(one));
    return imports
      .filter((real) => !isRehearsal(real) && rehearsed[real.name] === undefined && !exempt(real.name))
      .flatMap((real): StackViolation[] => {
        const { name, urn } = real;
        const [rehearsal] = rehearsals.get(real) ?? [];
        if (rehearsal === undefined)
          return [{ urn, message: `"${name}" depends on no rehearsal with the same source and mapping` }];
        const crowded = imports.find((other) => !isRehearsal(other) && isSamePlace(other, rehearsal));
        return crowded === undefined
          ? []
          : [
              {
                urn,
                message: `its rehearsal "${rehearsal.name}" goes to the project of "${crowded.name}", which is not fresh`,
              },
            ];
      });
  },
});

function isSameWork(one: Subject, other: Subject): boolean {
  return SAME.every((name) => isSame(one.props, other.props, name));
}

function isSamePlace(one: Subject, other: Subject): boolean {
  return DESTINATION.every((name) => isSame(one.props, other.props, name));
}

/** What is not known yet may be the same. */
function isSame(one: Plain, other: Plain, name: string): boolean {
  const [a, b] = [one[name], other[name]];
  return a === UNKNOWN || b === UNKNOWN || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
