import { understand } from "./answer";
import { Budget, realTime, type Time } from "./budget";
import { RateLimitError, ResponseError, ServerError, TimeoutError, ApiError } from "./errors";
import { whatWasDone, type Circumstances, type Subject } from "./explain";
import { settingName, type TextKey } from "./naming";
import { nextTarget, type Page, pagesFrom, parsePage } from "./pages";
import { retryDelay } from "./retry";
import { scrubber, secretsOf } from "./scrub";
import { managementHost, personalKey, type Settings } from "./settings";
import { send } from "./transport";

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
  /**
   * Texts that no message may show even if the service echoes them. What stands under the name of a secret in `body`
   * is never shown anyway.
   */
  secrets?: readonly string[];
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Seconds that a request may take with all its tries, unless `posthog:requestDeadline` says otherwise. */
const DEFAULT_DEADLINE_S = 600;
/** Silence that counts as no answer. */
const SILENCE_MS = 60_000;
/** The same for making or removing an organization, which the service does with all that belongs to it at once. */
const LONG_SILENCE_MS = 300_000;
const ORGANIZATION = /^\/api\/organizations\/([^/]+\/)?$/;
/** Pages of one list; more would be a list without end. */
const MAX_PAGES = 100_000;

/** What tests replace. */
export interface Surroundings {
  time: Time;
  /** Between 0 and 1. */
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

/** Where waits are told from now on, for commands whose standard output is their product. */
export function tellWaits(log: (line: string) => void): void {
  real.log = log;
}

/** The management interface of one host with one key. */
export class ApiClient {
  /** Address without a slash at its end. */
  readonly host: string;
  private readonly base: URL;
  private readonly key: string;
  private readonly connection: string | undefined;
  /** Milliseconds that a request may take with all its tries. */
  readonly deadlineMs: number;

  /** @throws ConfigurationError where host or key are missing or cannot be used */
  constructor(
    settings: Settings,
    private readonly surroundings: Surroundings = real,
    /** Shared by all clients of the same host and key. */
    readonly budget: Budget = new Budget(settings.requestsPerMinute, surroundings.time, (line) => {
      surroundings.log(line);
    }),
  ) {
    this.key = personalKey(settings);
    this.base = managementHost(settings);
    this.host = this.base.href.replace(/\/$/, "");
    this.connection = settings.connection;
    this.deadlineMs = (settings.requestDeadline ?? DEFAULT_DEADLINE_S) * 1000;
  }

