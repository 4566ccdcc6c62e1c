import type { Located } from "../event/fields";
import { members } from "../event/members";
import { isObject, parseObject, type Parsed } from "../event/parse";

/** The member `name` of a parsed object; undefined where it is missing or null. */
export function member(parsed: Parsed, name: string): Located | undefined {
  const span = parsed.spans.get(name);
  if (span === undefined) return undefined;
  const value = parsed.value[name];
  return value === null ? undefined : { value, json: parsed.text.subarray(span.start, span.end) };
}

/** The object found at `located`, ready to look up its members. */
export function objectOf(located: Located | undefined): Parsed | undefined {
  if (located === undefined || !isObject(located.value)) return undefined;
  const text = typeof located.json === "string" ? Buffer.from(located.json) : located.json;
  return { value: located.value, text, spans: members(text) };
}

/** The value at a path such as `user.id`. A member that has the whole path as its name goes first. */
export function locate(parsed: Parsed, path: string): Located | undefined {
  const whole = member(parsed, path);
  if (whole !== undefined) return whole;
  const dot = path.indexOf(".");
  if (dot < 1) return undefined;
  const inner = objectOf(member(parsed, path.slice(0, dot)));
  return inner === undefined ? undefined : locate(inner, path.slice(dot + 1));
}

/** The first of several that holds something: a non-empty string, or a number. */
export function firstOf(...candidates: readonly (Located | undefined)[]): Located | undefined {
  return candidates.find(
    (found) =>
      found !== undefined &&
      (typeof found.value === "number" || (typeof found.value === "string" && found.value !== "")),
  );
}

/** An object that some exports hold as text. Empty text and "null" are no object; other text stays as it is. */
export function unpacked(located: Located | undefined): Located | undefined {
  if (located === undefined || typeof located.value !== "string") return located;
  const text = located.value.trim();
  if (text === "" || text === "null") return undefined;
  const parsed = parseObject(Buffer.from(text));
  return "reason" in parsed ? located : { value: parsed.value, json: parsed.text };
}
