import { z } from "zod";

/** What the engine did, or in a preview would do, to one resource. */
export interface Step {
  /** Logical name in the program. */
  readonly name: string;
  readonly urn: string;
  /** Full type token; `kind` is its last part, such as `Dashboard`. */
  readonly type: string;
  readonly kind: string;
  /**
   * `same`, `create`, `update`, `delete`, `read`, `refresh`, `replace`, `create-replacement`, `delete-replaced` … For
   * a refresh: what it found (`same`, `update`, `delete`).
   */
  readonly op: string;
  /** `planned` in a preview; in an update also where it was begun and not finished. */
  readonly status: "planned" | "done" | "failed";
  /** State before, with secrets as `"[secret]"`, and without `__provider`. */
  readonly old: Side | undefined;
  readonly new: Side | undefined;
  /** Names of the arguments whose declared values differ between `old` and `new`. */
  readonly diffs: readonly string[];
  /** Names of the outputs that differ between `old` and `new`. */
  readonly outputDiffs: readonly string[];
  /** Names of the arguments that force the replacement. */
  readonly replaceReasons: readonly string[];
}

/** One side of a step. */
export interface Side {
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** A message of the engine, of the program, or printed by the provider process (severity `info`). */
export interface Diagnostic {
  readonly name: string | undefined;
  readonly severity: string;
  readonly message: string;
}

/** What one operation's event log says. */
export interface Events {
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
  /** How many resources each operation met, such as `{ same: 2, update: 1 }`; the stack itself not counted. */
  readonly changes: Readonly<Record<string, number>>;
}

const state = z.object({
  id: z.string().default(""),
  inputs: z.record(z.string(), z.unknown()).nullish(),
  outputs: z.record(z.string(), z.unknown()).nullish(),
});

const step = z.object({
  planning: z.boolean().default(false),
  metadata: z.object({
    op: z.string(),
    urn: z.string(),
    type: z.string(),
    old: state.nullish(),
    new: state.nullish(),
    keys: z.array(z.string()).nullish(),
  }),
});

const event = z.object({
  diagnosticEvent: z
    .object({
      urn: z.string().optional(),
      message: z.string(),
      severity: z.string(),
      ephemeral: z.boolean().optional(),
    })
    .optional(),
  resourcePreEvent: step.optional(),
  resOutputsEvent: step.optional(),
  resOpFailedEvent: step.optional(),
});

/** The engine's own key for a secret in the log, beside which the value stands hidden. */
const SECRET = "4dabf18193072939515e22adb298388d";

/** Resource types that come with every stack and say nothing of the program. */
const ENGINE_TYPES = /^(pulumi:pulumi:Stack|pulumi:providers:.*)$/;

/**
 * The language host that can be built from Go modules closes a channel at its end to which one of its own threads may
 * still write, and then dies of it, a moment after the program has ended: nothing of ours, and nothing is changed by it.
 */
const LAST_WORDS =
  /\n?panic: send on closed channel\n+goroutine \d+ \[running\]:\nmain\.\(\*nodeLanguageHost\)\.Run\.func\d+\(\)\n.*\ncreated by main\.\(\*nodeLanguageHost\)\.Run.*\n\s.*main\.go:\d+ \+0x[0-9a-f]+/;

/** What a run said, without how its language host may end. */
export function withoutLastWords(errors: string): string {
  return errors.replace(LAST_WORDS, "");
}

/** Reads the event log of one operation: JSON, one event a line. A line that a kill has cut off has no end. */
export function parseEvents(log: string): Events {
  const diagnostics: Diagnostic[] = [];
  const steps = new Map<string, Step>();
  for (const line of log.split("\n").slice(0, -1)) {
    const read = event.parse(JSON.parse(line));
    if (read.diagnosticEvent && read.diagnosticEvent.severity !== "debug") {
      const { urn, message, severity } = read.diagnosticEvent;
      diagnostics.push({
        name: urn === undefined ? undefined : nameOf(urn),
        severity,
        message: message.trimEnd(),
      });
    }
    const found = read.resourcePreEvent ?? read.resOutputsEvent ?? read.resOpFailedEvent;
    if (!found || ENGINE_TYPES.test(found.metadata.type)) continue;
    const { op, urn } = found.metadata;
    // A refresh is begun as `refresh` and ends as what it found; it stays one step.
    const refreshed = `${urn} refresh`;
    const key = !read.resourcePreEvent && steps.has(refreshed) ? refreshed : `${urn} ${op}`;
    const status = read.resOpFailedEvent
      ? "failed"
      : read.resOutputsEvent && !found.planning
        ? "done"
        : "planned";
    const before = steps.get(key);
    steps.set(key, toStep(found, before?.status === "failed" ? "failed" : status));
  }
  const changes: Record<string, number> = {};
  for (const { op, status } of steps.values()) if (status !== "failed") changes[op] = (changes[op] ?? 0) + 1;
  return { steps: [...steps.values()], diagnostics, changes };
}

function toStep({ metadata }: z.infer<typeof step>, status: Step["status"]): Step {
  const [older, newer] = [toSide(metadata.old), toSide(metadata.new)];
  return {
    name: nameOf(metadata.urn),
    urn: metadata.urn,
    type: metadata.type,
    kind: metadata.type.slice(metadata.type.lastIndexOf(":") + 1),
    op: metadata.op,
    status,
    old: older,
    new: newer,
    diffs: older && newer ? differing(older.inputs, newer.inputs) : [],
    outputDiffs: older && newer ? differing(older.outputs, newer.outputs) : [],
    replaceReasons: metadata.keys ?? [],
  };
}

function toSide(side: z.infer<typeof state> | null | undefined): Side | undefined {
  if (!side) return undefined;
  return { id: side.id, inputs: readable(side.inputs ?? {}), outputs: readable(side.outputs ?? {}) };
}

function readable(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([key]) => key !== "__provider")
      .map(([key, value]) => [key, withoutMarkers(value)]),
  );
}

function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarkers);
  if (typeof value !== "object" || value === null) return value;
  if (SECRET in value) return "[secret]";
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutMarkers(inner)]));
}

function differing(older: Record<string, unknown>, newer: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(older), ...Object.keys(newer)]);
  return [...names].filter((name) => JSON.stringify(older[name]) !== JSON.stringify(newer[name])).sort();
}

function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}
