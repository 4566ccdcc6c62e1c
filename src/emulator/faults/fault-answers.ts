import type { ServerResponse } from "node:http";

import { ApiError, throttled } from "../http/errors";
import type { FaultAction } from "./faults";
import { type Reply, send } from "../http/reply";

const PROXY_PAGE =
  "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n";

/** True for faults that let the request do its work first. */
export function isAfter(fault: FaultAction): boolean {
  return fault.kind === "truncate" || ((fault.kind === "status" || fault.kind === "reset") && fault.after);
}

/** Lets a fault happen, in place of `reply` if there is one, and returns the status to be logged. */
export function breakOff(
  response: ServerResponse,
  fault: FaultAction,
  reply: Reply | undefined,
  errorType = "application/json",
): number {
  switch (fault.kind) {
    case "status": {
      const { body, headers } = faultError(fault);
      const text = errorType === "application/json" ? JSON.stringify(body) : body.detail;
      send(response, { status: fault.status, headers, type: errorType, text });
      return fault.status;
    }
    case "html":
      send(response, { status: 502, type: "text/html", text: PROXY_PAGE });
      return 502;
    case "truncate": {
      const text = reply?.text ?? "";
      response.writeHead(reply?.status ?? 200, {
        "Content-Type": reply?.type ?? "application/json",
        "Content-Length": Buffer.byteLength(text) + 1,
      });
      response.write(text.slice(0, Math.floor(text.length / 2)), () => response.destroy());
      return reply?.status ?? 200;
    }
    case "reset":
    case "slow":
      response.socket?.resetAndDestroy();
      return 0;
  }
}

function faultError({
  status,
  retryAfter,
}: {
  status: number;
  retryAfter?: number;
}): Pick<ApiError, "body" | "headers"> {
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  if (status === 429) return { body: throttled(retryAfter ?? 1).body, headers };
  const [type, code, detail] =
    status >= 500
      ? ["server_error", "error", "A server error occurred."]
      : (CLIENT_ERRORS[status] ?? ["invalid_request", "error", `The emulator was told to answer ${status}.`]);
  return { body: new ApiError(status, type, code, detail).body, headers };
}

const CLIENT_ERRORS: Readonly<Record<number, readonly [type: string, code: string, detail: string]>> = {
  401: [
    "authentication_error",
    "authentication_failed",
    "Personal API key found in request Authorization header is invalid.",
  ],
  402: ["server_error", "payment_required", "This feature is part of the premium PostHog offering."],
  403: ["authentication_error", "permission_denied", "You do not have permission to perform this action."],
  404: ["invalid_request", "not_found", "Not found."],
  409: ["server_error", "conflict", "A server error occurred."],
};
