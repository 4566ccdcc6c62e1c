/** What the service answered to a request. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** What an answer means for the request's events. */
export type Verdict =
  | { readonly kind: "accepted" }
  /** Larger than the service takes: to be halved. */
  | { readonly kind: "too-large" }
  /** Something in it is at fault: to be bisected. */
  | { readonly kind: "invalid"; readonly detail: string }
  /** To be sent again, not before `waitMs` if that is known. */
  | { readonly kind: "again"; readonly what: string; readonly waitMs: number | undefined }
  /** Sending again cannot help. */
  | { readonly kind: "stop"; readonly message: string; readonly hint: string };

const longestDetail = 200;

/** The first line of an answer's text, short, for an error message. */
function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > longestDetail ? `${line.slice(0, longestDetail)}…` : line;
}

/** Reads a Retry-After header: seconds (some servers give fractions) or a date. Anything else is as good as none. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Math.ceil(Number(header) * 1000);
  const date = /[a-z]/i.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** Names of what was dropped because the project is over its quota: the service says 200 to that. */
function overQuota(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("quota_limited" in value)) return false;
    // Recordings have a quota of their own, which says nothing of events.
    return Array.isArray(value.quota_limited) && value.quota_limited.some((name) => name !== "recordings");
  } catch {
    return false;
  }
}

function accepted(answer: Answer): Verdict {
  if (answer.text.trimStart().startsWith("<")) {
    return {
      kind: "stop",
      message: "the answer is a web page: something else than the service answers at this address",
      hint: "check ingestHost (https://us.i.posthog.com or https://eu.i.posthog.com) and any proxy on the way",
    };
  }
  if (overQuota(answer.text)) {
    return {
      kind: "stop",
      message: "the project is over its quota: the service takes the events and drops them",
      hint: "raise the billing limit or wait for confirmation of the migration, then run again: it goes on where it stopped",
    };
  }
  return { kind: "accepted" };
}

/** Decides what an answer means. */
export function judge(answer: Answer, nowMs: number): Verdict {
  const { status, text } = answer;
  const said = firstLine(text) === "" ? "" : ` (${firstLine(text)})`;
  if (status >= 200 && status < 300) return accepted(answer);
  if (status === 413) return { kind: "too-large" };
  if (status === 400 || status === 422) return { kind: "invalid", detail: firstLine(text) };
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    return {
      kind: "again",
      what: `answered ${status}${said}`,
      waitMs: retryAfterMs(answer.retryAfter, nowMs),
    };
  }
  if (status === 401) {
    return {
      kind: "stop",
      message: `the service refuses the project API key (401)${said}`,
      hint: "set projectApiKey to the project API key (phc_…) of the project's settings, not a personal key (phx_…)",
    };
  }
  if (status === 403) {
    return {
      kind: "stop",
      message: `the service forbids it (403)${said}`,
      hint: "check ingestHost, projectApiKey, and whether a proxy or a firewall on the way lets such requests through",
    };
  }
  return {
    kind: "stop",
    message: `the service answered ${status}${said}`,
    hint: "check ingestHost: it is the ingestion address (https://us.i.posthog.com or https://eu.i.posthog.com), not the application's",
  };
}
