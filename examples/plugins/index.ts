// Plugins: one whose code is written here, one from a repository at a fixed version, and one that imports.
import * as posthog from "pulumi-posthog";

const forwarder = new posthog.PipelineDestination("forwarder", {
  pluginType: "source",
  name: "Forwarder",
  description: "Sends sign-ups to the CRM.",
  capabilities: { methods: ["onEvent"] },
  source: {
    "index.ts": "export function onEvent(event) { console.log(event.event); }\n",
  },
});

const banner = new posthog.FrontendApp("banner", {
  url: "https://github.com/acme/banner",
});

new posthog.ImportApp("stripe", {
  pluginType: "source",
  name: "Stripe import",
  capabilities: { scheduled_tasks: ["runEveryMinute"] },
});

export const plugins = { forwarder: forwarder.id, banner: banner.id };
