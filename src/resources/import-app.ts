import { definition, defineResource } from "../engine/program/define";
import type { ArgsOf, CommonArgs, OutputsOf } from "../engine/program/types";
import { isInstalledAt, pluginClears, pluginDefinition, pluginInputs, type pluginOutputs } from "./plugin";

/** The kind `ImportApp`: the interface lists and creates them, and nothing else. */
export const importApp = definition({
  ...pluginDefinition,
  type: "ImportApp",
  inputs: pluginInputs,
  path: "/api/organizations/{organizationId}/pipeline_import_apps/",
  read: "list",
  update: "none",
  replaceOnChanges: ["organizationId", "pluginType", "url", "tag"],
  clears: { ...pluginClears, capabilities: {} },
  // The old app cannot be deleted, so the service would refuse the same address a second time.
  judge: (stored, wanted) =>
    stored["url"] !== wanted["url"] && isInstalledAt(stored["url"], wanted["url"])
      ? {
          ignores: ["url"],
          notes: [
            "the service takes no other query (private token) for an app that is installed: url is kept",
          ],
        }
      : {},
  remote: {
    delete(call) {
      call.warn(
        "the service has no way to delete an import app: it is released from the state and goes on existing",
      );
      return Promise.resolve();
    },
  },
});

/** Arguments of {@link ImportApp}. */
export interface ImportAppArgs extends ArgsOf<typeof pluginInputs>, CommonArgs {}

/** Outputs of {@link ImportApp}. */
export interface ImportAppOutputs extends OutputsOf<typeof pluginInputs>, OutputsOf<typeof pluginOutputs> {}

/**
 * A pipeline plugin that imports. The interface cannot change or delete one: every change makes a new one, and the
 * old one stays in PostHog, released from the state with a warning.
 *
 * Endpoint: `/api/organizations/:organization_id/pipeline_import_apps/`; scope `plugin:write`. PostHog Cloud closes
 * plugin writes to most organizations (403).
 *
 * @remarks An old version has to be removed in PostHog by hand.
 * @destroy nothing: PostHog has no way; released with a warning
 *
 * @example
 * new posthog.ImportApp("stripe", { url: "https://github.com/acme/stripe-import" });
 */
export class ImportApp extends defineResource<ImportAppArgs, ImportAppOutputs>(importApp) {}
