import { z } from "zod";
import { strictObject } from "../engine/values/fields";
import { isObject } from "../engine/values/json";
import { fits } from "./patterns";
import { resourcePolicy } from "./policy";
import { type Plain, textOf, UNKNOWN } from "./subject";

const allowed = strictObject({
  /** Type of the destination, such as `S3`. */
  type: z.string().describe("Type of the destination, such as S3"),
  /** Regions that it may be in; `*` stands for any characters. Left out: any. */
  regions: z.array(z.string()).optional().describe("Regions that it may be in"),
  /** Buckets, hosts, accounts or projects that it may be; `*` stands for any characters. Left out: any. */
  targets: z.array(z.string()).optional().describe("Buckets, hosts, accounts or projects that it may be"),
});

/** Exports go to listed destinations in listed regions. */
export const exportDestinations = resourcePolicy({
  name: "posthog-export-destinations",
  displayName: "Exports go to allowed destinations and regions",
  why: "A batch export carries every event out of PostHog, personal data included, to whatever address a line of the program names: contracts and law say where that may be.",
  comply:
    "Export to a destination of `allow`, or add the type with its regions and targets (bucket, host, account or project) to `allow` of this policy.",
  severity: "critical",
  kinds: ["BatchExport"],
  settings: {
    /** What is allowed; an export has to fit one entry. */
    allow: z.array(allowed).default([]),
  },
  check({ props }, { allow }) {
    const destination = props["destination"];
    if (!isObject(destination)) return [];
    const { type } = destination;
    const config = isObject(destination["config"]) ? destination["config"] : {};
    if (type === UNKNOWN || destination["config"] === UNKNOWN) return [];
    const entries = allow.filter((entry) => entry.type === type);
    if (entries.length === 0) return [`destinations of type ${String(type)} are not on the list`];
    const { regions, targets } = placeOf(config);
    const problems = entries.map((entry) => [
      ...(entry.regions === undefined ? [] : outside("region", regions, entry.regions)),
      ...(entry.targets === undefined ? [] : outside("target", targets, entry.targets)),
    ]);
    return problems.some((found) => found.length === 0) ? [] : (problems[0] ?? []);
  },
});

/** An export is paused for a while, not for good. */
export const exportPauses = resourcePolicy({
  name: "posthog-export-pauses",
  displayName: "Exports are paused for a while, not for good",
  why: "A paused export looks like one that works, and what it does not write is missed months later in the warehouse.",
  comply:
    "Take paused: true out, or add the export's logical name to `until` of this policy with the day (YYYY-MM-DD) on which it goes on. What is no longer needed is to be deleted.",
  severity: "medium",
  kinds: ["BatchExport"],
  settings: {
    /** Logical names of the exports that may be paused, each with the last day of its pause, such as `2026-12-31`. */
    until: z.record(z.string(), z.iso.date()).default({}),
  },
  check({ name, props }, { until }) {
    if (props["paused"] !== true) return [];
    const last = until[name];
    if (last === undefined) return ["it is paused, and no day is named on which it goes on"];
    const today = new Date().toISOString().slice(0, 10);
    return today <= last ? [] : [`it is paused, and was to go on after ${last}`];
  },
});

/** Where a configuration says that data goes; UNKNOWN among what a preview cannot know. */
function placeOf(config: Plain): { regions: readonly unknown[]; targets: readonly unknown[] } {
  const { region, bucketName, endpointUrl, host, account, projectId, url } = config;
  const addresses = [endpointUrl, url].map((address) => hostOf(address));
  const targets = [bucketName, ...addresses, host, account, projectId].filter((value) => value !== undefined);
  const named = [region, regionIn(host), regionIn(textOf(account)?.replace(/^[^.]*\.?/, ""))];
  return { regions: named.filter((value) => value !== undefined && value !== ""), targets };
}

function hostOf(address: unknown): unknown {
  const text = textOf(address);
  if (text === undefined) return address === UNKNOWN ? UNKNOWN : undefined;
  return URL.canParse(text) ? new URL(text).hostname : text;
}

/** The region that the name of a host or the tail of an account holds, as those of AWS, Google Cloud and Azure do. */
function regionIn(name: unknown): unknown {
  if (name === UNKNOWN) return UNKNOWN;
  return /(?:^|\.)([a-z]{2,}(?:-gov)?-[a-z]+-?\d)(?:[.-]|$)/.exec(textOf(name) ?? "")?.[1];
}

function outside(what: string, found: readonly unknown[], listed: readonly string[]): string[] {
  if (found.length === 0)
    return [`its configuration does not say the ${what}, which has to be one of ${listed.join(", ")}`];
  return found
    .filter((value) => value !== UNKNOWN && !fits(String(value), listed))
    .map((value) => `${what} ${String(value)} is not among ${listed.join(", ")}`);
}
