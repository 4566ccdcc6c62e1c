import {
  ApiError,
  PostHogError,
  AuthenticationError,
  ConflictError,
  MethodNotAllowedError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
  type ApiFailure,
  type ServiceError,
} from "./errors";
import { hintFor } from "./hints";

/** What a request is about, for messages. */
export interface Subject {
  /** Class of the resource, such as `Dashboard`. */
  kind: string;
  /** Logical name of the resource. */
  name?: string;
  /** Id of the object. */
  id?: string;
  /** What is being done, such as `creating`. */
  verb: string;
}

/** Everything about a failed request that a message can use. */
export interface Circumstances {
  host: string;
  /** Name of the connection in `posthog:connections`, where it is not the default one. */
  connection?: string | undefined;
  method: string;
  path: string;
  subject?: Subject | undefined;
  /** Scope that the key needs for this request. */
  scope?: string | undefined;
  /** Turns the service's name of a field into the argument's. */
  argumentName?: ((attr: string) => string) | undefined;
}

/** "creating Dashboard "growth" (12): POST /api/...", or the bare request where nothing more is known. */
export function whatWasDone({ subject, method, path }: Circumstances): string {
  return `${beginning(subject)}${method} ${path}`;
}

/** `Dashboard "growth" (12)`: a resource, and its object where that is known, as every message has them. */
export function naming({ kind, name, id }: Pick<Subject, "kind" | "name" | "id">): string {
  return `${kind}${name === undefined ? "" : ` "${name}"`}${id === undefined ? "" : ` (${id})`}`;
}

function beginning(subject: Subject | undefined): string {
  return subject === undefined ? "" : `${subject.verb} ${naming(subject)}: `;
}

/** The failure of a request that several waited for, told of the one who reads it and not of the one who asked. */
export function toldOf(reader: Subject | undefined, asker: Subject | undefined, failure: unknown): unknown {
  const [own, others] = [beginning(reader), beginning(asker)];
  const isOthers = own !== others && PostHogError.isInstance(failure) && failure.message.startsWith(others);
  return isOthers ? failure.saying(own + failure.message.slice(others.length)) : failure;
}

/** The typed error of an answer with an error status. */
export function apiError(
  status: number,
  said: ServiceError,
  retryAfter: number | undefined,
  where: Circumstances,
): ApiError {
  const hint = hintFor(status, said, retryAfter, where);
  const argument = said.attr === undefined ? undefined : (where.argumentName?.(said.attr) ?? said.attr);
  const detail = [
    argument === undefined ? "" : `${argument}: `,
    said.detail ?? "no further explanation",
  ].join("");
  const message = `${whatWasDone(where)} answered ${String(status)}: ${detail}${hint === undefined ? "" : `\n${hint}`}`;
  const failure: ApiFailure = { status, method: where.method, path: where.path, ...said, hint, retryAfter };
  return new (classOf(status))(message, failure);
}

function classOf(status: number): new (message: string, failure: ApiFailure) => ApiError {
  if (status >= 500) return ServerError;
  switch (status) {
    case 400:
    case 422:
      return ValidationError;
    case 401:
      return AuthenticationError;
    case 403:
      return PermissionError;
    case 404:
    case 410:
      return NotFoundError;
    case 405:
      return MethodNotAllowedError;
    case 409:
      return ConflictError;
    case 429:
      return RateLimitError;
    default:
      return ApiError;
  }
}
