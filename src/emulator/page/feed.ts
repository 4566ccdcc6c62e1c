import type { JsonObject } from "../fields/json";
import type { RequestLog, RequestRecord } from "../http/request-log";
import type { World } from "../world/world";

/** Changes that the feed shows at most. */
const MOST_CHANGES = 100;
/** Requests that are looked through for them at most, since reads are far more than writes. */
const MOST_LOOKED_AT = 20_000;

/** A request that changed something, or was refused. */
export interface Change {
  readonly at: string;
  /** E-mail address of the key's owner. */
  readonly who: string;
  /** What was done, as a sentence without its subject: `created dashboard "Growth"`. */
  readonly what: string;
  readonly status: number;
  readonly method: string;
  readonly path: string;
}

/** What objects are called, by the last named part of a route. */
const NOUNS: Readonly<Record<string, string>> = {
  dashboards: "dashboard",
  collaborators: "collaborator",
  organizations: "organization",
  batch_exports: "export",
  domains: "domain",
  invites: "invite",
  members: "member",
  pipeline_destinations: "pipeline destination",
  pipeline_frontend_apps: "frontend app",
  pipeline_import_apps: "import app",
};

/** Actions of single objects, in words. */
const ACTIONS: Readonly<Record<string, string>> = {
  pause: "paused",
  unpause: "let go on",
  backfill: "started a backfill of",
  verify: "asked to verify",
  move_tile: "moved a tile of",
  upgrade: "upgraded",
  update_source: "changed the source of",
};

/** The latest changes, the newest first; requests that only send events are told together. */
export function feed(world: World, log: RequestLog): Change[] {
  const changes: Change[] = [];
  const first = Math.max(0, log.records.length - MOST_LOOKED_AT);
  for (let index = log.records.length - 1; index >= first && changes.length < MOST_CHANGES; index--) {
    const record = log.records[index];
    if (record === undefined || record.method === "GET" || record.method === "HEAD") continue;
    let together = 1;
    if (record.template === "/batch/") {
      while (isAlike(log.records[index - 1], record) && index > first) {
        index--;
        together++;
      }
    }
    const { at, status, method, path } = record;
    changes.push({
      at,
      who: whoOf(world, record),
      what: whatOf(world, record, together),
      status,
      method,
      path,
    });
  }
  return changes;
}

function isAlike(before: RequestRecord | undefined, record: RequestRecord): boolean {
  return before?.template === record.template && before?.status === record.status;
}

function whoOf({ store }: World, { keyId, template }: RequestRecord): string {
  if (template === "/batch/") return "a project API key";
  const key = keyId === undefined ? undefined : store.keys.get(keyId);
  return (key && store.users.get(key.user_id)?.email) ?? "an unknown key";
}

function whatOf(world: World, record: RequestRecord, together: number): string {
  const { template, method, path, body } = record;
  if (template === "/batch/") return together === 1 ? "sent events" : `sent events in ${together} requests`;
  if (template === undefined) return `asked for ${path}, which is no route`;
  const given: JsonObject = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
  const parts = template.split("/").filter((part) => part !== "");
  const last = parts[parts.length - 1] ?? "";
  const noun = NOUNS[[...parts].reverse().find((part) => part in NOUNS) ?? ""] ?? last.replaceAll("_", " ");
  const named =
    nameIn(world, template, path) ?? (typeof given["name"] === "string" ? given["name"] : undefined);
  const object =
    `${noun} ${quoted(named ?? textOf(given["domain"]) ?? textOf(given["target_email"]))}`.trim();
  const action = ACTIONS[last];
  if (action !== undefined) return `${action} ${object}`;
  if (last === "bulk") return `sent ${Array.isArray(body) ? body.length : "several"} invites`;
  if (last === "create_from_template_json") return "created a dashboard from a template";
  if (method === "POST") return `created ${object}`;
  if (method === "DELETE") return `deleted ${object}`;
  if (given["deleted"] === true) return `put ${object} away`;
  if (given["deleted"] === false) return `brought ${object} back`;
  // Names of what changed, and no values: some of them are secrets.
  return `changed ${Object.keys(given).join(", ") || "nothing"} of ${object}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function quoted(name: string | undefined): string {
  return name === undefined ? "" : `“${name}”`;
}

/** The name of the object that a path points to, as it is now; its id where it is gone. */
function nameIn({ store }: World, template: string, path: string): string | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  const names = template.split("/").filter((part) => part !== "");
  const place = names.findLastIndex(
    (part, index) => part.startsWith(":") && (names[index - 1] ?? "") in NOUNS,
  );
  const id = parts[place];
  // The organization of `/api/organizations/:organization_id/domains/` is not what is created there.
  if (id === undefined || names.slice(place + 1).some((part) => part in NOUNS)) return undefined;
  const found: Readonly<Record<string, string | null | undefined>> = {
    dashboards: store.dashboards.get(Number(id))?.name,
    organizations: store.organizations.get(id)?.name,
    batch_exports: store.batchExports.get(id)?.name,
    domains: store.domains.get(id)?.domain,
    invites: store.invites.get(id)?.target_email,
    collaborators: store.users.find(({ uuid }) => uuid === id)?.email,
    members: store.users.find(({ uuid }) => uuid === id)?.email,
    pipeline_destinations: store.plugins.get(Number(id))?.name,
    pipeline_frontend_apps: store.plugins.get(Number(id))?.name,
  };
  return found[names[place - 1] ?? ""] ?? id;
}
