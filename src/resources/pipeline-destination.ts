import { definition, defineResource } from "../engine/program/define";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { pluginClears, pluginInputs, pluginOutputs } from "./plugin";
import { codeDefinition, codeInputs, codeOutputs } from "./plugin-code";

/** The kind `PipelineDestination`. */
export const pipelineDestination = definition({
  ...codeDefinition,
  type: "PipelineDestination",
  inputs: { ...pluginInputs, ...codeInputs },
  outputs: { ...pluginOutputs, ...codeOutputs },
  path: "/api/organizations/{organizationId}/pipeline_destinations/",
  replaceOnChanges: ["organizationId", "pluginType", "url"],
  clears: { ...pluginClears, source: {} },
});

/** Arguments of {@link PipelineDestination}. */
export interface PipelineDestinationArgs
  extends ArgsOf<typeof pluginInputs>, ArgsOf<typeof codeInputs>, CommonArgs {}

/** Outputs of {@link PipelineDestination}. */
export interface PipelineDestinationOutputs
  extends
    OutputsOf<typeof pluginInputs>,
    OutputsOf<typeof codeInputs>,
    OutputsOf<typeof codeOutputs>,
    OutputsOf<typeof pluginOutputs> {}

/**
 * A pipeline plugin that sends events on as they arrive.
 *
 * Endpoint: `/api/organizations/:organization_id/pipeline_destinations/`; scope `plugin:write`. PostHog Cloud closes
 * plugin writes to most organizations (403). With `url`, the service takes name, description and version from the
 * repository's `plugin.json`. `tag` and `source` use the actions upgrade, check_for_updates, source and update_source,
 * which it closes to API keys with scopes.
 *
 * @remarks PostHog decides by a plugin's code of what kind it is, some time after it was made.
 * @remarks It installs an address once: with the same `url`, a replacement removes the old plugin first.
 *
 * @example
 * new posthog.PipelineDestination("bigquery", { url: "https://github.com/acme/bigquery-plugin" });
 */
export class PipelineDestination extends defineResource<PipelineDestinationArgs, PipelineDestinationOutputs>(
  pipelineDestination,
) {}
