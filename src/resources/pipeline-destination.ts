import { definition, defineResource } from "../engine/define";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/types";
import { pluginClears, pluginDefinition, pluginInputs, type pluginOutputs } from "./plugin";

/** The kind `PipelineDestination`. */
export const pipelineDestination = definition({
  ...pluginDefinition,
  type: "PipelineDestination",
  inputs: pluginInputs,
  path: "/api/organizations/{organizationId}/pipeline_destinations/",
  replaceOnChanges: ["organizationId", "pluginType", "url"],
  clears: pluginClears,
});

/** Arguments of {@link PipelineDestination}. */
export interface PipelineDestinationArgs extends ArgsOf<typeof pluginInputs>, CommonArgs {}

/** Outputs of {@link PipelineDestination}. */
export interface PipelineDestinationOutputs
  extends OutputsOf<typeof pluginInputs>, OutputsOf<typeof pluginOutputs> {}

/**
 * A pipeline plugin that sends events on as they arrive.
 *
 * Endpoint: `/api/organizations/:organization_id/pipeline_destinations/`; scope `plugin:write`. PostHog Cloud closes
 * plugin writes to most organizations (403). With `url`, the service takes name, description and version from the
 * repository's `plugin.json`.
 *
 * @example
 * new posthog.PipelineDestination("bigquery", { url: "https://github.com/acme/bigquery-plugin" });
 */
export class PipelineDestination extends defineResource<PipelineDestinationArgs, PipelineDestinationOutputs>(
  pipelineDestination,
) {}
