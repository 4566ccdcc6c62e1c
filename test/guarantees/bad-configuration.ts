import { MARKER } from "./bad-arguments";

/** Stack configuration that no preview may accept. */
export interface BadConfiguration {
  readonly title: string;
  /** Changes of a configuration that works; undefined takes a key out. */
  readonly changes: Readonly<Record<string, string | undefined>>;
  readonly class?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** Shown through the engine, too. */
  readonly throughEngine?: true;
  /** What the message says, one after the other. */
  readonly says: RegExp;
}

export const KEY = `phx_${MARKER}`;

/** A configuration that works, for previews that send nothing. */
export const goodConfiguration: Readonly<Record<string, string>> = {
  "posthog:apiKey": KEY,
  "posthog:host": "http://127.0.0.1:9",
  "posthog:projectId": "1",
  "posthog:organizationId": "018f3d2c-0000-4000-8000-000000000000",
};

const connections = (entry: unknown, name = "eu"): BadConfiguration["changes"] => ({
  "posthog:connections": JSON.stringify({ [name]: entry }),
});
const onEu = { connection: "eu" };

export const badConfigurations: readonly BadConfiguration[] = [
  {
    title: "no key",
    throughEngine: true,
    changes: { "posthog:apiKey": undefined },
    says: /no PostHog key.*pulumi config set --secret posthog:apiKey.*POSTHOG_API_KEY/,
  },
  {
    title: "a blank key",
    changes: { "posthog:apiKey": "  " },
    says: /no PostHog key.*--secret posthog:apiKey/,
  },
  {
    title: "a project's key as personal key",
    throughEngine: true,
    changes: { "posthog:apiKey": `phc_${MARKER}` },
    says: /project API key \(phc_\.\.\.\).*personal.*phx_/,
  },
  {
    title: "a key with a line end inside",
    changes: { "posthog:apiKey": `phx_${MARKER}\nx` },
    says: /posthog:apiKey.*white space/,
  },
  {
    title: "a host that is not https",
    throughEngine: true,
    changes: { "posthog:host": "http://posthog.example.com" },
    says: /posthog:host \(POSTHOG_HOST\) must start with https:\/\/.*http:\/\/posthog\.example\.com/,
  },
  {
    title: "a host with a key inside",
    throughEngine: true,
    changes: { "posthog:host": `https://me:${MARKER}@posthog.example.com` },
    says: /posthog:host.*must not hold a user or a password.*posthog:apiKey/,
  },
  {
    title: "a host that is none, with a key inside",
    changes: { "posthog:host": `ftp://me:${MARKER}@posthog.example.com` },
    says: /posthog:host.*must be an address such as https:\/\/us\.posthog\.com/,
  },
  {
    title: "a host without protocol",
    changes: { "posthog:host": "eu.posthog.com" },
    says: /must be an address such as https:\/\/us\.posthog\.com, got "eu\.posthog\.com"/,
  },
  {
    title: "an unknown region",
    changes: { "posthog:host": undefined, "posthog:region": "asia" },
    says: /posthog:region \(POSTHOG_REGION\) must be us or eu, got "asia"/,
  },
  {
    title: "a deadline that is no number",
    changes: { "posthog:requestDeadline": "soon" },
    says: /posthog:requestDeadline must be a number .*above 0.* got "soon"/,
  },
  {
    title: "no requests a minute",
    changes: { "posthog:requestsPerMinute": "0" },
    says: /posthog:requestsPerMinute must be a number.* above 0/,
  },
  {
    title: "no project",
    throughEngine: true,
    changes: { "posthog:projectId": undefined },
    says: /projectId: is not given: .*pulumi config set posthog:projectId.*POSTHOG_PROJECT_ID/,
  },
  {
    title: "a project's key in place of its id",
    throughEngine: true,
    changes: { "posthog:projectId": `phc_${MARKER}` },
    says: /projectId: must be the project's id.*\/project\/1.*not a key.*posthog:projectId \(POSTHOG_PROJECT_ID\)/,
  },
  {
    title: "no organization",
    throughEngine: true,
    changes: { "posthog:organizationId": undefined },
    class: "Domain",
    args: { domain: "example.com" },
    says: /organizationId: is not given: .*posthog:organizationId.*POSTHOG_ORGANIZATION_ID/,
  },
  {
    title: "connections that are no object",
    changes: { "posthog:connections": `"${MARKER}"` },
    args: onEu,
    says: /posthog:connections must be an object.*--path posthog:connections\.NAME\.host/,
  },
  {
    title: "connections that are no JSON",
    changes: { "posthog:connections": `eu=${MARKER}` },
    args: onEu,
    says: /posthog:connections must be an object/,
  },
  {
    title: "a connection that is a text",
    changes: connections(KEY),
    args: onEu,
    says: /posthog:connections\.eu cannot be used; a connection is an object of apiKey, host/,
  },
  {
    title: "a connection with an unknown key",
    changes: connections({ apiKey: KEY, url: "https://eu.posthog.com" }),
    args: onEu,
    says: /posthog:connections\.eu.*(url|object of apiKey, host)/,
  },
  {
    title: "a connection with a key of another type",
    changes: connections({ apiKey: [KEY], host: "https://eu.posthog.com" }),
    args: onEu,
    says: /posthog:connections\.eu\.apiKey cannot be used/,
  },
  {
    title: "a connection without a key, beside a default one with a key",
    changes: connections({ host: "https://eu.posthog.com", projectId: 1 }),
    args: onEu,
    says: /no PostHog key.*posthog:connections\.eu\.apiKey/,
  },
  {
    title: "a connection without a project, beside a default one with a project",
    changes: connections({ apiKey: KEY, host: "https://eu.posthog.com" }),
    args: onEu,
    says: /projectId: is not given.*posthog:connections\.eu\.projectId/,
  },
  {
    title: "a connection on a host that is not https",
    changes: connections({ apiKey: KEY, host: "http://posthog.example.com", projectId: "1" }),
    args: onEu,
    says: /posthog:connections\.eu\.host.*must start with https:/,
  },
  {
    title: "a connection that is not there",
    changes: connections({ apiKey: KEY }, "us"),
    args: onEu,
    says: /connection "eu" is not in posthog:connections, which names us.*--path posthog:connections\.eu\.host/,
  },
];
