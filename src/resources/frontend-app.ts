import { definition, defineResource } from "../engine/program/define";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { pluginClears, pluginInputs, pluginOutputs } from "./plugin";
import { codeDefinition, codeInputs, codeOutputs } from "./plugin-code";

/** The kind `FrontendApp`. */
export const frontendApp = definition({
  ...codeDefinition,
  type: "FrontendApp",
  inputs: { ...pluginInputs, ...codeInputs },
  outputs: { ...pluginOutputs, ...codeOutputs },
  path: "/api/organizations/{organizationId}/pipeline_frontend_apps/",
  replaceOnChanges: ["organizationId", "pluginType", "url"],
  clears: { ...pluginClears, capabilities: {}, source: {} },
});

/** Arguments of {@link FrontendApp}. */
export interface FrontendAppArgs extends ArgsOf<typeof pluginInputs>, ArgsOf<typeof codeInputs>, CommonArgs {}

/** Outputs of {@link FrontendApp}. */
export interface FrontendAppOutputs
  extends
    OutputsOf<typeof pluginInputs>,
    OutputsOf<typeof codeInputs>,
    OutputsOf<typeof codeOutputs>,
    OutputsOf<typeof pluginOutputs> {}

/**
 * A pipeline plugin that runs in the pages of your product.
 *
 * Endpoint: `/api/organizations/:organization_id/pipeline_frontend_apps/`; scope `plugin:write`. PostHog Cloud closes
 * plugin writes to most organizations (403). With `url`, the service takes name, description and version from the
 * repository's `plugin.json`. `tag` and `source` use the actions upgrade, check_for_updates, source and update_source,
 * which it closes to API keys with scopes.
 *
 * @remarks PostHog decides by a plugin's code of what kind it is, some time after it was made.
 * @remarks It installs an address once: with the same `url`, a replacement removes the old plugin first.
 *
 * @example
 * new posthog.FrontendApp("banner", { url: "https://github.com/acme/banner-plugin" });
 */
export class FrontendApp extends defineResource<FrontendAppArgs, FrontendAppOutputs>(frontendApp) {}
