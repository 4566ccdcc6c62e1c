import { randomUUID } from "node:crypto";

import { ALL_FEATURES } from "./world/features";
import { randomToken, urlSafeToken } from "./world/identity";
import type { Json, JsonObject } from "./fields/json";
import { createUser, join } from "./world/people";
import { publicUrl } from "./rules/plugin-installer";
import { isExpired } from "./routes/invites";
import type { ApiKey, Level, Organization, PluginRelease, User } from "./store/entities";
import { printMember } from "./views/people";
import type { World } from "./world/world";

/** A member as the interface shows it. */
export type MemberRecord = ReturnType<typeof printMember>;

export interface NewKey {
  /** Scopes such as `dashboard:read`, `*` for all; null, the default, makes a legacy key that has none. */
  scopes?: string[] | null;
  /** E-mail address or UUID of its owner; the seeded owner where left out. */
  user?: string;
  /** UUIDs of the only organizations that it may reach; as in the service, a key without scopes reaches all. */
  organizations?: string[] | null;
  /** Ids of the only projects that it may reach; the same holds for a key without scopes. */
  projects?: number[] | null;
}

export interface NewMember {
  email: string;
  /** 1 member, 8 admin, 15 owner; 1 where left out. */
  level?: Level;
  /** The first organization where left out. */
  organizationId?: string;
  firstName?: string;
}

/** What a plugin's repository holds, for installs from its URL. */
export interface PublishedPlugin {
  name: string;
  description?: string;
  icon?: string | null;
  /** Name of the latest revision. */
  tag?: string;
  config?: Json;
  publicJobs?: Json;
  capabilities?: JsonObject;
  source?: Record<string, string>;
}

/**
 * What happens to a real account from outside of the interface: people accept invites, DNS records appear, plans
 * change, time passes.
 */
export class OutsideHand {
  constructor(private readonly world: World) {}

  /**
   * The person with this address accepts their invite, and joins at its level. All invites to the address are
   * gone after that, those of other organizations too.
   * @throws where no invite to the address is pending
   */
  acceptInvite(email: string): MemberRecord {
    const { store } = this.world;
    const same = (address: string): boolean => address.toLowerCase() === email.toLowerCase();
    const invite = store.invites.find((row) => same(row.target_email) && !isExpired(this.world, row));
    if (!invite) throw new Error(`there is no pending invite for ${email}`);
    const user =
      store.users.find((row) => same(row.email)) ?? this.newUser(invite.target_email, invite.first_name);
    const membership =
      store.memberships.find(
        (row) => row.user_id === user.id && row.organization_id === invite.organization_id,
      ) ?? join(this.world, user, invite.organization_id, invite.level);
    store.invites.deleteWhere((row) => same(row.target_email));
    return printMember(this.world, membership);
  }

  /** Someone joins without an invite, by single sign-on for example. */
  addMember({ email, level = 1, organizationId, firstName = "" }: NewMember): MemberRecord {
    const { store } = this.world;
    const organization = this.organization(organizationId);
    const user =
      store.users.find((row) => row.email.toLowerCase() === email.toLowerCase()) ??
      this.newUser(email, firstName);
    if (store.memberships.find((row) => row.user_id === user.id && row.organization_id === organization.id)) {
      throw new Error(`${email} is a member of ${organization.name} already`);
    }
    return printMember(this.world, join(this.world, user, organization.id, level));
  }

  /** Three days pass for one invite. It stays in the list. */
  expireInvite(id: string): void {
    const invite = this.world.store.invites.get(id);
    if (!invite) throw new Error(`there is no invite ${id}`);
    this.world.store.invites.update(invite, { expired: true });
  }

  /** Sets the TXT record of a name, in place of any that it has. */
  setDns(name: string, value: string): void {
    this.removeDns(name);
    this.world.store.dnsRecords.insert({ id: randomUUID(), name: dnsName(name), value });
  }

  removeDns(name: string): void {
    this.world.store.dnsRecords.deleteWhere((record) => record.name === dnsName(name));
  }

  /** Changes the organization's plan. Without a list: everything. */
  setFeatures(organizationId: string, features: readonly string[] = ALL_FEATURES): void {
    this.world.store.organizations.update(this.organization(organizationId), { features: [...features] });
  }

  /** 0 none, 3 configure, 6 install, 9 also global plugins. The service's cloud has 3. */
  setPluginsAccessLevel(organizationId: string, level: Organization["plugins_access_level"]): void {
    this.world.store.organizations.update(this.organization(organizationId), { plugins_access_level: level });
  }

  /** What the plugin server found out about a plugin. It decides under which kind the plugin shows. */
  setPluginCapabilities(id: number, capabilities: JsonObject): void {
    const plugin = this.world.store.plugins.get(id);
    if (!plugin) throw new Error(`there is no plugin ${id}`);
    this.world.store.plugins.update(plugin, { capabilities, inference: null });
  }

  /** Puts a plugin, or its next version, where installs and upgrades from this URL find it. */
  publishPlugin(url: string, plugin: PublishedPlugin): void {
    const { pluginReleases } = this.world.store;
    const id = publicUrl(url).replace(/\/$/, "");
    const { name, description = "", icon = null, config = [], publicJobs = {}, capabilities = {} } = plugin;
    const source = { "plugin.json": JSON.stringify({ name, description, config }), ...plugin.source };
    const tag = plugin.tag ?? urlSafeToken(20);
    const release: PluginRelease = {
      id,
      name,
      description,
      icon,
      tag,
      config,
      public_jobs: publicJobs,
      capabilities,
      source,
    };
    const old = pluginReleases.get(id);
    if (old) pluginReleases.update(old, release);
    else pluginReleases.insert(release);
  }

  /** Uploads a picture; its id is what `logo_media_id` of an organization takes. */
  addMedia(id: string = randomUUID()): string {
    return this.world.store.media.insert({ id }).id;
  }

  createKey({ scopes = null, user, organizations = null, projects = null }: NewKey = {}): ApiKey {
    const { store } = this.world;
    const owner = user === undefined ? store.users.all()[0] : this.findUser(user);
    if (!owner) throw new Error(`there is no user ${user ?? "to own the key"}`);
    return store.keys.insert({
      id: store.keys.nextId(),
      user_id: owner.id,
      value: randomToken("phx_"),
      scopes,
      organizations,
      projects,
    });
  }

  private findUser(name: string): User | undefined {
    return this.world.store.users.find((row) => row.uuid === name || row.email === name);
  }

  private newUser(email: string, firstName: string): User {
    return createUser(this.world, { email, firstName: firstName || (email.split("@")[0] ?? email) });
  }

  private organization(id: string | undefined): Organization {
    const { organizations } = this.world.store;
    const found = id === undefined ? organizations.all()[0] : organizations.get(id);
    if (!found) throw new Error(`there is no organization ${id ?? ""}`);
    return found;
  }
}

function dnsName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
