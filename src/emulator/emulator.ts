import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { Api } from "./http/api";
import { type CaptureMode, CaptureStore } from "./capture";
import { systemCode } from "./http/errors";
import { ROUTES } from "./http/endpoints";
import { ALL_FEATURES } from "./world/features";
import { type Fault, Faults } from "./faults/faults";
import { OutsideHand } from "./hand";
import { bootstrapOrganization } from "./world/organizations";
import { currentProject } from "./world/people";
import { readData, Saver } from "./world/persistence";
import { parseRateLimit, type RateLimit, Throttle } from "./http/rate-limit";
import { RequestLog, type RequestRecord } from "./http/request-log";
import { Router } from "./http/router";
import { seedStore } from "./world/seed";
import { createEmulatorServer } from "./http/server";
import { Store } from "./store/store";
import { type InferCapabilities, type Shapes, World } from "./world/world";

export interface EmulatorOptions {
  /** Port to listen on, on the loopback address only; 0, the default, takes a free one. */
  port?: number;
  /** File that keeps the data, so that a restart has the same keys, ids and contents. In memory where left out. */
  data?: string;
  /** Milliseconds that every answer waits; 0. */
  latency?: number;
  /** Requests that a key may make: `"480/min"`, `"480/min,4800/hour"`, or numbers. Unlimited where left out. */
  rateLimit?: string | RateLimit;
  /** Faults from the start, in the notation of {@link Fault}. */
  faults?: string;
  /** People besides the owner in the seeded organization; 3. */
  members?: number;
  /** Answers as the interface document shows them (default), or as the service gives them, where the two differ. */
  shapes?: Shapes;
  /** Paid features of the seeded organization; all. */
  features?: readonly string[];
  /** The emulator's clock, by which it counts its rate limit, too. Without one, the limit is told from a steady clock. */
  now?: () => Date;
  /** Projects besides the first in the seeded organization; 1. */
  projects?: number;
  /** Id of the first project; 1. */
  firstProjectId?: number;
  /** When the capabilities of a posted plugin appear, which decide under which kind it shows; `immediately`. */
  inferCapabilities?: InferCapabilities;
  /**
   * How events are held: `keep` (default) merges repetitions as the service does, `count` only counts what arrives, in
   * memory that does not grow.
   */
  capture?: CaptureMode;
  /** Makes the seeded ids, and the luck of faults that strike by chance; 1. */
  seed?: number;
}

/** What to put into the environment so that programs talk to the emulator. */
export type EmulatorEnvironment = Record<
  | "POSTHOG_HOST"
  | "POSTHOG_INGEST_HOST"
  | "POSTHOG_API_KEY"
  | "POSTHOG_PROJECT_ID"
  | "POSTHOG_ORGANIZATION_ID"
  | "POSTHOG_PROJECT_API_KEY",
  string
>;

/** A running emulator. */
export interface Emulator extends Pick<
  OutsideHand,
  | "acceptInvite"
  | "addMedia"
  | "addMember"
  | "expireInvite"
  | "publishPlugin"
  | "removeDns"
  | "setDns"
  | "setFeatures"
  | "setPluginCapabilities"
  | "setPluginsAccessLevel"
> {
  /** Address of the management interface and of the page. */
  readonly url: string;
  /** Address of batch capture. */
  readonly ingestUrl: string;
  readonly environment: EmulatorEnvironment;
  /** The latest requests (100,000), oldest first. */
  readonly requests: RequestRecord[];
  /** The latest requests (100) to paths that no route answers, as `METHOD /path`. */
  readonly unknownRoutes: readonly string[];
  readonly faults: {
    /** Adds a fault, or all of a specification. */
    add(fault: Fault | string): void;
    clear(): void;
  };
  /** Everything that exists, live. */
  readonly store: Store;
  readonly capture: CaptureStore;
  /** Makes a personal API key and returns it. */
  createKey(key?: Parameters<OutsideHand["createKey"]>[0]): string;
  clearRequests(): void;
  /** Saves the data now, where there is a file for it. */
  save(): Promise<void>;
  /** Stops listening, breaks open connections and saves the data. */
  close(): Promise<void>;
}

