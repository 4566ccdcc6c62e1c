const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const colon = 0x3a;
const comma = 0x2c;
const space = 0x20;

/** Where a value's bytes lie: [start, end). */
export interface Span {
  readonly start: number;
  readonly end: number;
}

function afterString(json: Buffer, at: number): number {
  for (let i = at + 1; ; i++) {
    const byte = json[i];
    if (byte === quote) return i + 1;
    if (byte === backslash) i++;
    if (byte === undefined) throw new RangeError("unterminated string in JSON that was parsed before");
  }
}

function afterValue(json: Buffer, at: number): number {
  const first = json[at];
  if (first === quote) return afterString(json, at);
  if (first === openBrace || first === openBracket) {
    let depth = 0;
    for (let i = at; i < json.length; i++) {
      const byte = json[i];
      if (byte === quote) i = afterString(json, i) - 1;
      else if (byte === openBrace || byte === openBracket) depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return i + 1;
    }
    throw new RangeError("unterminated value in JSON that was parsed before");
  }
  let end = at;
  for (; end < json.length; end++) {
    const byte = json[end] ?? 0;
    if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= space) break;
  }
  return end;
}

function afterSpace(json: Buffer, at: number): number {
  let i = at;
  while ((json[i] ?? 0x7f) <= space) i++;
  return i;
}

/**
 * Where the members of an object stand in its text. The text from `start` must be an object that JSON.parse accepted:
 * nothing is validated again. Of a name that appears twice the last counts, as for JSON.parse.
 */
export function members(json: Buffer, start = 0): Map<string, Span> {
  const found = new Map<string, Span>();
  let at = afterSpace(json, afterSpace(json, start) + 1);
  while (json[at] !== closeBrace) {
    const nameEnd = afterString(json, at);
    const raw = json.toString("utf8", at + 1, nameEnd - 1);
    const name = raw.includes("\\") ? String(JSON.parse(`"${raw}"`)) : raw;
    at = afterSpace(json, nameEnd);
    if (json[at] !== colon) throw new RangeError("no colon in JSON that was parsed before");
    at = afterSpace(json, at + 1);
    const end = afterValue(json, at);
    found.set(name, { start: at, end });
    at = afterSpace(json, end);
    if (json[at] === comma) at = afterSpace(json, at + 1);
  }
  return found;
}
