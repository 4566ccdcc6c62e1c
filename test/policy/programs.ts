import type { Declared } from "../support/declared";

const s3 = {
  type: "S3",
  config: {
    bucketName: "acme-lake",
    region: "eu-central-1",
    prefix: "",
    awsAccessKeyId: { $secret: "AKIAABCDEFGHIJKLMNOP" },
    awsSecretAccessKey: { $secret: "hush-key" },
  },
};

const protect = { protect: true };

/** A stack that keeps to every policy. */
export const good: readonly Declared[] = [
  { class: "Organization", name: "acme", args: { name: "Acme", enforce2fa: true }, opts: protect },
  {
    class: "Domain",
    name: "company",
    args: { domain: "example.com" },
    opts: { protect: true },
  },
  {
    class: "DomainVerification",
    name: "company",
    args: { domainId: { $ref: "company.id" }, ssoEnforcement: "saml" },
  },
  {
    class: "TeamMember",
    name: "break-glass",
    args: { email: "break-glass@example.net", level: "owner" },
    opts: protect,
  },
  { class: "Invite", name: "ada", args: { targetEmail: "ada@example.com", level: "admin" } },
  {
    class: "InviteBatch",
    name: "analysts",
    args: { invites: [{ targetEmail: "grace@Example.com" }, { targetEmail: "joan@example.com", level: 8 }] },
  },
  {
    class: "BatchExport",
    name: "lake",
    args: { name: "Lake", interval: "hour", destination: s3 },
    opts: protect,
  },
  {
    class: "BatchExport",
    name: "old-lake",
    args: { name: "Old", interval: "day", destination: s3, paused: true },
    opts: protect,
  },
  {
    class: "Dashboard",
    name: "kpis",
    args: { name: "KPIs", pinned: true, tags: ["team:data", "production"] },
    opts: protect,
  },
  { class: "Dashboard", name: "draft", args: { name: "Draft", tags: ["team:Growth"] } },
  {
    class: "HistoricalImport",
    name: "rehearsal",
    args: { source: "events.ndjson", projectApiKey: { $secret: "phc_fresh" } },
  },
  {
    class: "HistoricalImport",
    name: "history",
    args: { source: "events.ndjson", projectApiKey: { $secret: "phc_real" } },
    opts: { dependsOn: ["rehearsal"] },
  },
  {
    class: "HistoricalImport",
    name: "amplitude-2019",
    args: {
      source: "events.ndjson",
      runKey: "fast",
      eventsPerMinute: "unlimited",
      announced: true,
      projectApiKey: { $secret: "phc_real" },
    },
    opts: { dependsOn: ["rehearsal"] },
  },
];

const plain = (config: object) => ({ type: "S3", config: { ...s3.config, ...config } });

/** A stack that violates every policy. */
export const bad: readonly Declared[] = [
  { class: "Organization", name: "acme", args: { name: "Acme" } },
  { class: "Domain", name: "company", args: { domain: "example.com" } },
  { class: "DomainVerification", name: "company", args: { domainId: { $ref: "company.id" } } },
  {
    class: "Domain",
    name: "other",
    args: { domain: "example.org", ssoEnforcement: "gitlab" },
    opts: protect,
  },
  { class: "DomainVerification", name: "other", args: { domainId: { $ref: "other.id" } } },
  { class: "TeamMember", name: "insider", args: { email: "insider@example.org", level: "owner" } },
  { class: "Invite", name: "stranger", args: { targetEmail: "stranger@mail.example" } },
  {
    class: "InviteBatch",
    name: "analysts",
    args: {
      invites: [{ targetEmail: "grace@example.com", level: 15 }, { targetEmail: "joan@else.example" }],
    },
  },
  {
    class: "BatchExport",
    name: "lake",
    args: {
      name: "Lake",
      interval: "hour",
      destination: plain({ region: "us-east-1", bucketName: "elsewhere" }),
    },
  },
  {
    class: "BatchExport",
    name: "warehouse",
    args: {
      name: "Warehouse",
      interval: "hour",
      paused: true,
      destination: {
        type: "Postgres",
        config: { user: "posthog", password: "hush-password", host: "db.example.com", database: "posthog" },
      },
    },
    opts: protect,
  },
  {
    class: "Dashboard",
    name: "kpis",
    args: { name: "KPIs", pinned: true, description: "read with phx_abcdefghijklmnopqrstuvwxyz" },
  },
  { class: "Dashboard", name: "sales", args: { name: "Sales", tags: ["team:unheard-of", "production"] } },
  {
    class: "HistoricalImport",
    name: "history",
    args: {
      source: "events.ndjson",
      eventsPerMinute: 20000,
      announced: true,
      projectApiKey: "phc_abc",
    },
  },
];