/**
 * Starts a local stand-in for PostHog: every endpoint of the management interface and batch capture, on the
 * loopback address.
 * @throws PortTakenError, or DataFileError where the data file was not written by an emulator of this version
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { seed = 1, now = () => new Date() } = options;
  const random = randomNumbers(seed);
  const store = new Store();
  const world = new World(
    store,
    options.shapes ?? "documented",
    options.inferCapabilities ?? "immediately",
    now,
    random,
  );
  const capture = new CaptureStore(options.capture);
  const saved = options.data === undefined ? undefined : await readData(options.data);
  if (saved) {
    store.load(saved.collections);
    capture.restore(saved.capture);
  } else {
    seedStore(world, {
      seed,
      members: options.members ?? 3,
      projects: options.projects ?? 1,
      firstProjectId: options.firstProjectId ?? 1,
      features: options.features ?? ALL_FEATURES,
    });
  }
  const saver =
    options.data === undefined
      ? undefined
      : new Saver(options.data, () => ({ collections: store.dump(), capture: capture.snapshot() }));
  store.onChange(() => saver?.touch());
  if (!saved) saver?.touch();

  const faults = new Faults(random);
  if (options.faults !== undefined) faults.add(options.faults);
  const log = new RequestLog();
  const unknownRoutes: string[] = [];
  const hand = new OutsideHand(world);
  const { rateLimit = {} } = options;
  const throttle = new Throttle(
    typeof rateLimit === "string" ? parseRateLimit(rateLimit) : rateLimit,
    options.now && (() => now().getTime()),
  );
  const server = createEmulatorServer({
    world,
    hand,
    faults,
    log,
    capture,
    unknownRoutes,
    api: new Api(world, new Router(ROUTES), throttle),
    latency: options.latency ?? 0,
    captured: () => saver?.touch(),
  });
  await listen(server, options.port ?? 0);
  // A server that listens on a port has an address with a port; only one on a pipe has a name instead.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  return {
    url,
    ingestUrl: url,
    environment: environmentOf(world, url),
    requests: log.records,
    unknownRoutes,
    faults: { add: (fault) => faults.add(fault), clear: () => faults.clear() },
    store,
    capture,
    createKey: (key) => hand.createKey(key).value,
    acceptInvite: (email) => hand.acceptInvite(email),
    addMedia: (id) => hand.addMedia(id),
    addMember: (member) => hand.addMember(member),
    expireInvite: (id) => hand.expireInvite(id),
    publishPlugin: (address, plugin) => hand.publishPlugin(address, plugin),
    removeDns: (name) => hand.removeDns(name),
    setDns: (name, value) => hand.setDns(name, value),
    setFeatures: (id, features) => hand.setFeatures(id, features),
    setPluginCapabilities: (id, capabilities) => hand.setPluginCapabilities(id, capabilities),
    setPluginsAccessLevel: (id, level) => hand.setPluginsAccessLevel(id, level),
    clearRequests: () => log.clear(),
    save: async () => saver?.save(),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await saver?.save();
    },
  };
}

export class PortTakenError extends Error {
  constructor(port: number, options?: ErrorOptions) {
    super(`port ${port} is taken; choose another, or none to get a free one`, options);
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    throw systemCode(error) === "EADDRINUSE" ? new PortTakenError(port, { cause: error }) : error;
  }
}

/** The first key, its owner's project, and that project's organization. */
function environmentOf(world: World, url: string): EmulatorEnvironment {
  const { store } = world;
  const key = store.keys.all()[0];
  if (!key) throw new Error("the emulator's data has no key");
  const owner = store.users.require(key.user_id);
  // Whoever deleted their last organization gets a new one: without any, nothing below could be printed.
  if (store.organizations.size === 0) bootstrapOrganization(world, owner, { name: "Acme" });
  const project = store.projects.all()[0] ?? currentProject(world, owner);
  if (!project) throw new Error("the emulator's data has no project");
  return {
    POSTHOG_HOST: url,
    POSTHOG_INGEST_HOST: url,
    POSTHOG_API_KEY: key.value,
    POSTHOG_PROJECT_ID: String(project.id),
    POSTHOG_ORGANIZATION_ID: project.organization_id,
    POSTHOG_PROJECT_API_KEY: project.api_token,
  };
}

/** A small generator of even random numbers from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
