import { announcedRate, rateProblem, type ArgumentProblem, type Settings } from "../arguments";
import { reasons, type Reason } from "../event/reasons";
import { formatCount, formatSeconds } from "../run/progress";

/** An invalid event that preview names. */
export interface InvalidExample {
  readonly file: string;
  readonly line: number;
  readonly reason: Reason;
  readonly explanation: string;
}

/** What a source holds. Plain JSON. */
export interface ScanReport {
  readonly files: number;
  readonly bytes: number;
  /** Part of the bytes that was read: below 1 the numbers below are estimates. */
  readonly readFraction: number;
  readonly events: number;
  readonly invalid: Readonly<Partial<Record<Reason, number>>>;
  readonly invalidExamples: readonly InvalidExample[];
  /** Events that repeat another in all their content. */
  readonly repetitions: number;
  readonly repetitionsExact: boolean;
  readonly repetitionExamples: readonly { readonly first: string; readonly again: string }[];
  readonly recent: number;
  readonly firstTime?: string;
  readonly lastTime?: string;
  /** The commonest event names. */
  readonly names: readonly { readonly name: string; readonly events: number }[];
  readonly otherNames: number;
  /** Top-level names that are not sent, since the service would ignore them. */
  readonly ignored: readonly string[];
  /** Seconds that the import takes at least, at the agreed rate; missing where it is unlimited. */
  readonly seconds?: number;
}

/** All invalid events of a report. */
export function invalidCount(report: ScanReport): number {
  return Object.values(report.invalid).reduce((sum, count) => sum + count, 0);
}

function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

const origins: Readonly<Record<string, string>> = {
  capture: "our own export, in the form of PostHog's batch endpoint",
  mixpanel: "Mixpanel's raw export",
  amplitude: "Amplitude's export API",
  posthog: "a batch export of another PostHog project",
};

/** What to write to the provider's support before a large migration. */
export function announcement(report: ScanReport, settings: Settings): string[] {
  const { mapping = "capture" } = settings.args;
  const origin = typeof mapping === "string" ? (origins[mapping] ?? mapping) : "files of our own";
  const speed =
    settings.eventsPerMinute === undefined
      ? "as fast as you take them"
      : `${formatCount(settings.eventsPerMinute)} events a minute`;
  const span = report.firstTime === undefined ? "" : `, from ${report.firstTime} to ${report.lastTime}`;
  return [
    "Raise a support request in the app, topic Data pipelines, with this text:",
    `  We are migrating historical events. Origin: ${origin}.`,
    "  Method: POST /batch/ with historical_migration set to true, by pulumi-posthog; each event with a uuid of its own.",
    `  Volume: ${report.readFraction < 1 ? "about " : ""}${formatCount(report.events)} events (${formatBytes(report.bytes)} of files)${span}.`,
    `  Speed: ${speed}.`,
    "Wait for confirmation, then set announced to true (--announced).",
  ];
}

/** What the provider wants to know beforehand, with the text to send to it. */
function announcementProblems(report: ScanReport, settings: Settings): ArgumentProblem[] {
  const rate = rateProblem(settings.args);
  const large = !settings.announced && report.events > settings.announcedTotal;
  const total = `${formatCount(report.events)} events are more than ${formatCount(settings.announcedTotal)}, which the provider wants to know beforehand.`;
  const problems = [
    ...(rate === undefined ? [] : [rate]),
    ...(large ? [{ argument: "announced", reason: total }] : []),
  ];
  const last = problems.pop();
  if (last === undefined) return [];
  // Once, however many reasons there are.
  return [...problems, { ...last, reason: [last.reason, ...announcement(report, settings)].join("\n") }];
}

