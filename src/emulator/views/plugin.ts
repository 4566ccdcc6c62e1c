import { publicUrl } from "../rules/plugin-installer";
import type { Plugin } from "../store/entities";
import type { World } from "../world/world";

export function printPlugin(world: World, plugin: Plugin) {
  return {
    id: plugin.id,
    plugin_type: plugin.plugin_type,
    name: plugin.name,
    description: plugin.description,
    url: plugin.url === null ? null : publicUrl(plugin.url),
    icon: plugin.icon,
    config_schema: plugin.config_schema,
    tag: plugin.tag,
    latest_tag: plugin.latest_tag,
    is_global: plugin.is_global,
    organization_id: plugin.organization_id,
    organization_name: world.store.organizations.require(plugin.organization_id).name,
    capabilities: plugin.capabilities,
    metrics: plugin.metrics,
    public_jobs: plugin.public_jobs,
    hog_function_migration_available: false,
  };
}
