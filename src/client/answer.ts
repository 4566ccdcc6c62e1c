import { isWebPage, parseErrorBody } from "./error-body";
import { ResponseError } from "./errors";
import { apiError, whatWasDone, type Circumstances } from "./explain";
import { settingName } from "./naming";
import { retryAfterSeconds } from "./retry";
import type { Scrub } from "./scrub";
import type { Answer } from "./transport";

/**
 * What an answer says, or the error that it is: nothing, where the service has nothing to say (204).
 *
 * @throws ApiError for an error status, ResponseError for what is no answer of PostHog's
 */
export function understand(answer: Answer, where: Circumstances, scrub: Scrub, now: number): unknown {
  const { status, headers, body } = answer;
  const host = settingName("host", where.connection);
  if (status >= 300 && status < 400) {
    const target = scrub(originOf(header(headers["location"]), where.host));
    throw new ResponseError(
      `${whatWasDone(where)}: ${where.host} sends on to ${target} (${String(status)}), where the key is not sent. ` +
        `Give ${host} the right address.`,
      "redirect",
    );
  }
  if (status >= 400) {
    const wait = retryAfterSeconds(header(headers["retry-after"]), now);
    throw apiError(status, parseErrorBody(scrub(body)), wait, where);
  }
  if (body.trim() === "") {
    // An object that was asked for or made cannot be empty: the answer was lost on its way.
    if (where.method !== "GET" && status !== 201) return undefined;
    throw new ResponseError(
      `${whatWasDone(where)}: ${where.host} answered ${String(status)} and nothing else. Run pulumi up again.`,
      "empty",
    );
  }
  try {
    return JSON.parse(body);
  } catch {
    const said = parseErrorBody(scrub(body)).detail ?? "";
    throw new ResponseError(
      `${whatWasDone(where)}: ${where.host} answered ${String(status)} with something other than JSON: ${said}\n` +
        `Is ${host} the address of a PostHog, and no proxy's login page before it?`,
      isWebPage(body) ? "web page" : "not JSON",
    );
  }
}

function originOf(location: string | undefined, base: string): string {
  return location !== undefined && URL.canParse(location, base)
    ? new URL(location, base).origin
    : "elsewhere";
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
