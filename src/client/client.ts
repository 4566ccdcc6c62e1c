import { z } from "zod";
import { Budget, realTime, type Time } from "./budget";
import { apiError, parseErrorBody, whatWasDone, type Circumstances, type Subject } from "./explain";
import { PostHogError, RateLimitError, ResponseError } from "./errors";
import { retryAfterSeconds, retryDelay } from "./retry";
import { managementHost, personalKey, type Settings } from "./settings";
import { send, type Answer } from "./transport";

export type { Subject } from "./explain";

/** What goes with a request besides method and path. */
export interface RequestOptions {
  /** What the request is about, for messages. */
  subject?: Subject;
  /** Sent as JSON. */
  body?: unknown;
  query?: Readonly<Record<string, string | number>>;
  /** Scope that the key needs, for the hint of a 403. */
  scope?: string;
  /** Turns the service's name of a field into the argument's, for messages. */
  argumentName?: (attr: string) => string;
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Seconds that a request may take with all its tries, unless `posthog:requestDeadline` says otherwise. */
const DEFAULT_DEADLINE_S = 600;
/** Pages of one list; more would be a loop of `next` links. */
const MAX_PAGES = 100_000;

const listPage = z.looseObject({ results: z.array(z.unknown()), next: z.string().nullish() });

/** What tests replace. */
export interface Surroundings {
  time: Time;
  random(): number;
  log(line: string): void;
}

const real: Surroundings = {
  time: realTime,
  random: () => Math.random(),
  // The engine shows a provider's standard output as it runs.
  log: (line) => {
    console.log(line);
  },
};

/** The management interface of one host with one key. */
export class ApiClient {
  /** Address without a slash at its end. */
  readonly host: string;
  private readonly base: URL;
  private readonly key: string;
  private readonly deadlineMs: number;
  private readonly budget: Budget;

  constructor(
    settings: Settings,
    private readonly surroundings: Surroundings = real,
  ) {
    this.key = personalKey(settings);
    this.base = managementHost(settings);
    this.host = this.base.href.replace(/\/$/, "");
    this.deadlineMs = (settings.requestDeadline ?? DEFAULT_DEADLINE_S) * 1000;
    this.budget = new Budget(settings.requestsPerMinute, surroundings.time, (line) => {
      surroundings.log(line);
    });
  }

  get(path: string, options?: RequestOptions): Promise<unknown> {
    return this.request("GET", path, options);
  }
  /** Never made twice where it may have had its effect: see {@link retryDelay}. */
  post(path: string, options?: RequestOptions): Promise<unknown> {
    return this.request("POST", path, options);
  }
  patch(path: string, options?: RequestOptions): Promise<unknown> {
    return this.request("PATCH", path, options);
  }
  delete(path: string, options?: RequestOptions): Promise<unknown> {
    return this.request("DELETE", path, options);
  }

  /** The pages of a list. A plain array counts as its only page. */
  async *pages(path: string, options: RequestOptions = {}): AsyncGenerator<unknown[]> {
    const seen = new Set<string>();
    let target: string | undefined = path;
    let query = options.query;
    while (target !== undefined) {
      const answer: unknown = await this.get(
        target,
        query === undefined ? withoutQuery(options) : { ...options, query },
      );
      if (Array.isArray(answer)) {
        yield answer;
        return;
      }
      const page = listPage.safeParse(answer);
      if (!page.success) {
        throw new ResponseError(
          `${whatWasDone(this.circumstances("GET", path, options))}: ${this.host} answered without a list. Is posthog:host the address of a PostHog?`,
        );
      }
      yield page.data.results;
      target = this.nextPage(page.data.next, path);
      query = undefined;
      if (target !== undefined && (seen.has(target) || seen.size > MAX_PAGES)) {
        throw new ResponseError(`GET ${path}: the pages of ${this.host} lead back to ${target}.`);
      }
      if (target !== undefined) seen.add(target);
    }
  }

