import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../support/emulator";

/** Events of one random import. */
export const EVENTS = 12;
const BEGIN = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** What random programs find at the service and in their folder: people, tiles, DNS records, files of events. */
export class World {
  /** Dashboard of somebody else, whose tiles can be moved and which can be copied. */
  private source = 0;
  private readonly people = new Set<string>();
  private readonly tiles = new Set<number>();
  private readonly guarded = new Map<string, () => boolean>();
  private readonly missed = new Set<string>();

  constructor(
    readonly emulator: Emulator,
    /** The program's folder. */
    readonly folder: string,
  ) {
    const { store } = emulator;
    // Whoever owns the domain sets its record as soon as there is one to set.
    store.onChange(() => {
      for (const { domain, verification_challenge: challenge } of store.domains.all()) {
        const name = `_posthog-challenge.${domain}`;
        const isSet = store.dnsRecords.find((record) => record.name === name && record.value === challenge);
        if (domain.startsWith("verified-") && !isSet) emulator.setDns(name, challenge);
      }
      for (const [what, isThere] of this.guarded) if (!isThere()) this.missed.add(what);
    });
    this.source = store.dashboards.insert({
      id: store.dashboards.nextId(),
      project_id: Number(emulator.environment.POSTHOG_PROJECT_ID),
      name: "Somebody else's",
      description: "",
      pinned: false,
      created_at: "2024-01-01T00:00:00Z",
      created_by_id: store.users.all()[0]?.id ?? null,
      deleted: false,
      creation_mode: "default",
      tags: [],
      restriction_level: 21,
      filters: {},
    }).id;
  }

  get sourceDashboard(): number {
    return this.source;
  }

  get projectId(): string {
    return this.emulator.environment.POSTHOG_PROJECT_ID;
  }

  /** Someone who has joined the organization, and whom one resource is going to manage. */
  member(n: number): string {
    const email = `person-${n}@people.example`;
    this.emulator.addMember({ email });
    this.people.add(email);
    return email;
  }

  uuidOf(email: string): string | undefined {
    return this.emulator.store.users.find((user) => user.email === email)?.uuid;
  }

  /** From now on these people are to be members, and the invites to these addresses there, at every moment. */
  guard(members: readonly string[], invited: readonly string[]): void {
    const { invites, memberships } = this.emulator.store;
    this.guarded.clear();
    for (const email of members) {
      const uuid = this.uuidOf(email);
      const rows = memberships.filter(
        ({ user_id: id }) => this.emulator.store.users.require(id).uuid === uuid,
      );
      for (const { id } of rows)
        this.guarded.set(`the membership of ${email}`, () => memberships.get(id) !== undefined);
    }
    for (const { id, target_email: email } of invites.filter((row) => invited.includes(row.target_email)))
      this.guarded.set(`the invite of ${email}`, () => invites.get(id) !== undefined);
  }

  /** What was guarded and was taken away all the same, since this was last asked. */
  taken(): string[] {
    const taken = [...this.missed];
    this.missed.clear();
    this.guarded.clear();
    return taken;
  }

  /** UUID of someone who has joined and stays. */
  colleague(n: number): string {
    return this.emulator.addMember({ email: `colleague-${n}@people.example` }).user.uuid;
  }

  /** Number of a tile that one resource is going to move. */
  tile(): number {
    const { tiles } = this.emulator.store;
    const { id } = tiles.insert({
      id: tiles.nextId(),
      dashboard_id: this.source,
      insight_id: null,
      text_id: null,
      color: null,
      layouts: {},
      deleted: false,
    });
    this.tiles.add(id);
    return id;
  }

  /** Name of a file of events of the program's folder that nothing else sends. */
  events(n: number): string {
    const name = `events-${n}.ndjson`;
    const lines = Array.from({ length: EVENTS }, (_, index) =>
      JSON.stringify({
        event: `event ${index}`,
        distinct_id: `user-${n}`,
        timestamp: new Date(BEGIN + n * DAY_MS + index * 1000).toISOString(),
        properties: { number: index },
      }),
    );
    writeFileSync(join(this.folder, name), `${lines.join("\n")}\n`);
    return name;
  }

  /** Everything that exists at the service and that a program can have made, by list: a key for each object. */
  lists(): Record<List, string[]> {
    const { store, capture, environment } = this.emulator;
    const emailOf = (user: number): string => store.users.require(user).email;
    const dashboards = store.dashboards.filter(({ deleted, id }) => !deleted && id !== this.source);
    const isImport = (url: string | null): boolean => url?.includes("/import-") === true;
    return {
      dashboards: dashboards.map(({ id }) => String(id)),
      collaborators: store.collaborators
        .filter(({ dashboard_id: id }) => dashboards.some((dashboard) => dashboard.id === id))
        .map((row) => `${row.dashboard_id}/${store.users.require(row.user_id).uuid}`),
      tiles: store.tiles
        .filter(({ id, dashboard_id: at }) => this.tiles.has(id) && dashboards.some((one) => one.id === at))
        .map(({ id, dashboard_id: at }) => `${id}@${at}`),
      organizations: store.organizations.all().map(({ id }) => id),
      exports: store.batchExports.filter(({ deleted }) => !deleted).map(({ id }) => id),
      backfills: store.backfills.all().map((row) => row.batch_export),
      domains: store.domains.all().map(({ id }) => id),
      invites: store.invites.all().map(({ target_email: email }) => email),
      members: store.memberships
        .filter((row) => row.organization_id === environment.POSTHOG_ORGANIZATION_ID)
        .map((row) => emailOf(row.user_id))
        .filter((email) => this.people.has(email)),
      plugins: store.plugins.filter(({ url }) => !isImport(url)).map(({ id }) => String(id)),
      imports: store.plugins.filter(({ url }) => isImport(url)).map(({ id }) => String(id)),
      events: Array.from({ length: capture.count }, () => "event"),
    };
  }
}

/** What lists objects at the service. */
export type List =
  | "dashboards"
  | "collaborators"
  | "tiles"
  | "organizations"
  | "exports"
  | "backfills"
  | "domains"
  | "invites"
  | "members"
  | "plugins"
  | "imports"
  | "events";
