/** The service's error answers: `{type, code, detail, attr}`, only ever the first error. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    readonly code: string,
    readonly detail: string,
    readonly attr: string | null = null,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
  }

  get body() {
    return { type: this.type, code: this.code, detail: this.detail, attr: this.attr };
  }
}

export const notAuthenticated = (): ApiError =>
  new ApiError(
    401,
    "authentication_error",
    "not_authenticated",
    "Authentication credentials were not provided.",
    null,
    {
      "WWW-Authenticate": "Bearer",
    },
  );

export const authenticationFailed = (detail: string): ApiError =>
  new ApiError(401, "authentication_error", "authentication_failed", detail, null, {
    "WWW-Authenticate": "Bearer",
  });

export const permissionDenied = (detail = "You do not have permission to perform this action."): ApiError =>
  new ApiError(403, "authentication_error", "permission_denied", detail);

export const notFound = (detail = "Not found."): ApiError =>
  new ApiError(404, "invalid_request", "not_found", detail);

export const methodNotAllowed = (method: string): ApiError =>
  new ApiError(405, "invalid_request", "method_not_allowed", `Method "${method}" not allowed.`);

export const notAcceptable = (): ApiError =>
  new ApiError(406, "invalid_request", "not_acceptable", "Could not satisfy the request Accept header.");

export const malformedJson = (detail: string): ApiError =>
  new ApiError(400, "invalid_request", "parse_error", detail);

export const unsupportedMediaType = (type: string): ApiError =>
  new ApiError(
    415,
    "invalid_request",
    "unsupported_media_type",
    `Unsupported media type "${type}" in request.`,
  );

export const throttled = (seconds: number): ApiError =>
  new ApiError(
    429,
    "throttled_error",
    "throttled",
    `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? "" : "s"}.`,
    null,
    { "Retry-After": String(seconds) },
  );

/** A 400 of a serializer. `attr` names the field; without it the error belongs to the whole body. */
export const invalid = (detail: string, attr: string | null = null, code = "invalid_input"): ApiError =>
  new ApiError(400, "validation_error", code, detail, attr);

/**
 * A 500, where upstream's code raises something that nobody catches. The header tells the person in front of
 * the emulator what upstream would have stumbled over; the real service says nothing.
 */
export const crash = (reason: string): ApiError =>
  new ApiError(500, "server_error", "error", "A server error occurred.", null, {
    // Headers hold neither line breaks nor letters beyond ASCII.
    "X-Emulator-Reason": reason.replace(/[^\x20-\x7e]/g, "?").slice(0, 300),
  });

/**
 * The code of a system error, such as `ENOENT`. Not by `instanceof`: test runners give their tests an `Error` of
 * their own, which the errors of Node itself are not made by.
 */
export function systemCode(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