  /** Where a setting of this connection is written, for messages. */
  settingName(key: TextKey): string {
    return settingName(key, this.connection);
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

  /**
   * The pages of a list, in their order; some are asked for before it is their turn, where it can be told which they
   * will be. A plain array counts as the only page. Objects can come twice where the list changes while it is read.
   */
  async *pages(path: string, options: RequestOptions = {}): AsyncGenerator<unknown[]> {
    const { query: _, ...following } = options;
    const what = whatWasDone(this.circumstances("GET", path, options));
    const seen = new Set<string>();
    const ahead = new Map<string, Promise<unknown>>();
    let received = 0;
    let target = path;
    for (;;) {
      const page = parsePage(
        await (ahead.get(target) ?? this.get(target, seen.size === 0 ? options : following)),
      );
      if (page === undefined) {
        const host = this.settingName("host");
        throw new ResponseError(
          `${what}: ${this.host} answered without a list. Is ${host} the address of a PostHog?`,
          "not a list",
        );
      }
      seen.add(target);
      received += page.results.length;
      yield page.results;
      const link = page.next ?? (isCutShort(page, received) ? `?offset=${String(received)}` : "");
      if (link === "") return;
      const next = nextTarget(link, this.base, target);
      if (next === undefined) {
        throw new ResponseError(
          `${what}: ${this.host} continues its list outside /api/. Is a proxy before it that changes paths?`,
          "not a list",
        );
      }
      if (seen.has(next) || seen.size >= MAX_PAGES) {
        throw new ResponseError(`${what}: the pages of ${this.host} lead back to ${next}.`, "not a list");
      }
      for (const later of pagesFrom(next, page, received)) {
        if (ahead.has(later)) continue;
        const asked = this.get(later, following);
        // Its failure counts when it is its turn, which may never come.
        asked.catch(() => undefined);
        ahead.set(later, asked);
      }
      ahead.delete(target);
      target = next;
    }
  }

  /** All pages of a list, each object once, as it came last. */
  async list(path: string, options?: RequestOptions): Promise<unknown[]> {
    const all = new Map<unknown, unknown>();
    for await (const page of this.pages(path, options)) {
      for (const item of page) all.set(identityOf(item), item);
    }
    return [...all.values()];
  }

  /** A list that one page holds; undefined where there is more of it. */
  async listOfOnePage(path: string, options?: RequestOptions): Promise<unknown[] | undefined> {
    const page = parsePage(await this.get(path, options));
    const isAll = page?.next === undefined && !(page && isCutShort(page, page.results.length));
    return isAll ? page?.results : undefined;
  }

  private circumstances(method: string, path: string, options: RequestOptions): Circumstances {
    const { subject, scope, argumentName } = options;
    const { host, connection } = this;
    return { host, connection, method, path: path.split("?")[0] ?? path, subject, scope, argumentName };
  }

  private async request(method: Method, path: string, options: RequestOptions = {}): Promise<unknown> {
    const { time } = this.surroundings;
    const where = this.circumstances(method, path, options);
    const deadline = time.now() + this.deadlineMs;
    const ticket = this.budget.ticket();
    let failure: Error | undefined;
    for (let tries = 1; ; tries++) {
      const turn = await this.budget.enter(ticket, deadline);
      if (turn === undefined) throw failure ?? this.tooLate(where);
      let delay: number;
      try {
        return await this.once(method, path, options, where, deadline);
      } catch (error) {
        delay = this.delayAfter(method, error, tries, deadline);
        if (error instanceof Error) failure = error;
      } finally {
        this.budget.leave(turn);
      }
      if (delay > 0) await time.sleep(delay);
    }
  }

  /** Milliseconds that this request has to wait by itself before its next try; throws where there is none. */
  private delayAfter(method: Method, error: unknown, tries: number, deadline: number): number {
    const { time, random } = this.surroundings;
    const delay = retryDelay({ method, error, tries, random: random() });
    const until = time.now() + (delay ?? 0);
    // All who use the key wait where the service asks for it, even if this request cannot.
    const isAsked = ServerError.isInstance(error) && error.retryAfter !== undefined;
    const closes = delay !== undefined && (RateLimitError.isInstance(error) || isAsked);
    if (closes) this.budget.close(delay, this.reasonOf(error));
    if (delay === undefined || until > deadline) throw error;
    if (closes) return 0;
    this.budget.tell(until, this.reasonOf(error));
    return delay;
  }

  private reasonOf(error: unknown): string {
    if (RateLimitError.isInstance(error)) return `PostHog's rate limit (${this.host} asks for it)`;
    const answered = ApiError.isInstance(error) ? `answered ${String(error.status)}` : "could not be asked";
    return `${this.host} ${answered}; the request is made again`;
  }

  private tooLate(where: Circumstances): TimeoutError {
    return new TimeoutError(
      `${whatWasDone(where)}: its turn would come after posthog:requestDeadline ` +
        `(${String(this.deadlineMs / 1000)} s), since ${this.host} asks to wait or posthog:requestsPerMinute does. ` +
        "Nothing was sent. Run again later, or raise it.",
      false,
    );
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
    const isSlow = (method === "POST" || method === "DELETE") && ORGANIZATION.test(where.path);
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
        silence: isSlow ? LONG_SILENCE_MS : SILENCE_MS,
        ...body,
      },
      where,
    );
    const scrub = (text: string): string =>
      scrubber(this.key, [...secretsOf(options.body), ...(options.secrets ?? [])])(text);
    return understand(answer, where, scrub, Date.now());
  }
}

/** What tells an object from the others of its list; what has no id is told from all. */
function identityOf(item: unknown): unknown {
  const id = typeof item === "object" && item !== null && "id" in item ? item.id : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id) : Symbol();
}

/** A list that counts more than it showed and says nothing of a next page: the rest is asked for by its place. */
function isCutShort({ count = 0, results }: Page, received: number): boolean {
  return results.length > 0 && count > received;
}

const budgets = new Map<string, Budget>();
const clients = new Map<string, ApiClient>();

/**
 * The client of these settings. All of one host and key share one budget in the process, also where their deadlines
 * differ.
 *
 * @throws ConfigurationError where host or key are missing or cannot be used
 */
export function clientFor(settings: Settings): ApiClient {
  const account = JSON.stringify([managementHost(settings).href, personalKey(settings)]);
  const identity = JSON.stringify([account, settings.connection, settings.requestDeadline]);
  const budget = budgets.get(account);
  budget?.keepPace(settings.requestsPerMinute);
  const known = clients.get(identity);
  if (known) return known;
  const made = new ApiClient(settings, real, budget);
  budgets.set(account, made.budget);
  clients.set(identity, made);
  return made;
}
