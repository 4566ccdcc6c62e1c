/**
 * Faults on request, for the tests of whoever calls a service that can fail.
 *
 * A specification is a list of rules, separated by `;`:
 *
 *     METHOD PATH ACTION [xTIMES] [PERCENT%] [skip=N]
 *
 * - METHOD: `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, or `*` for any
 * - PATH: `*` for any; a text that the path holds, `*` in it for anything, `$` at its end for the path's end; a
 *   text that starts with `/api/` must match the whole path
 * - ACTION: one of
 *   - `STATUS` (400 to 599): answered instead of doing anything
 *   - `STATUS-after`: done, and then answered as if it had failed
 *   - `reset-before`, `reset-after`: the connection breaks before or after it is done
 *   - `truncate`: done, and the answer breaks off in the middle
 *   - `html`: a proxy's page with status 502, before anything is done
 *   - `slow=MS`: so many milliseconds later, then as usual
 *
 *   A status takes a header as `429:retry-after=3`.
 * - `xTIMES`: only so often; `PERCENT%`: only with this chance; `skip=N`: not the first N that match
 *
 * The first rule that applies decides. Example: `POST /dashboards/$ 500 x2; GET * 429:retry-after=3 5%`.
 */
export interface Fault {
  /** Any method where left out. */
  readonly method?: string;
  /** In the notation of the specification; any path where left out. */
  readonly path?: string;
  readonly action: FaultAction;
  /** How often it strikes; without limit where left out. */
  readonly times?: number;
  /** Between 0 and 1; always where left out. */
  readonly probability?: number;
  /** So many matching requests pass first. */
  readonly skip?: number;
}

export type FaultAction =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly after: boolean;
      readonly retryAfter?: number;
    }
  | { readonly kind: "reset"; readonly after: boolean }
  | { readonly kind: "truncate" }
  | { readonly kind: "html" }
  | { readonly kind: "slow"; readonly milliseconds: number };

export class FaultSpecError extends Error {
  constructor(rule: string, problem: string) {
    super(`fault "${rule.trim()}": ${problem}; a rule reads METHOD PATH ACTION [xTIMES] [PERCENT%] [skip=N]`);
  }
}

interface Rule {
  readonly fault: Fault;
  readonly matches: (path: string) => boolean;
  skipped: number;
  struck: number;
}

/** The rules in force. Chance comes from the emulator's seed, so a run can be repeated. */
export class Faults {
  private rules: Rule[] = [];

  constructor(private readonly random: () => number) {}

  /** Adds one fault, or all of a specification. @throws FaultSpecError where the text is none */
  add(fault: Fault | string): void {
    const faults = typeof fault === "string" ? parseFaults(fault) : [fault];
    for (const one of faults) {
      this.rules.push({ fault: one, matches: pathMatcher(one.path ?? "*"), skipped: 0, struck: 0 });
    }
  }

  clear(): void {
    this.rules = [];
  }

  /** The rules in force, and how often each has struck. */
  list(): { fault: Fault; struck: number }[] {
    return this.rules.map(({ fault, struck }) => ({ fault, struck }));
  }

  /** Decides over one request. */
  strike(method: string, path: string): FaultAction | undefined {
    for (const rule of this.rules) {
      const { fault } = rule;
      if (fault.method !== undefined && fault.method !== method) continue;
      if (!rule.matches(path)) continue;
      if (fault.times !== undefined && rule.struck >= fault.times) continue;
      if (rule.skipped < (fault.skip ?? 0)) {
        rule.skipped++;
        continue;
      }
      if (fault.probability !== undefined && this.random() >= fault.probability) continue;
      rule.struck++;
      return fault.action;
    }
    return undefined;
  }
}

export function parseFaults(specification: string): Fault[] {
  return specification
    .split(";")
    .filter((rule) => rule.trim() !== "")
    .map(parseRule);
}

function parseRule(rule: string): Fault {
  const [method = "", path, action, ...modifiers] = rule.trim().split(/\s+/);
  if (!/^(\*|GET|POST|PUT|PATCH|DELETE)$/i.test(method))
    throw new FaultSpecError(rule, `"${method}" is no method`);
  if (path === undefined) throw new FaultSpecError(rule, "the path is missing");
  if (action === undefined) throw new FaultSpecError(rule, "the action is missing");
  const modified: Partial<Fault>[] = modifiers.map((modifier) => parseModifier(rule, modifier));
  const fault: Fault = {
    path,
    action: parseAction(rule, action),
    ...(method !== "*" && { method: method.toUpperCase() }),
  };
  return modified.reduce<Fault>((all, one) => ({ ...all, ...one }), fault);
}

function parseModifier(rule: string, modifier: string): Partial<Fault> {
  const [, times] = /^x(\d+)$/.exec(modifier) ?? [];
  if (times !== undefined) return { times: Number(times) };
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(modifier) ?? [];
  if (percent !== undefined && Number(percent) <= 100) return { probability: Number(percent) / 100 };
  const [, skip] = /^skip=(\d+)$/.exec(modifier) ?? [];
  if (skip !== undefined) return { skip: Number(skip) };
  throw new FaultSpecError(rule, `"${modifier}" is none of xTIMES, PERCENT% and skip=N`);
}

function parseAction(rule: string, action: string): FaultAction {
  const [, status, after, retryAfter] = /^([45]\d\d)(-after)?(?::retry-after=(\d+))?$/.exec(action) ?? [];
  if (status !== undefined) {
    return {
      kind: "status",
      status: Number(status),
      after: after !== undefined,
      ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }),
    };
  }
  const [, milliseconds] = /^slow=(\d+)$/.exec(action) ?? [];
  if (milliseconds !== undefined) return { kind: "slow", milliseconds: Number(milliseconds) };
  switch (action) {
    case "reset-before":
      return { kind: "reset", after: false };
    case "reset-after":
      return { kind: "reset", after: true };
    case "truncate":
    case "html":
      return { kind: action };
    default:
      throw new FaultSpecError(
        rule,
        `"${action}" is none of STATUS, STATUS-after, reset-before, reset-after, truncate, html and slow=MS`,
      );
  }
}

function pathMatcher(pattern: string): (path: string) => boolean {
  if (pattern === "*") return () => true;
  const whole = pattern.startsWith("/api/");
  const ends = whole || pattern.endsWith("$");
  const body = pattern
    .replace(/\$$/, "")
    .split("*")
    .map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  const expression = new RegExp(`${whole ? "^" : ""}${body}${ends ? "$" : ""}`);
  return (path) => expression.test(path);
}