  /** All pages of a list. */
  async list(path: string, options?: RequestOptions): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const page of this.pages(path, options)) all.push(...page);
    return all;
  }

  /**
   * Path and query of the next page. Its host is ignored: behind a proxy the service often names another one, and
   * the key must not travel there.
   */
  private nextPage(next: string | null | undefined, path: string): string | undefined {
    if (next === undefined || next === null || next === "") return undefined;
    const url = new URL(next, this.base);
    const prefix = this.base.pathname.replace(/\/$/, "");
    const local = url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : url.pathname;
    if (!local.startsWith("/api/")) {
      throw new ResponseError(
        `GET ${path}: ${this.host} continues its list outside /api/, at ${url.pathname}.`,
      );
    }
    return `${local}${url.search}`;
  }

  private circumstances(method: string, path: string, options: RequestOptions): Circumstances {
    const { subject, scope, argumentName } = options;
    return { host: this.host, method, path: path.split("?")[0] ?? path, subject, scope, argumentName };
  }

  private async request(method: Method, path: string, options: RequestOptions = {}): Promise<unknown> {
    const { time, random } = this.surroundings;
    const where = this.circumstances(method, path, options);
    const deadline = time.now() + this.deadlineMs;
    for (let tries = 1; ; tries++) {
      if (!(await this.budget.turn(deadline))) {
        throw new PostHogError(
          `${whatWasDone(where)}: the service asked to wait longer than posthog:requestDeadline (${String(this.deadlineMs / 1000)} s). Run again later, or raise it.`,
        );
      }
      try {
        return await this.once(method, path, options, where, deadline);
      } catch (error) {
        const delay = retryDelay({ method, error, tries, random: random() });
        if (delay === undefined || time.now() + delay > deadline) throw error;
        if (RateLimitError.isInstance(error)) this.budget.close(delay, `the rate limit of ${this.host}`);
        else await time.sleep(delay);
      }
    }
  }

  private async once(
    method: Method,
    path: string,
    options: RequestOptions,
    where: Circumstances,
    deadline: number,
  ): Promise<unknown> {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(options.query ?? {})) query.set(key, String(value));
    const suffix = query.size === 0 ? "" : `${path.includes("?") ? "&" : "?"}${query.toString()}`;
    const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
    const answer = await send(
      this.base,
      {
        method,
        target: `${this.base.pathname.replace(/\/$/, "")}${path}${suffix}`,
        headers: {
          authorization: `Bearer ${this.key}`,
          accept: "application/json",
          "user-agent": "pulumi-posthog",
          ...("body" in body ? { "content-type": "application/json" } : {}),
        },
        timeout: deadline - this.surroundings.time.now(),
        ...body,
      },
      where,
    );
    return this.understand(answer, where);
  }

  private understand(answer: Answer, where: Circumstances): unknown {
    const { status, headers, body } = answer;
    if (status >= 300 && status < 400) {
      const location = header(headers["location"]);
      const target =
        location !== undefined && URL.canParse(location, this.base.href)
          ? new URL(location, this.base).origin
          : "elsewhere";
      throw new ResponseError(
        `${whatWasDone(where)}: ${this.host} sends on to ${target} (${String(status)}), where the key is not sent. ` +
          `Give posthog:host (POSTHOG_HOST) the right address.`,
      );
    }
    if (status >= 400) {
      const said = parseErrorBody(this.scrub(body));
      const wait = retryAfterSeconds(header(headers["retry-after"]), this.surroundings.time.now());
      throw apiError(status, said, wait, where);
    }
    if (body.trim() === "") return undefined;
    try {
      return JSON.parse(body);
    } catch {
      const said = parseErrorBody(this.scrub(body)).detail ?? "";
      throw new ResponseError(
        `${whatWasDone(where)}: ${this.host} answered ${String(status)} with something other than JSON: ${said}\n` +
          `Is posthog:host (POSTHOG_HOST) the address of a PostHog, and no proxy's login page before it?`,
      );
    }
  }

  /** An answer that echoes the key must not carry it into a message. */
  private scrub(text: string): string {
    return text.replaceAll(this.key, "[key]");
  }
}

function withoutQuery(options: RequestOptions): RequestOptions {
  const { query: _, ...rest } = options;
  return rest;
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const clients = new Map<string, ApiClient>();

/** The client of these settings: one per host and key in the process, so that all share its budget. */
export function clientFor(settings: Settings): ApiClient {
  const identity = JSON.stringify([
    managementHost(settings).href,
    personalKey(settings),
    settings.requestDeadline,
    settings.requestsPerMinute,
  ]);
  const known = clients.get(identity);
  if (known) return known;
  const made = new ApiClient(settings);
  clients.set(identity, made);
  return made;
}
