import { Collection, type DumpedCollection } from "./collection";
import type * as entity from "./entities";
import { openDeclared, type OwnRow } from "./own";

/** Everything that the emulator knows. Collections are live; assertions may read them at any time. */
export class Store {
  private listener: () => void = () => undefined;
  private readonly changed = (): void => this.listener();

  readonly users = new Collection<entity.User>(this.changed);
  readonly keys = new Collection<entity.ApiKey>(this.changed);
  readonly organizations = new Collection<entity.Organization>(this.changed);
  readonly projects = new Collection<entity.Project>(this.changed);
  readonly memberships = new Collection<entity.Membership>(this.changed);
  readonly dashboards = new Collection<entity.Dashboard>(this.changed);
  readonly tiles = new Collection<entity.Tile>(this.changed);
  readonly insights = new Collection<entity.Insight>(this.changed);
  readonly texts = new Collection<entity.TextCard>(this.changed);
  readonly collaborators = new Collection<entity.Collaborator>(this.changed);
  readonly sharing = new Collection<entity.Sharing>(this.changed);
  readonly batchExports = new Collection<entity.BatchExport>(this.changed);
  readonly exportRuns = new Collection<entity.ExportRun>(this.changed);
  readonly backfills = new Collection<entity.Backfill>(this.changed);
  readonly logEntries = new Collection<entity.LogEntry>(this.changed);
  readonly domains = new Collection<entity.Domain>(this.changed);
  readonly invites = new Collection<entity.Invite>(this.changed);
  readonly plugins = new Collection<entity.Plugin>(this.changed);
  readonly pluginReleases = new Collection<entity.PluginRelease>(this.changed);
  readonly activity = new Collection<entity.Activity>(this.changed);
  readonly dnsRecords = new Collection<entity.DnsRecord>(this.changed);
  readonly media = new Collection<entity.Media>(this.changed);

  private readonly own = openDeclared(this, this.changed);

  /** Calls back after every change. */
  onChange(listener: () => void): void {
    this.listener = listener;
  }

  dump(): Record<string, DumpedCollection<unknown>> {
    return Object.fromEntries(this.collections().map(([name, rows]) => [name, rows.dump()]));
  }

  /** Takes over what `dump` gave. Collections that the dump lacks (an older file) stay empty. */
  load(dumped: Readonly<Record<string, DumpedCollection<unknown>>>): void {
    for (const [name, rows] of this.collections()) {
      const saved = dumped[name];
      if (saved) rows.load(saved);
    }
  }

  /** Deletes rows of the collections that files of routes declare for themselves. */
  deleteOwn(matches: (row: OwnRow) => boolean): void {
    for (const rows of this.own.values()) rows.deleteWhere(matches);
  }

  private collections(): [string, Loadable][] {
    // Only collections are enumerable properties with `dump`; their row types differ, so they are seen as unknown here.
    const common = Object.entries(this).filter(
      (entry): entry is [string, Loadable] => entry[1] instanceof Collection,
    );
    return [...common, ...this.own];
  }
}

interface Loadable {
  dump(): DumpedCollection<unknown>;
  load(dumped: DumpedCollection<unknown>): void;
}
