import { z } from "zod";
import { isObject } from "../engine/values/json";
import { PLAIN_SECRET } from "../engine/program/secrets";
import { destinationField } from "../resources/destination-field";
import { KINDS } from "./kinds";
import { resourcePolicy } from "./policy";
import type { Subject } from "./subject";

/** Forms of well-known secrets. None of them is a word that somebody would write by chance. */
const FORMS: readonly (readonly [what: string, form: RegExp])[] = [
  ["a personal API key of PostHog", /\bphx_[A-Za-z0-9]{20,}/],
  ["a feature flags key of PostHog", /\bphs_[A-Za-z0-9]{20,}/],
  ["an AWS access key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["a private key", /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{50})/],
  ["a Slack token", /\bxox[abeprs]-[A-Za-z0-9-]{10,}/],
  ["a Stripe key", /\b[sr]k_live_[A-Za-z0-9]{16,}/],
  ["a Google API key", /\bAIza[0-9A-Za-z_-]{35}/],
  ["a signed token", /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/],
  ["a password in an address", /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]+@/i],
];

/** No secret stands in plain text in an argument. */
export const plainSecrets = resourcePolicy({
  name: "posthog-plain-secrets",
  displayName: "No secret in plain text",
  why: "A secret written into a program is in every clone and in its history, and one in an argument that is not secret also stands readable in the state and in PostHog.",
  comply:
    'Set it with `pulumi config set --secret NAME` (or Pulumi ESC) and read it with config.requireSecret("NAME"); one from the environment goes through pulumi.secret(process.env["NAME"]). Replace the secret that stood there.',
  severity: "critical",
  kinds: KINDS,
  settings: {
    /** More forms of secrets, as regular expressions. */
    patterns: z.array(z.string()).default([]),
  },
  check(subject, { patterns }) {
    const forms = [
      ...FORMS,
      ...patterns.map((pattern) => [`what fits ${pattern}`, new RegExp(pattern)] as const),
    ];
    const given = subject.additionalSecretOutputs
      .filter((output) => output.startsWith(PLAIN_SECRET))
      .map((output) => `${output.slice(PLAIN_SECRET.length)} is written in plain text`);
    const found = textsIn(subject).flatMap(({ path, text }) =>
      forms.filter(([, form]) => form.test(text)).map(([what]) => `${path} holds ${what}`),
    );
    return [...given, ...found];
  },
});

/** Arguments that are secrets by themselves: what they hold is no find. */
function secretPathsOf({ kind, props }: Subject): string[] {
  if (kind === "HistoricalImport") return ["projectApiKey"];
  if (kind !== "BatchExport") return [];
  const paths = destinationField.secretPaths?.(props["destination"]) ?? [];
  return paths.map((path) => ["destination", ...path].join("."));
}

function textsIn(subject: Subject): { path: string; text: string }[] {
  const secret = new Set(secretPathsOf(subject));
  const within = (value: unknown, path: string): { path: string; text: string }[] => {
    if (secret.has(path)) return [];
    if (typeof value === "string") return [{ path, text: value }];
    if (Array.isArray(value)) return value.flatMap((entry, index) => within(entry, `${path}[${index}]`));
    if (!isObject(value)) return [];
    return Object.entries(value).flatMap(([key, inner]) =>
      within(inner, path === "" ? key : `${path}.${key}`),
    );
  };
  return within(subject.props, "");
}
