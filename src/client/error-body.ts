import { z } from "zod";
import type { ServiceError } from "./errors";

const LONGEST_DETAIL = 300;
/** A page's first words say whose it is; the rest is noise. */
const LONGEST_PAGE = 80;

/** The ways in which services and the proxies before them put a text. */
const words = z.union([z.string(), z.array(z.string()).transform((several) => several.join(" "))]);
/** The form of other frameworks: where, and what. */
const located = z.array(
  z.looseObject({ loc: z.array(z.union([z.string(), z.number()])).optional(), msg: z.string() }),
);
const part = words.nullish().catch(undefined);
const errorBody = z.looseObject({
  type: part,
  code: part,
  detail: part,
  attr: part,
  error: part,
  message: part,
});

/** The service's own words, from whatever form its answer has: JSON, plain text, a proxy's page, nothing. */
export function parseErrorBody(body: string): ServiceError {
  const trimmed = body.trim();
  if (trimmed === "") return {};
  if (isWebPage(trimmed)) {
    return { detail: `a web page: ${shorten(textOf(trimmed), LONGEST_PAGE)}`, webPage: true };
  }
  const json = jsonOf(trimmed);
  const text = words.safeParse(json);
  if (text.success) return { detail: plain(text.data) };
  const [other] = located.safeParse(isDetailed(json) ? json.detail : json).data ?? [];
  if (other !== undefined) return firstLocated(other);
  const parsed = errorBody.safeParse(json);
  if (!parsed.success) return { detail: plain(trimmed) };
  const { type, code, detail, attr, error, message, ...others } = parsed.data;
  const said = detail ?? error ?? message ?? undefined;
  const field = said === undefined ? firstField(others) : {};
  return {
    type: type ?? undefined,
    code: code ?? undefined,
    attr: attr ?? undefined,
    detail: said === undefined ? plain(trimmed) : plain(said),
    ...field,
  };
}

/** True for a text that a browser would show. */
export function isWebPage(text: string): boolean {
  return /^\s*<[a-z!?]/i.test(text);
}

/** The form `{"name": ["This field is required."]}`. */
function firstField(fields: Readonly<Record<string, unknown>>): ServiceError {
  for (const [attr, value] of Object.entries(fields)) {
    const said = words.safeParse(value);
    if (said.success && said.data !== "") return { attr, detail: plain(said.data) };
  }
  return {};
}

function isDetailed(json: unknown): json is { detail: unknown } {
  return typeof json === "object" && json !== null && "detail" in json;
}

/** The form `[{"loc": ["body", "name"], "msg": "Field required"}]`. */
function firstLocated({
  loc = [],
  msg,
}: {
  loc?: readonly (string | number)[] | undefined;
  msg: string;
}): ServiceError {
  const attr = loc.filter((part) => part !== "body").join("__");
  return { detail: plain(msg), ...(attr === "" ? {} : { attr }) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOf(html: string): string {
  return plain(html.replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " "));
}

/** One line without characters that would steer the terminal. */
function plain(text: string): string {
  return shorten(text.replace(/[\s\p{Cc}]+/gu, " ").trim(), LONGEST_DETAIL);
}

function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
