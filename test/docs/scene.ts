import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import type { Emulator } from "../support/emulator";
import type { Stack } from "../support/stack";

/** A DNS provider's resource as the examples use it; the emulator looks nothing up, so it is told. */
const CLOUDFLARE = `
const pulumi = require("@pulumi/pulumi");
const provider = {
  async create({ name, content }) {
    const answer = await fetch(process.env["POSTHOG_HOST"] + "/_emulator/dns", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name, value: content }),
    });
    if (!answer.ok) throw new Error("the record was refused: " + answer.status);
    return { id: name, outs: {} };
  },
};
exports.DnsRecord = class extends pulumi.dynamic.Resource {
  constructor(name, args, opts) {
    super(provider, name, args, opts);
  }
};
`;

/** What the examples of the pages find when they are run: what exists in PostHog, and the files of imports. */
export async function prepare(emulator: Emulator, stack: Stack): Promise<void> {
  const { POSTHOG_PROJECT_ID: project, POSTHOG_ORGANIZATION_ID: organization } = emulator.environment;
  const ask = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(`${emulator.url}/api/${path}/`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${emulator.environment.POSTHOG_API_KEY}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return String(z.object({ id: z.union([z.string(), z.number()]) }).parse(await answer.json()).id);
  };
  const template = {
    template_name: "Draft",
    dashboard_description: "",
    dashboard_filters: {},
    tiles: [{ type: "TEXT", body: "a note", layouts: {} }],
  };
  // The page about moving tiles moves tile 34 of dashboard 12.
  for (let tile = 0; tile < 34; tile++) {
    await ask(`projects/${project}/dashboards/create_from_template_json`, { template });
  }
  emulator.store.tiles.update(emulator.store.tiles.require(34), { dashboard_id: 12 });
  const http = { type: "HTTP", config: { url: "https://eu.i.posthog.com/batch/", token: "phc_elsewhere" } };
  const past = { name: "Past", interval: "day", destination: http };
  const route = `organizations/${organization}/batch_exports`;
  await stack.setAllConfig({
    "posthog-test:awsAccessKeyId": { secret: "example-id" },
    "posthog-test:awsSecretAccessKey": { secret: "example-key" },
    "posthog-test:token": { secret: "phc_elsewhere" },
    "posthog-test:zoneId": "zone",
    "posthog-test:archive": await ask(route, past),
    "posthog-test:past": await ask(route, past),
    "posthog-test:kpis": await ask(`projects/${project}/dashboards`, { name: "KPIs" }),
  });
  const plugins = {
    "bigquery-plugin": { methods: ["onEvent"] },
    "banner-plugin": {},
    "stripe-import": { scheduled_tasks: ["runEveryMinute"] },
  };
  for (const [name, capabilities] of Object.entries(plugins)) {
    emulator.publishPlugin(`https://github.com/acme/${name}`, { name, tag: "v1", capabilities });
  }
  install(stack.folder);
}

/** A line or two of what each kind of source holds. */
function install(folder: string): void {
  const time = Date.UTC(2023, 0, 31, 12);
  const mixpanel = {
    event: "Page View",
    properties: { time: time / 1000, distinct_id: "ada", $insert_id: "first" },
  };
  const amplitude = {
    event_type: "Signed Up",
    user_id: "ada",
    event_time: "2023-01-31 12:00:00.000000",
    event_properties: { plan: "free" },
    user_properties: { country: "UK" },
    $insert_id: "second",
  };
  const warehouse = {
    event_name: "page_view",
    device: { id: "device-1" },
    occurred_at: "2023-01-31T12:00:00.000000Z",
    row_id: "third",
    attributes: { path: "/" },
  };
  const files: Readonly<Record<string, string | Buffer>> = {
    "exports/2023-01.ndjson.gz": gzipSync(`${JSON.stringify(mixpanel)}\n`),
    "mixpanel/2023-01.ndjson.gz": gzipSync(`${JSON.stringify(mixpanel)}\n`),
    "amplitude/123/123_2023-01-31_12#0.json.gz": gzipSync(`${JSON.stringify(amplitude)}\n`),
    "warehouse/events-000.ndjson.gz": gzipSync(`${JSON.stringify(warehouse)}\n`),
    "node_modules/@pulumi/cloudflare/index.js": CLOUDFLARE,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
