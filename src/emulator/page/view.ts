import type { CaptureStore } from "../capture";
import { feed } from "./feed";
import type { Json } from "../fields/json";
import { byText, newestFirst } from "../http/pages";
import type { RequestLog } from "../http/request-log";
import { isExpired } from "../routes/invites";
import type { Level } from "../store/entities";
import { printBatchExport } from "../views/batch-export";
import { printPlugin } from "../views/plugin";
import type { World } from "../world/world";

/** Rows of one kind that the page gets at most; the counts tell how many there are. */
const MOST_ROWS = 500;
const MOST_NAMES = 10;

/** An object as the page shows it. */
interface Item {
  readonly id: string;
  readonly name: string;
  /** Id of its organization; undefined where it is gone. */
  readonly organization: string | undefined;
  /** Number of its project, where it belongs to one. */
  readonly project?: number;
  /** What the table shows, by column. */
  readonly columns: Readonly<Record<string, Json>>;
  /** Everything else that there is to say of it. */
  readonly more: Readonly<Record<string, Json>>;
}

/** The rows of one kind that are shown, and how many there are. */
interface Shown {
  readonly total: number;
  readonly items: readonly Item[];
}

const LEVELS: Readonly<Record<Level, string>> = { 1: "member", 8: "admin", 15: "owner" };

/** All that the emulator's page shows, without keys and secret configuration. */
export function view(world: World, capture: CaptureStore, log: RequestLog) {
  const { store } = world;
  const kinds = {
    dashboards: dashboards(world),
    exports: batchExports(world),
    domains: domains(world),
    people: people(world),
    invites: invites(world),
    plugins: plugins(world),
  };
  return {
    time: world.time,
    shapes: world.shapes,
    organizations: store.organizations.all().map(({ id, name, slug }) => ({
      id,
      name,
      slug,
      projects: store.projects
        .filter((project) => project.organization_id === id)
        .map((project) => ({ id: project.id, name: project.name })),
    })),
    kinds,
    events: store.projects
      .all()
      .map((project) => ({ project, summary: capture.summary(project.api_token) }))
      .filter(({ summary }) => summary.requests > 0)
      .map(({ project, summary }) => ({
        project: project.id,
        organization: project.organization_id,
        name: project.name,
        events: summary.events,
        received: summary.received,
        days: summary.days,
        names: summary.names.slice(0, MOST_NAMES),
      })),
    feed: feed(world, log),
  };
}

/** The rows of a kind; only those that are shown are made up. */
function shown<T>(rows: readonly T[], toItem: (row: T) => Item): Shown {
  return { total: rows.length, items: rows.slice(0, MOST_ROWS).map(toItem) };
}

function dashboards({ store }: World): Shown {
  const rows = store.dashboards
    .filter((row) => !row.deleted)
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || byText(a.name, b.name));
  return shown(rows, (row) => ({
    id: String(row.id),
    name: row.name ?? "",
    organization: store.projects.get(row.project_id)?.organization_id,
    project: row.project_id,
    columns: { tags: row.tags, pinned: row.pinned },
    more: {
      description: row.description,
      filters: row.filters,
      restriction: row.restriction_level,
      tiles: store.tiles.filter((tile) => tile.dashboard_id === row.id && !tile.deleted).length,
      collaborators: store.collaborators
        .filter((one) => one.dashboard_id === row.id)
        .map((one) => store.users.get(one.user_id)?.email ?? ""),
      "made by": row.creation_mode,
      created: row.created_at,
    },
  }));
}

function batchExports(world: World): Shown {
  const { store } = world;
  const rows = store.batchExports.filter((row) => !row.deleted);
  const newest = newestFirst(rows, (row) => row.created_at);
  return shown(newest, (row) => {
    const { destination, model, schema, start_at, end_at, created_at, last_paused_at } = printBatchExport(
      world,
      row,
    );
    return {
      id: row.id,
      name: row.name,
      organization: store.projects.get(row.project_id)?.organization_id,
      project: row.project_id,
      columns: { destination: destination.type, every: row.interval, paused: row.paused },
      more: {
        ...destination.config,
        model,
        query: schema?.hogql_query ?? null,
        from: start_at,
        until: end_at,
        created: created_at,
        "last paused": last_paused_at,
        backfills: store.backfills.filter((one) => one.batch_export === row.id).length,
      },
    };
  });
}

function domains({ store }: World): Shown {
  return shown(store.domains.all(), (row) => ({
    id: row.id,
    name: row.domain,
    organization: row.organization_id,
    columns: { verified: row.verified_at !== null, "single sign-on": row.sso_enforcement },
    more: {
      "verified at": row.verified_at,
      "joins by itself": row.jit_provisioning_enabled,
      "DNS record": `_posthog-challenge.${row.domain}`,
      "its value": row.verification_challenge,
      "SAML entity": row.saml_entity_id,
    },
  }));
}

function people({ store }: World): Shown {
  return shown(store.memberships.all(), (row) => {
    const user = store.users.require(row.user_id);
    return {
      id: row.id,
      name: user.email,
      organization: row.organization_id,
      columns: { level: LEVELS[row.level], "two factors": user.is_2fa_enabled },
      more: {
        name: `${user.first_name} ${user.last_name}`.trim(),
        uuid: user.uuid,
        joined: row.joined_at,
        "last seen": user.last_login,
      },
    };
  });
}

function invites(world: World): Shown {
  return shown(world.store.invites.all(), (row) => ({
    id: row.id,
    name: row.target_email,
    organization: row.organization_id,
    columns: { level: LEVELS[row.level], expired: isExpired(world, row) },
    more: { "first name": row.first_name, message: row.message, sent: row.created_at },
  }));
}

function plugins(world: World): Shown {
  return shown(world.store.plugins.all(), (row) => {
    const { url, description, latest_tag, capabilities, config_schema } = printPlugin(world, row);
    return {
      id: String(row.id),
      name: row.name ?? "",
      organization: row.organization_id,
      columns: { type: row.plugin_type, revision: row.tag },
      more: {
        url,
        description,
        "latest revision": latest_tag,
        capabilities,
        "config schema": config_schema,
        "source files": Object.keys(row.source),
      },
    };
  });
}
