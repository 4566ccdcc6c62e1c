/** Marks our errors across two copies of the package. */
const BRAND = "__pulumiPostHogError";

/** Any failure of this package that a person can do something about. */
export class PostHogError extends Error {
  override name = "PostHogError";
  readonly [BRAND] = true;

  /** The same failure in other words. */
  saying(message: string): this {
    const copy = Object.create(Reflect.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this)) as this;
    copy.message = message;
    return copy;
  }

  /** True for an error of this class, even of another copy of the package. */
  static isInstance<T extends PostHogError>(
    this: abstract new (...args: never[]) => T,
    error: unknown,
  ): error is T {
    return error instanceof this || (error instanceof Error && BRAND in error && inherits(error, this.name));
  }
}

function inherits(error: Error, className: string): boolean {
  for (
    let type: unknown = error.constructor;
    typeof type === "function";
    type = Object.getPrototypeOf(type)
  ) {
    if (type.name === className) return true;
  }
  return false;
}

/** The configuration is missing something or holds something that cannot be used. Nothing was sent. */
export class ConfigurationError extends PostHogError {
  override name = "ConfigurationError";
}

/** What the service's error bodies hold; every part may be missing. */
export interface ServiceError {
  type?: string | undefined;
  code?: string | undefined;
  detail?: string | undefined;
  attr?: string | undefined;
  /** True where the answer is a web page: a proxy or a firewall speaks, not PostHog. */
  webPage?: boolean | undefined;
}

/** What an answer with an error status says. */
export interface ApiFailure extends ServiceError {
  status: number;
  method: string;
  path: string;
  /** What to do next. */
  hint?: string | undefined;
  /** Seconds to wait before the next try, as the service asks. */
  retryAfter?: number | undefined;
}

/** The service answered with an error status. */
export class ApiError extends PostHogError {
  override name = "ApiError";
  readonly status: number;
  readonly method: string;
  /** Path of the request, without its query. */
  readonly path: string;
  readonly type: string | undefined;
  readonly code: string | undefined;
  /** The service's own words. */
  readonly detail: string | undefined;
  /** The service's name of the field that is wrong, such as `destination__type`. */
  readonly attr: string | undefined;
  /** What to do next. */
  readonly hint: string | undefined;
  /** Seconds to wait before the next try, as the service asks. */
  readonly retryAfter: number | undefined;
  /** True where the answer is a web page: a proxy or a firewall speaks, not PostHog. */
  readonly webPage: boolean;

  constructor(message: string, failure: ApiFailure) {
    super(message);
    this.status = failure.status;
    this.method = failure.method;
    this.path = failure.path;
    this.type = failure.type;
    this.code = failure.code;
    this.detail = failure.detail;
    this.attr = failure.attr;
    this.hint = failure.hint;
    this.retryAfter = failure.retryAfter;
    this.webPage = failure.webPage ?? false;
  }
}

/** 400 or 422: the service does not accept a value. */
export class ValidationError extends ApiError {
  override name = "ValidationError";
}
/** 401: the service does not accept the key. */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}
/** 403: the key may not do this. */
export class PermissionError extends ApiError {
  override name = "PermissionError";
}
/** 404 or 410: the service does not have the object, or hides it from this key. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}
/** 405: the service does not do this to such an object. */
export class MethodNotAllowedError extends ApiError {
  override name = "MethodNotAllowedError";
}
/** 409: something else is being done to the object, or has its place. */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}
/** 429: too many requests. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}
/** 5xx: the service failed; a request that writes may have had its effect. */
export class ServerError extends ApiError {
  override name = "ServerError";
}

/** The host cannot be reached, or the connection broke. */
export class ConnectionError extends PostHogError {
  override name = "ConnectionError";
  /** The system's code, such as `ECONNREFUSED`; empty where there is none. */
  readonly code: string;

  constructor(
    message: string,
    /** Whether the request may have reached the service. */
    readonly sent: boolean,
    options: ErrorOptions & { code?: string } = {},
  ) {
    super(message, options);
    this.code = options.code ?? "";
  }
}

/** The service did not answer in time. */
export class TimeoutError extends PostHogError {
  override name = "TimeoutError";

  constructor(
    message: string,
    /** Whether the request may have reached the service: one that writes may then have had its effect. */
    readonly sent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What is wrong with an answer that is no answer of PostHog's. */
export type ResponseProblem =
  "redirect" | "web page" | "not JSON" | "empty" | "too large" | "not a list" | "not an object";

/** The answer is not what PostHog answers: a redirect, no JSON, a proxy's page, cut short. */
export class ResponseError extends PostHogError {
  override name = "ResponseError";

  constructor(
    message: string,
    readonly problem: ResponseProblem,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** True where the service understood the request and does not want what it says: nothing was done. */
export function isRefused(error: unknown): error is ValidationError | ConflictError {
  return ValidationError.isInstance(error) || ConflictError.isInstance(error);
}

/** 408: whoever answered gave up on the request, and may have passed it on. */
const REQUEST_TIMEOUT = 408;
/** 504: a proxy gave up waiting for the service. */
const GATEWAY_TIMEOUT = 504;

/** True where a request that writes may have had its effect although no answer says so. */
export function isAmbiguous(error: unknown): boolean {
  if (ApiError.isInstance(error)) return error.status >= 500 || error.status === REQUEST_TIMEOUT;
  if (ResponseError.isInstance(error)) return error.problem !== "redirect";
  return (TimeoutError.isInstance(error) || ConnectionError.isInstance(error)) && error.sent;
}

/** True where somebody gave up waiting for the answer: the service may still be at work on the request. */
export function isGivenUp(error: unknown): boolean {
  if (ApiError.isInstance(error)) return [REQUEST_TIMEOUT, GATEWAY_TIMEOUT].includes(error.status);
  return TimeoutError.isInstance(error) && error.sent;
}
