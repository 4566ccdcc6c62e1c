/** Names under which bodies carry what nobody may read. */
const SECRET_NAME =
  /secret|passw|passphrase|token|credential|private|cert|access_?key|api_?key|^service_account/i;
/** Shorter values would turn ordinary words of a message into gaps. */
const SHORTEST = 4;

/** What every key of PostHog begins with, whatever it opens. */
const KEY = /^ph[a-z]_/;

/** A key, wherever it was pasted. */
export function isKey(value: unknown): boolean {
  return typeof value === "string" && KEY.test(value.trim());
}

/** Text with secrets taken out of it. */
export type Scrub = (text: string) => string;

/** Takes the key and these secrets out of texts, in every notation in which an answer may echo them. */
export function scrubber(key: string, secrets: readonly string[] = []): Scrub {
  const replacements = [
    ...notations(key).map((text): [string, string] => [text, "[key]"]),
    ...secrets
      .filter((secret) => secret.length >= SHORTEST)
      .flatMap(notations)
      .map((text): [string, string] => [text, "[secret]"]),
    // A secret may hold a shorter one.
  ].sort(([a], [b]) => b.length - a.length);
  return (text) => replacements.reduce((rest, [secret, mark]) => rest.replaceAll(secret, mark), text);
}

function notations(secret: string): string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])];
}

/** The values of a body that stand under the name of a secret, at any depth. */
export function secretsOf(body: unknown, isSecret = false): string[] {
  if (typeof body === "string") return isSecret ? [body] : [];
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    secretsOf(value, isSecret || (!Array.isArray(body) && SECRET_NAME.test(name))),
  );
}
