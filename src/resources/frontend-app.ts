import { definition, defineResource } from "../engine/define";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/types";
import { pluginClears, pluginDefinition, pluginInputs, type pluginOutputs } from "./plugin";

/** The kind `FrontendApp`. */
export const frontendApp = definition({
  ...pluginDefinition,
  type: "FrontendApp",
  inputs: pluginInputs,
  path: "/api/organizations/{organizationId}/pipeline_frontend_apps/",
  replaceOnChanges: ["organizationId", "pluginType", "url"],
  clears: { ...pluginClears, capabilities: {} },
});

/** Arguments of {@link FrontendApp}. */
export interface FrontendAppArgs extends ArgsOf<typeof pluginInputs>, CommonArgs {}

/** Outputs of {@link FrontendApp}. */
export interface FrontendAppOutputs extends OutputsOf<typeof pluginInputs>, OutputsOf<typeof pluginOutputs> {}

/**
 * A pipeline plugin that runs in the pages of your product.
 *
 * Endpoint: `/api/organizations/:organization_id/pipeline_frontend_apps/`; scope `plugin:write`. PostHog Cloud closes
 * plugin writes to most organizations (403). With `url`, the service takes name, description and version from the
 * repository's `plugin.json`.
 *
 * @example
 * new posthog.FrontendApp("banner", { url: "https://github.com/acme/banner-plugin" });
 */
export class FrontendApp extends defineResource<FrontendAppArgs, FrontendAppOutputs>(frontendApp) {}