/** What stands in the way of an import, argument by argument. */
export function scanProblems(report: ScanReport, settings: Settings): ArgumentProblem[] {
  const problems: ArgumentProblem[] = [];
  const invalid = invalidCount(report);
  if (invalid > 0 && settings.onInvalid === "fail") {
    const named = report.invalidExamples
      .slice(0, 5)
      .map(({ file, line, explanation }) => `\n  ${file}:${line} ${explanation}`);
    const more = invalid > named.length ? `\n  and ${formatCount(invalid - named.length)} more` : "";
    problems.push({
      argument: "source",
      reason: `${invalid === 1 ? "1 event is" : `${formatCount(invalid)} events are`} invalid; mend them, or have them set aside by onInvalid: "skip" (--on-invalid skip):${named.join("")}${more}`,
    });
  } else if (report.events === 0 && !(settings.args.shard !== undefined && report.files === 0))
    // Of fewer files than shards some shards have none.
    problems.push({ argument: "source", reason: "holds no event that could be sent" });
  problems.push(...announcementProblems(report, settings));
  return problems;
}

/** The five steps of a migration, of which the import is the last. */
function steps(settings: Settings): string[] {
  return [
    "before the first import, once: 1. a project in the US or EU cloud; 2. a paid product analytics plan (historic imports are free);",
    "  3. a support request in the app (Data pipelines) that states origin, method, volume and speed; 4. its confirmation;",
    `  5. historical_migration on every request, which this does${settings.announced ? "" : " (rehearse on a fresh project: events cannot be deleted)"}`,
  ];
}

/** A report as lines for a person. */
export function describe(report: ScanReport, settings: Settings): string[] {
  const about = report.readFraction < 1 ? "about " : "";
  const files = report.files === 1 ? "1 file" : `${formatCount(report.files)} files`;
  const lines = [`${about}${formatCount(report.events)} events in ${files} (${formatBytes(report.bytes)})`];
  if (report.readFraction < 1) {
    lines.push(
      `  read ${(report.readFraction * 100).toFixed(1)} % of the bytes: numbers are estimates, invalid events elsewhere are not known yet`,
    );
  }
  if (report.firstTime !== undefined) lines.push(`  from ${report.firstTime} to ${report.lastTime}`);
  if (report.names.length > 0) {
    const names = report.names
      .map(({ name, events }) => `${JSON.stringify(name)} ${formatCount(events)}`)
      .join(", ");
    lines.push(
      `  ${names}${report.otherNames > 0 ? `, and ${formatCount(report.otherNames)} other names` : ""}`,
    );
  }
  if (report.repetitions > 0) {
    const kept = settings.keepDuplicates
      ? "each counts as an event of its own"
      : 'they become one event each (duplicates: "keep" tells them apart)';
    lines.push(
      `  ${report.repetitionsExact ? "" : "about "}${formatCount(report.repetitions)} repeat another event in all their content: ${kept}`,
    );
    for (const { first, again } of report.repetitionExamples) lines.push(`    ${again} repeats ${first}`);
  }
  if (report.recent > 0)
    lines.push(
      `  ${formatCount(report.recent)} are younger than 48 hours: make sure that live capture has not sent them too`,
    );
  if (report.ignored.length > 0)
    lines.push(`  not sent, since the service ignores it beside properties: ${report.ignored.join(", ")}`);
  const invalid = invalidCount(report);
  if (invalid > 0) {
    lines.push(
      `  ${formatCount(invalid)} invalid${settings.onInvalid === "skip" ? ", to be set aside" : ""}:`,
    );
    for (const [reason, count] of Object.entries(report.invalid) as [Reason, number][])
      lines.push(`    ${formatCount(count)} × ${reasons[reason]}`);
    // Where they stop the import, scanProblems names them.
    const examples = settings.onInvalid === "skip" ? report.invalidExamples.slice(0, 5) : [];
    for (const { file, line, explanation } of examples) lines.push(`    ${file}:${line} ${explanation}`);
  }
  const rate = settings.eventsPerMinute;
  lines.push(
    report.seconds === undefined || rate === undefined
      ? "  takes as long as the service needs: the rate is unlimited"
      : `  takes ${formatSeconds(report.seconds)} at ${formatCount(rate)} events a minute${rate <= announcedRate ? "" : " (announced)"}`,
  );
  return [...lines, ...steps(settings)];
}
