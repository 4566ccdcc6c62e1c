import { z } from "zod";

import type { CaptureStore } from "../capture";
import type { Faults } from "../faults/faults";
import type { OutsideHand } from "../hand";
import type { Json } from "../fields/json";
import type { RequestLog } from "./request-log";
import { view } from "../page/view";
import type { World } from "../world/world";

/**
 * What other processes may ask of the emulator itself, below `/_emulator/`: what `Emulator` offers to its own
 * process, as JSON.
 *
 * | | body |
 * |---|---|
 * | `GET requests` (`?after=INDEX`), `DELETE requests` | |
 * | `GET unknown-routes` | |
 * | `GET view` (what the page shows) | |
 * | `GET faults`, `POST faults`, `DELETE faults` | `{"spec": "POST /dashboards/$ 500 x2"}` |
 * | `POST keys` | `{"scopes": ["dashboard:read"], "user", "organizations", "projects"}`, all optional |
 * | `POST members` | `{"email", "level", "organizationId"}` |
 * | `POST accept-invite` | `{"email"}` |
 * | `POST expire-invite` | `{"id"}` |
 * | `POST dns`, `DELETE dns` | `{"name", "value"}`, `{"name"}` |
 * | `POST features` | `{"organizationId", "features"}` |
 * | `POST plugins-access-level` | `{"organizationId", "level"}` |
 * | `POST plugin-capabilities` | `{"id", "capabilities"}` |
 * | `POST plugin-releases` | `{"url", "name", "tag", "config", "source", …}` |
 * | `POST media` | `{}` |
 */
export interface ControlParts {
  readonly world: World;
  readonly hand: OutsideHand;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly capture: CaptureStore;
  readonly unknownRoutes: readonly string[];
}

export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(json), z.record(z.string(), json)]),
);
const jsonObject = z.record(z.string(), json);
const level = z.union([z.literal(1), z.literal(8), z.literal(15)]);

const keyBody = z.strictObject({
  scopes: z.array(z.string()).nullable().exactOptional(),
  user: z.string().exactOptional(),
  organizations: z.array(z.string()).nullable().exactOptional(),
  projects: z.array(z.number()).nullable().exactOptional(),
});
const memberBody = z.strictObject({
  email: z.string(),
  level: level.exactOptional(),
  organizationId: z.string().exactOptional(),
  firstName: z.string().exactOptional(),
});
const releaseBody = z.strictObject({
  url: z.string(),
  name: z.string(),
  description: z.string().exactOptional(),
  icon: z.string().nullable().exactOptional(),
  tag: z.string().exactOptional(),
  config: json.exactOptional(),
  publicJobs: json.exactOptional(),
  capabilities: jsonObject.exactOptional(),
  source: z.record(z.string(), z.string()).exactOptional(),
});
const accessBody = z.strictObject({
  organizationId: z.string(),
  level: z.union([z.literal(0), z.literal(3), z.literal(6), z.literal(9)]),
});

/** Answers one request below `/_emulator/`. */
export function control(
  parts: ControlParts,
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
): ControlAnswer {
  const handler = commands(parts, query)[`${method} ${path.replace(/\/$/, "")}`];
  if (!handler) return { status: 404, body: { error: `the emulator has no ${method} /_emulator/${path}` } };
  try {
    return { status: 200, body: handler(body) ?? {} };
  } catch (error) {
    if (error instanceof z.ZodError) return { status: 400, body: { error: z.prettifyError(error) } };
    if (error instanceof Error) return { status: 400, body: { error: error.message } };
    throw error;
  }
}

function commands(parts: ControlParts, query: URLSearchParams): Record<string, (body: unknown) => unknown> {
  const { world, hand, faults, log, capture, unknownRoutes } = parts;
  return {
    "GET requests": () => ({ requests: log.records.slice(Number(query.get("after") ?? 0)) }),
    "DELETE requests": () => log.clear(),
    "GET unknown-routes": () => ({ unknownRoutes }),
    "GET view": () => view(world, capture, log),
    "GET faults": () => ({ faults: faults.list() }),
    "POST faults": (body) => faults.add(z.strictObject({ spec: z.string() }).parse(body).spec),
    "DELETE faults": () => faults.clear(),
    "POST keys": (body) => {
      const { id, value } = hand.createKey(keyBody.parse(body));
      return { id, value };
    },
    "POST members": (body) => hand.addMember(memberBody.parse(body)),
    "POST accept-invite": (body) =>
      hand.acceptInvite(z.strictObject({ email: z.string() }).parse(body).email),
    "POST expire-invite": (body) => hand.expireInvite(z.strictObject({ id: z.string() }).parse(body).id),
    "GET dns": () => ({ records: world.store.dnsRecords.all().map(({ name, value }) => ({ name, value })) }),
    "POST dns": (body) => {
      const { name, value } = z.strictObject({ name: z.string(), value: z.string() }).parse(body);
      hand.setDns(name, value);
    },
    "DELETE dns": (body) => hand.removeDns(z.looseObject({ name: z.string() }).parse(body).name),
    "POST features": (body) => {
      const { organizationId, features } = z
        .strictObject({ organizationId: z.string(), features: z.array(z.string()).exactOptional() })
        .parse(body);
      hand.setFeatures(organizationId, features);
    },
    "POST plugins-access-level": (body) => {
      const access = accessBody.parse(body);
      hand.setPluginsAccessLevel(access.organizationId, access.level);
    },
    "POST plugin-capabilities": (body) => {
      const { id, capabilities } = z.strictObject({ id: z.number(), capabilities: jsonObject }).parse(body);
      hand.setPluginCapabilities(id, capabilities);
    },
    "POST plugin-releases": (body) => {
      const { url, ...plugin } = releaseBody.parse(body);
      hand.publishPlugin(url, plugin);
    },
    "POST media": () => ({ id: hand.addMedia() }),
  };
}
